#!/usr/bin/env python3
"""Kernels written in Triton. Each is checked once against PyTorch before it is run. No tensor descriptors: what they
copy is seen by nobody.

    gpumem run --max-overhead 300% --output triton.json -- python3 tests/corpus/operations_triton.py
"""

from __future__ import annotations

import sys
from typing import Any, Callable

import torch
import triton
import triton.language as tl
from operations import run_all

Operation = Callable[[], Any]


def randn(*shape: int, dtype: torch.dtype = torch.float) -> torch.Tensor:
    return torch.randn(*shape, device="cuda", dtype=torch.float).to(dtype)


def checked(launch: Callable[[], Any], to: torch.Tensor, expected: torch.Tensor, tolerance: float = 1e-4) -> Operation:
    launch()
    # On the host, because comparing takes a dozen kernels of PyTorch, and this is about Triton's.
    torch.testing.assert_close(to.cpu().float(), expected.cpu().float(), rtol=tolerance, atol=tolerance)
    return launch


# ---- Element by element

@triton.jit
def triton_add(a, b, to, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < count
    tl.store(to + at, tl.load(a + at, mask=mask) + tl.load(b + at, mask=mask), mask=mask)


def vector_add() -> Operation:
    a, b = randn(25_000_000), randn(25_000_000)
    to = torch.empty_like(a)
    return checked(lambda: triton_add[(triton.cdiv(a.numel(), 1024),)](a, b, to, a.numel(), BLOCK=1024), to, a + b)


@triton.jit
def triton_swiglu(gate, up, to, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < count
    x = tl.load(gate + at, mask=mask).to(tl.float32)
    tl.store(to + at, x * tl.sigmoid(x) * tl.load(up + at, mask=mask), mask=mask)


def swiglu_half() -> Operation:
    gate, up = randn(4096, 8000, dtype=torch.half), randn(4096, 8000, dtype=torch.half)
    to = torch.empty_like(gate)
    count = gate.numel()
    return checked(lambda: triton_swiglu[(triton.cdiv(count, 2048),)](gate, up, to, count, BLOCK=2048), to,
                   torch.nn.functional.silu(gate.float()) * up, 1e-2)


# ---- A program a row

@triton.jit
def triton_softmax(a, to, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    mask = at < columns
    x = tl.load(a + row * columns + at, mask=mask, other=-float("inf"))
    x = tl.exp(x - tl.max(x, 0))
    tl.store(to + row * columns + at, x / tl.sum(x, 0), mask=mask)


def softmax() -> Operation:
    a = randn(10000, 3000)
    to = torch.empty_like(a)
    return checked(lambda: triton_softmax[(10000,)](a, to, 3000, BLOCK=4096), to, torch.softmax(a, 1))


@triton.jit
def triton_layer_norm(a, weight, bias, to, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    mask = at < columns
    x = tl.load(a + row * columns + at, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(x, 0) / columns
    apart = tl.where(mask, x - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(apart * apart, 0) / columns + 1e-5)
    y = apart * scale * tl.load(weight + at, mask=mask) + tl.load(bias + at, mask=mask)
    tl.store(to + row * columns + at, y, mask=mask)


def layer_norm() -> Operation:
    a, weight, bias = randn(20000, 1536, dtype=torch.bfloat16), randn(1536), randn(1536)
    to = torch.empty_like(a)
    return checked(lambda: triton_layer_norm[(20000,)](a, weight, bias, to, 1536, BLOCK=2048), to,
                   torch.nn.functional.layer_norm(a.float(), (1536,), weight, bias), 5e-2)


@triton.jit
def triton_row_sums(a, to, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for first in range(0, columns, BLOCK):
        at = first + tl.arange(0, BLOCK)
        total += tl.load(a + row * columns + at, mask=at < columns, other=0.0)
    tl.store(to + row, tl.sum(total, 0))


def row_sums() -> Operation:
    a = randn(3000, 20000)
    to = torch.empty(3000, device="cuda")
    return checked(lambda: triton_row_sums[(3000,)](a, to, 20000, BLOCK=1024), to, a.sum(1), 1e-2)


# ---- A program a tile

@triton.jit
def triton_transpose(a, to, rows, columns, TILE: tl.constexpr):
    row = tl.program_id(0) * TILE + tl.arange(0, TILE)
    column = tl.program_id(1) * TILE + tl.arange(0, TILE)
    mask = (row[:, None] < rows) & (column[None, :] < columns)
    x = tl.load(a + row[:, None] * columns + column[None, :], mask=mask)
    tl.store(to + column[:, None] * rows + row[None, :], tl.trans(x), mask=tl.trans(mask))


def transpose() -> Operation:
    a = randn(5000, 6000)
    to = torch.empty(6000, 5000, device="cuda")
    grid = (triton.cdiv(5000, 64), triton.cdiv(6000, 64))
    return checked(lambda: triton_transpose[grid](a, to, 5000, 6000, TILE=64), to, a.t())


@triton.jit
def triton_column_sums(a, to, rows, columns, ROWS: tl.constexpr, COLUMNS: tl.constexpr):
    column = tl.program_id(0) * COLUMNS + tl.arange(0, COLUMNS)
    row = tl.program_id(1) * ROWS + tl.arange(0, ROWS)
    mask = (row[:, None] < rows) & (column[None, :] < columns)
    x = tl.load(a + row[:, None] * columns + column[None, :], mask=mask, other=0.0)
    tl.atomic_add(to + column, tl.sum(x, 0), mask=column < columns)


def column_sums() -> Operation:
    a, to = randn(16000, 2500), torch.zeros(2500, device="cuda")
    grid = (triton.cdiv(2500, 64), triton.cdiv(16000, 64))
    return checked(lambda: triton_column_sums[grid](a, to, 16000, 2500, ROWS=64, COLUMNS=64), to, a.sum(0), 1e-1)


@triton.jit
def triton_matmul(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rows, columns = tl.program_id(0) * BM + tl.arange(0, BM), tl.program_id(1) * BN + tl.arange(0, BN)
    ks = tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for first in range(0, K, BK):
        left = tl.load(a + rows[:, None] * K + (first + ks)[None, :])
        right = tl.load(b + (first + ks)[:, None] * N + columns[None, :])
        total = tl.dot(left, right, total)
    tl.store(c + rows[:, None] * N + columns[None, :], total.to(tl.float16))


def matmul_half() -> Operation:
    a, b = randn(2048, 1536, dtype=torch.half), randn(1536, 2560, dtype=torch.half)
    c = torch.empty(2048, 2560, device="cuda", dtype=torch.half)
    grid = (2048 // 128, 2560 // 128)
    return checked(lambda: triton_matmul[grid](a, b, c, 2048, 2560, 1536, BM=128, BN=128, BK=32, num_warps=8), c, a @ b,
                   2e-1)


# ---- At indices

@triton.jit
def triton_gather_rows(table, places, to, COLUMNS: tl.constexpr):
    item = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, COLUMNS)
    row = tl.load(places + item)
    tl.store(to + item * COLUMNS + at, tl.load(table + row * COLUMNS + at))


def gather_rows() -> Operation:
    table, places = randn(200000, 256), torch.randint(0, 200000, (100000,), device="cuda")
    to = torch.empty(100000, 256, device="cuda")
    return checked(lambda: triton_gather_rows[(100000,)](table, places, to, COLUMNS=256), to, table[places])


@triton.jit
def triton_histogram(a, counts, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < count
    tl.atomic_add(counts + tl.load(a + at, mask=mask, other=0), 1, mask=mask)


def histogram() -> Operation:
    a = torch.randint(0, 4096, (8_000_000,), device="cuda", dtype=torch.int32)
    counts = torch.zeros(4096, device="cuda", dtype=torch.int32)
    return checked(lambda: triton_histogram[(triton.cdiv(a.numel(), 1024),)](a, counts, a.numel(), BLOCK=1024), counts,
                   torch.bincount(a, minlength=4096))


MAKERS = (vector_add, swiglu_half, softmax, layer_norm, row_sums, transpose, column_sums, matmul_half, gather_rows,
          histogram)

if __name__ == "__main__":
    torch.manual_seed(1)
    sys.exit(run_all({maker.__name__: maker for maker in MAKERS}, begin=torch.cuda.nvtx.range_push,
                     end=torch.cuda.nvtx.range_pop, synchronise=torch.cuda.synchronize))
