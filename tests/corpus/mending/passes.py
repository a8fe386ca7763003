"""Four operations on each element, each another kernel that reads from memory what the last one wrote."""
import torch
import triton
import triton.language as tl

torch.manual_seed(0)
values = torch.randn(1 << 26, device="cuda")


@triton.jit
def in_registers(values, out, BLOCK: tl.constexpr):
    places = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    x = tl.abs(tl.load(values + places)) + 0.5
    y = tl.sqrt(x) * 1.5
    tl.store(out + places, y)


def in_one_kernel(x):
    out = torch.empty_like(x)
    in_registers[(x.numel() // 1024,)](x, out, BLOCK=1024)
    return out


def one_after_another(x):
    return torch.sqrt(torch.abs(x) + 0.5) * 1.5


step = one_after_another
# cure fuse_kernels: step = in_one_kernel
for _ in range(20):
    result = step(values)
print("checksum", f"{result.double().sum().item():.5g}")
