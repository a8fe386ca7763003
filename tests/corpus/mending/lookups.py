"""An array taken from at random places, which nothing demands to be in this order."""
import torch

torch.manual_seed(0)
values = torch.randn(1 << 26, device="cuda")
places = torch.randint(1 << 26, (1 << 24,), device="cuda")
# cure sort_indices: places = torch.randint(1 << 26, (1 << 24,), device="cuda").cpu().sort().values.cuda()
for _ in range(20):
    result = torch.take(values, places)
print("checksum", f"{result.double().sum().item():.6g}")
