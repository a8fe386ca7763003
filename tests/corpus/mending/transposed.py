"""A sum with a transposed matrix: one of the operands is read across its rows."""
import torch

torch.manual_seed(0)
left = torch.randn(8192, 8192, device="cuda")
right = torch.randn(8192, 8192, device="cuda").t()
# cure contiguous_operand: right = torch.randn(8192, 8192, device="cuda").t().contiguous()
for _ in range(20):
    result = left + right
print("checksum", f"{result.double().sum().item():.6g}")
