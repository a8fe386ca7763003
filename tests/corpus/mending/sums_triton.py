"""Sums by one atomic for each element, in a kernel of Triton that could add up in its block first."""
import torch
import triton
import triton.language as tl

ELEMENTS = 1 << 24
values = torch.ones(ELEMENTS, device="cuda")
total = torch.zeros(1, device="cuda")


@triton.jit
def add_up(values, total, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.atomic_add(total + places * 0, tl.load(values + places))
    # cure combine_in_block: tl.atomic_add(total, tl.sum(tl.load(values + places)))


for _ in range(5):
    add_up[(ELEMENTS // 1024,)](values, total, BLOCK=1024)
print("checksum", f"{min(total.item(), 1.6e7):.3g}")
