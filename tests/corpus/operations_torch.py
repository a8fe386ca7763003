#!/usr/bin/env python3
"""Operations of PyTorch of many kinds, for `gpumem run`: what its kernels are predicted to take, and what they take.

    gpumem run --max-overhead 300% --output torch.json -- python3 tests/corpus/operations_torch.py
"""

from __future__ import annotations

import sys
from typing import Any, Callable

import torch
import torch.nn.functional as F
from operations import run_all

Operation = Callable[[], Any]
OPERATIONS: dict[str, Callable[[], Operation]] = {}

half, bfloat16, double, int32, int64 = torch.half, torch.bfloat16, torch.double, torch.int32, torch.int64


def operation(maker: Callable[[], Operation]) -> Callable[[], Operation]:
    """Enters a function that makes the operation's tensors and returns the operation."""
    OPERATIONS[maker.__name__] = maker
    return maker


def randn(*shape: int, dtype: torch.dtype = torch.float) -> torch.Tensor:
    return torch.randn(*shape, device="cuda", dtype=torch.float).to(dtype)


def randint(high: int, *shape: int, dtype: torch.dtype = int64) -> torch.Tensor:
    return torch.randint(0, high, shape, device="cuda", dtype=dtype)


# ---- Element by element

@operation
def subtract_float() -> Operation:
    a, b = randn(5000, 6000), randn(5000, 6000)
    return lambda: a - b


@operation
def multiply_half() -> Operation:
    a, b = randn(48 << 20, dtype=half), randn(48 << 20, dtype=half)
    return lambda: a * b


@operation
def divide_double() -> Operation:
    a, b = randn(12 << 20, dtype=double), randn(12 << 20, dtype=double)
    return lambda: a / b


@operation
def tanh_bfloat16() -> Operation:
    a = randn(40 << 20, dtype=bfloat16)
    return lambda: torch.tanh(a)


@operation
def hardswish() -> Operation:
    a = randn(64, 128, 60, 60)
    return lambda: F.hardswish(a)


@operation
def power() -> Operation:
    a = randn(20 << 20).abs()
    return lambda: a ** 1.7


@operation
def erf_double() -> Operation:
    a = randn(6 << 20, dtype=double)
    return lambda: torch.erf(a)


@operation
def clamp_int() -> Operation:
    a = randint(1000, 30 << 20, dtype=int32)
    return lambda: a.clamp(100, 900)


@operation
def remainder_int() -> Operation:
    a = randint(1 << 20, 10 << 20)
    return lambda: a % 37


@operation
def compare() -> Operation:
    a, b = randn(30 << 20), randn(30 << 20)
    return lambda: a < b


@operation
def add_row() -> Operation:
    a, row = randn(12000, 3000), randn(3000)
    return lambda: a + row


@operation
def add_column() -> Operation:
    a, column = randn(12000, 3000), randn(12000, 1)
    return lambda: a + column


@operation
def add_transposed() -> Operation:
    a, b = randn(5120, 5120), randn(5120, 5120)
    return lambda: a + b.t()


@operation
def multiply_add_in_place() -> Operation:
    a, b, c = randn(16 << 20), randn(16 << 20), randn(16 << 20)
    return lambda: a.addcmul_(b, c, value=1e-3)


@operation
def small_add() -> Operation:
    a, b = randn(1 << 20), randn(1 << 20)
    return lambda: a + b


# ---- Reductions

@operation
def sum_rows() -> Operation:
    a = randn(20000, 2000)
    return lambda: a.sum(1)


@operation
def sum_columns() -> Operation:
    a = randn(20000, 2000)
    return lambda: a.sum(0)


@operation
def sum_middle() -> Operation:
    a = randn(96, 700, 512)
    return lambda: a.sum(1)


@operation
def sum_half_to_float() -> Operation:
    a = randn(60 << 20, dtype=half)
    return lambda: a.sum(dtype=torch.float)


@operation
def minimum_of_columns() -> Operation:
    a = randn(9000, 3500)
    return lambda: a.min(0)


@operation
def variance_of_short_rows() -> Operation:
    a = randn(400000, 65)
    return lambda: a.var(1)


@operation
def any_bool() -> Operation:
    a = randint(2, 8000, 9000).bool()
    return lambda: a.any(1)


@operation
def logsumexp() -> Operation:
    a = randn(4096, 10000)
    return lambda: torch.logsumexp(a, 1)


@operation
def norm_all() -> Operation:
    a = randn(50 << 20)
    return lambda: torch.linalg.vector_norm(a)


# ---- Softmax and norms

@operation
def softmax_long_rows() -> Operation:
    a = randn(512, 50257, dtype=half)
    return lambda: F.softmax(a, -1)


@operation
def softmax_short_rows() -> Operation:
    a = randn(300000, 96)
    return lambda: F.softmax(a, -1)


@operation
def softmax_first_dimension() -> Operation:
    a = randn(1500, 16000)
    return lambda: F.softmax(a, 0)


@operation
def layer_norm_narrow() -> Operation:
    a, weight, bias = randn(50000, 768, dtype=bfloat16), randn(768, dtype=bfloat16), randn(768, dtype=bfloat16)
    return lambda: F.layer_norm(a, (768,), weight, bias)


@operation
def layer_norm_backward() -> Operation:
    a = randn(16384, 2048).requires_grad_()
    weight = randn(2048).requires_grad_()
    out, gradient = F.layer_norm(a, (2048,), weight), randn(16384, 2048)
    return lambda: torch.autograd.grad(out, (a, weight), gradient, retain_graph=True)


@operation
def batch_norm_evaluation() -> Operation:
    a, mean, variance = randn(48, 96, 96, 96), randn(96), randn(96).abs()
    return lambda: F.batch_norm(a, mean, variance, training=False)


@operation
def instance_norm() -> Operation:
    a = randn(16, 32, 200, 200)
    return lambda: F.instance_norm(a)


# ---- Copies and layouts

@operation
def copy_double() -> Operation:
    a = randn(20 << 20, dtype=double)
    return lambda: a.clone()


@operation
def float_to_bfloat16() -> Operation:
    a = randn(40 << 20)
    return lambda: a.to(bfloat16)


@operation
def int_to_float() -> Operation:
    a = randint(1000, 20 << 20)
    return lambda: a.float()


@operation
def transpose_tall() -> Operation:
    a = randn(500000, 60)
    return lambda: a.t().contiguous()


@operation
def transpose_batch_half() -> Operation:
    a = randn(64, 640, 1000, dtype=half)
    return lambda: a.transpose(1, 2).contiguous()


@operation
def heads_to_front() -> Operation:
    a = randn(24, 1024, 12, 64, dtype=bfloat16)
    return lambda: a.transpose(1, 2).contiguous()


@operation
def channels_last() -> Operation:
    a = randn(32, 96, 90, 90)
    return lambda: a.contiguous(memory_format=torch.channels_last)


@operation
def every_third_column() -> Operation:
    a = randn(10000, 6000)
    return lambda: a[:, ::3].contiguous()


@operation
def concatenate_rows() -> Operation:
    parts = [randn(1000 + 100 * i, 2048) for i in range(8)]
    return lambda: torch.cat(parts)


@operation
def repeat() -> Operation:
    a = randn(2000, 1500)
    return lambda: a.repeat(3, 4)


@operation
def flip_rows() -> Operation:
    a = randn(8000, 4000)
    return lambda: a.flip(1)


@operation
def pad_reflected() -> Operation:
    a = randn(32, 48, 128, 128)
    return lambda: F.pad(a, (3, 3, 3, 3), mode="reflect")


@operation
def unfold_patches() -> Operation:
    a = randn(16, 32, 112, 112)
    return lambda: F.unfold(a, 3)


# ---- Indices

@operation
def take_rows() -> Operation:
    a, rows = randn(200000, 200), randint(200000, 80000)
    return lambda: a[rows]


@operation
def take_columns() -> Operation:
    a, columns = randn(6000, 5000), randint(5000, 2500)
    return lambda: a[:, columns]


@operation
def take_elements() -> Operation:
    a, places = randn(60 << 20), randint(60 << 20, 6 << 20)
    return lambda: torch.take(a, places)


@operation
def gather_last() -> Operation:
    a, places = randn(5000, 4000), randint(4000, 5000, 800)
    return lambda: a.gather(1, places)


@operation
def scatter_into_rows() -> Operation:
    a, places, source = torch.zeros(5000, 4000, device="cuda"), randint(4000, 5000, 800), randn(5000, 800)
    return lambda: a.scatter_(1, places, source)


@operation
def add_at_indices() -> Operation:
    a, places, source = torch.zeros(100000, 64, device="cuda"), randint(100000, 300000), randn(300000, 64)
    return lambda: a.index_add_(0, places, source)


@operation
def embedding_half() -> Operation:
    table, words = randn(50257, 1024, dtype=half), randint(50257, 16, 1024)
    return lambda: F.embedding(words, table)


@operation
def embedding_bag() -> Operation:
    table, words = randn(500000, 64), randint(500000, 20000, 20)
    return lambda: F.embedding_bag(words, table, mode="sum")


@operation
def choose_masked() -> Operation:
    a, mask = randn(16 << 20), randint(3, 16 << 20) == 0
    return lambda: a[mask]


# ---- Order

@operation
def sort_rows() -> Operation:
    a = randn(2000, 1000)
    return lambda: a.sort(1)


@operation
def sort_int() -> Operation:
    a = randint(1 << 30, 6 << 20, dtype=int32)
    return lambda: a.sort()


@operation
def top_5() -> Operation:
    a = randn(3000, 20000)
    return lambda: a.topk(5, 1)


@operation
def running_sum() -> Operation:
    a = randn(30 << 20)
    return lambda: a.cumsum(0)


@operation
def running_product_of_columns() -> Operation:
    a = randn(2500, 6000)
    return lambda: a.cumprod(0)


@operation
def search_sorted() -> Operation:
    edges, a = randn(100000).sort().values, randn(8 << 20)
    return lambda: torch.searchsorted(edges, a)


# ---- Random numbers

@operation
def normal() -> Operation:
    a = torch.empty(24 << 20, device="cuda")
    return lambda: a.normal_()


@operation
def bernoulli_half() -> Operation:
    a = torch.empty(24 << 20, device="cuda", dtype=half)
    return lambda: a.bernoulli_(0.3)


@operation
def dropout_bfloat16() -> Operation:
    a = randn(32 << 20, dtype=bfloat16)
    return lambda: F.dropout(a, 0.2)


# ---- Images

@operation
def max_pool_overlapping() -> Operation:
    a = randn(32, 64, 120, 120)
    return lambda: F.max_pool2d(a, 3, 2, 1)


@operation
def average_pool_all() -> Operation:
    a = randn(128, 512, 20, 20)
    return lambda: F.adaptive_avg_pool2d(a, 1)


@operation
def resize_bicubic() -> Operation:
    a = randn(8, 16, 200, 200)
    return lambda: F.interpolate(a, size=(450, 450), mode="bicubic")


@operation
def resize_nearest_channels_last() -> Operation:
    a = randn(16, 64, 100, 100).contiguous(memory_format=torch.channels_last)
    return lambda: F.interpolate(a, scale_factor=2)


@operation
def sample_grid() -> Operation:
    a, grid = randn(16, 24, 160, 160), randn(16, 160, 160, 2).clamp(-1, 1)
    return lambda: F.grid_sample(a, grid, align_corners=False)


# ---- Matrix products, convolutions, attention

@operation
def product_of_small_floats() -> Operation:
    a, b = randn(700, 900), randn(900, 500)
    return lambda: a @ b


@operation
def product_half() -> Operation:
    a, b = randn(3000, 5000, dtype=half), randn(5000, 2500, dtype=half)
    return lambda: a @ b


@operation
def product_double() -> Operation:
    a, b = randn(1500, 1500, dtype=double), randn(1500, 1500, dtype=double)
    return lambda: a @ b


@operation
def product_thin() -> Operation:
    a, b = randn(200000, 64), randn(64, 16)
    return lambda: a @ b


@operation
def product_of_batches() -> Operation:
    a, b = randn(20000, 24, 24), randn(20000, 24, 24)
    return lambda: torch.bmm(a, b)


@operation
def matrix_times_vector_half() -> Operation:
    a, x = randn(12000, 8000, dtype=half), randn(8000, dtype=half)
    return lambda: a @ x


@operation
def linear_with_bias() -> Operation:
    a, weight, bias = randn(8192, 1024, dtype=bfloat16), randn(3072, 1024, dtype=bfloat16), randn(3072, dtype=bfloat16)
    return lambda: F.linear(a, weight, bias)


@operation
def convolution_half() -> Operation:
    a, weight = randn(32, 64, 64, 64, dtype=half), randn(128, 64, 3, 3, dtype=half)
    return lambda: F.conv2d(a, weight, padding=1)


@operation
def convolution_along_line() -> Operation:
    a, weight = randn(32, 64, 8000), randn(64, 64, 5)
    return lambda: F.conv1d(a, weight)


@operation
def convolution_of_channels() -> Operation:
    a, weight = randn(32, 144, 56, 56), randn(144, 1, 5, 5)
    return lambda: F.conv2d(a, weight, padding=2, groups=144)


@operation
def attention() -> Operation:
    q, k, v = (randn(4, 12, 2000, 64, dtype=half) for _ in range(3))
    return lambda: F.scaled_dot_product_attention(q, k, v)


@operation
def attention_float() -> Operation:
    q, k, v = (randn(4, 8, 800, 48) for _ in range(3))
    return lambda: F.scaled_dot_product_attention(q, k, v)


# ---- Losses, optimizers, transforms

@operation
def cross_entropy() -> Operation:
    scores, target = randn(4096, 16000), randint(16000, 4096)
    return lambda: F.cross_entropy(scores, target)


@operation
def smooth_loss() -> Operation:
    a, b = randn(20 << 20), randn(20 << 20)
    return lambda: F.smooth_l1_loss(a, b)


def parameters() -> list[torch.nn.Parameter]:
    """As of a small network: a few large ones and many small ones, with gradients."""
    made = [torch.nn.Parameter(randn(2048, 2048)) for _ in range(4)]
    made += [torch.nn.Parameter(randn(2048)) for _ in range(12)]
    for parameter in made:
        parameter.grad = torch.randn_like(parameter)
    return made


@operation
def adam_one_by_one() -> Operation:
    return torch.optim.Adam(parameters(), foreach=False).step


@operation
def adagrad() -> Operation:
    return torch.optim.Adagrad(parameters(), foreach=True).step


@operation
def sgd_fused() -> Operation:
    return torch.optim.SGD(parameters(), lr=1e-3, momentum=0.9, fused=True).step


@operation
def clip_gradients() -> Operation:
    made = parameters()
    return lambda: torch.nn.utils.clip_grad_norm_(made, 1.0)


@operation
def transform_real() -> Operation:
    a = randn(4000, 4096)
    return lambda: torch.fft.rfft(a)


@operation
def transform_plane() -> Operation:
    a = torch.complex(randn(16, 1000, 1000), randn(16, 1000, 1000))
    return lambda: torch.fft.fft2(a)


if __name__ == "__main__":
    torch.manual_seed(1)
    sys.exit(run_all(OPERATIONS, begin=torch.cuda.nvtx.range_push, end=torch.cuda.nvtx.range_pop,
                     synchronise=torch.cuda.synchronize))
