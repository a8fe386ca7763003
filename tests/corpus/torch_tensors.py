"""Tensors of the GPU and a table of operations, for the modules that have the operations themselves."""

from __future__ import annotations

from typing import Any, Callable, Dict

import torch

Operation = Callable[[], Any]

half, bfloat16, double, int32, int64 = torch.half, torch.bfloat16, torch.double, torch.int32, torch.int64


class Operations(Dict[str, Callable[[], Operation]]):
    """By name, in the order in which they are entered."""

    def operation(self, maker: Callable[[], Operation]) -> Callable[[], Operation]:
        """Enters a function that makes the operation's tensors and returns the operation."""
        self[maker.__name__] = maker
        return maker


def randn(*shape: int, dtype: torch.dtype = torch.float) -> torch.Tensor:
    return torch.randn(*shape, device="cuda", dtype=torch.float).to(dtype)


def randint(high: int, *shape: int, dtype: torch.dtype = int64) -> torch.Tensor:
    return torch.randint(0, high, shape, device="cuda", dtype=dtype)
