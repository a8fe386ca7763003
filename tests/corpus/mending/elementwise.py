"""Operations on each element, one after another: each reads from memory what the last one wrote."""
import torch
import triton
import triton.language as tl

torch.manual_seed(0)
values = torch.randn(1 << 26, device="cuda")


@triton.jit
def smooth_kernel(values, out, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(values + places)
    tl.store(out + places, tl.sigmoid(x * 1.5 + 0.5) * x - 0.25)


def in_one_kernel(x):
    out = torch.empty_like(x)
    smooth_kernel[(x.numel() // 1024,)](x, out, BLOCK=1024)
    return out


def smooth(x):
    return torch.sigmoid(x * 1.5 + 0.5) * x - 0.25


step = smooth
# cure fuse_kernels: step = in_one_kernel
for _ in range(20):
    result = step(values)
print("checksum", f"{result.double().sum().item():.5g}")
