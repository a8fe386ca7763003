"""Operations of PyTorch by index, in order and at random, on images, and products, losses and transforms."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch_tensors import Operation, Operations, bfloat16, double, half, int32, randint, randn

OPERATIONS = Operations()
operation = OPERATIONS.operation


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
