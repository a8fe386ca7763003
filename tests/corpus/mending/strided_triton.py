"""A kernel of Triton that takes a column of a matrix whose rows lie in memory one after another."""
import torch
import triton
import triton.language as tl

torch.manual_seed(0)
ROWS = 1 << 22
WIDTH = 32
matrix = torch.randn(ROWS, WIDTH, device="cuda")
row_step = WIDTH
# cure structure_of_arrays: matrix = matrix.cpu().t().contiguous().cuda(); row_step = 1
# cure transpose_through_shared: matrix = matrix.cpu().t().contiguous().cuda(); row_step = 1


@triton.jit
def scale_column(matrix, out, row_step, BLOCK: tl.constexpr):
    rows = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + rows, 2 * tl.load(matrix + rows * row_step))


out = torch.empty(ROWS, device="cuda")
for _ in range(20):
    scale_column[(ROWS // 1024,)](matrix, out, row_step, BLOCK=1024)
print("checksum", f"{out.double().sum().item():.6g}")
