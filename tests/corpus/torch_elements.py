"""Operations of PyTorch on whole tensors: element by element, reductions, norms, copies and layouts."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch_tensors import Operation, Operations, bfloat16, double, half, int32, randint, randn

OPERATIONS = Operations()
operation = OPERATIONS.operation


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
