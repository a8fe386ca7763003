#!/usr/bin/env python3
"""Operations of PyTorch of many kinds, for `gpumem run`: what its kernels are predicted to take, and what they take.

    gpumem run --max-overhead 300% --output torch.json -- python3 tests/corpus/operations_torch.py
"""

from __future__ import annotations

import sys

import torch
import torch_elements
import torch_indices
from operations import run_all

if __name__ == "__main__":
    torch.manual_seed(1)
    sys.exit(run_all({**torch_elements.OPERATIONS, **torch_indices.OPERATIONS}, begin=torch.cuda.nvtx.range_push,
                     end=torch.cuda.nvtx.range_pop, synchronise=torch.cuda.synchronize))
