"""Steps of a PyTorch program with three faults that cost memory bandwidth. Each is mended in one line, which an argument
does here: python3 three_faults.py layout order columns"""
import sys

import torch

mended = sys.argv[1:]
side, count = 8192, 1 << 24
torch.manual_seed(0)


def make_weights():
    weights = torch.randn(side, side, device="cuda")
    return weights.t().contiguous().t() if "layout" in mended else weights


def make_order():
    order = torch.randint(1 << 26, (count,), device="cuda")
    return order.sort().values if "order" in mended else order


def make_columns():
    samples = torch.randn(1 << 16, 4096, device="cuda")
    return samples[:, ::4].contiguous() if "columns" in mended else samples[:, ::4]


def step(weights, bias, table, order, columns):
    scaled = weights.t() + bias
    looked_up = table[order]
    clipped = columns * 2
    return scaled.sum() + looked_up.sum() + clipped.sum()


weights, bias = make_weights(), torch.randn(side, side, device="cuda")
table, order = torch.randn(1 << 26, device="cuda"), make_order()
columns = make_columns()
for _ in range(20):
    result = step(weights, bias, table, order, columns)
print(f"{result.item():.4g}")
