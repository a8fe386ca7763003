#!/usr/bin/env python3
"""Operations of CuPy: its own kernels, those that it compiles from a formula, and CUB's.

    gpumem run --max-overhead 300% --output cupy.json -- python3 tests/corpus/operations_cupy.py
"""

from __future__ import annotations

import sys
from typing import Any, Callable

import cupy
from cupy.cuda import nvtx
from operations import run_all

Operation = Callable[[], Any]
random = cupy.random.RandomState(1)


def floats(*shape: int) -> cupy.ndarray:
    return random.random_sample(shape, dtype=cupy.float32)


def distance() -> Operation:
    a, b = floats(24 << 20), floats(24 << 20)
    kernel = cupy.ElementwiseKernel("float32 a, float32 b", "float32 c", "c = sqrtf(a * a + b * b)", "distance")
    return lambda: kernel(a, b)


def clip_double() -> Operation:
    a = floats(12 << 20).astype(cupy.float64)
    return lambda: cupy.clip(a, 0.2, 0.8)


def mean_of_rows() -> Operation:
    a = floats(15000, 2200)
    return lambda: a.mean(axis=1)


def maximum_of_columns() -> Operation:
    a = floats(15000, 2200)
    return lambda: a.max(axis=0)


def transposed_copy() -> Operation:
    a = floats(6000, 5000)
    return lambda: cupy.ascontiguousarray(a.T)


def take() -> Operation:
    a, places = floats(40 << 20), random.randint(0, 40 << 20, 8 << 20)
    return lambda: a[places]


def running_sum() -> Operation:
    a = floats(20 << 20)
    return lambda: cupy.cumsum(a)


def sort() -> Operation:
    a = floats(8 << 20)
    return lambda: cupy.sort(a)


def count_bins() -> Operation:
    a = random.randint(0, 5000, 12 << 20)
    return lambda: cupy.bincount(a, minlength=5000)


def where() -> Operation:
    a, b = floats(4000, 5000), floats(4000, 5000)
    return lambda: cupy.where(a > b, a, 2 * b)


def total() -> Operation:
    a = floats(64 << 20)
    return lambda: a.sum()


def blur() -> Operation:
    a = floats(3000, 4000)
    kernel = cupy.RawKernel(r"""
        extern "C" __global__ void blur(float* to, const float* from, int width, int height) {
          const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
          if (x < 2 || y < 2 || x >= width - 2 || y >= height - 2) return;
          float sum = 0;
          for (int dy = -2; dy <= 2; ++dy)
            for (int dx = -2; dx <= 2; ++dx) sum += from[(y + dy) * width + x + dx];
          to[y * width + x] = sum / 25;
        }""", "blur")
    to = cupy.zeros_like(a)
    height, width = a.shape
    grid = (width // 32, height // 8)
    return lambda: kernel(grid, (32, 8), (to, a, cupy.int32(width), cupy.int32(height)))


MAKERS = (distance, clip_double, mean_of_rows, maximum_of_columns, transposed_copy, take, running_sum, sort, count_bins,
          where, total, blur)

if __name__ == "__main__":
    sys.exit(run_all({maker.__name__: maker for maker in MAKERS}, begin=nvtx.RangePush, end=nvtx.RangePop,
                     synchronise=cupy.cuda.Device().synchronize))
