"""A program that "launches kernels" through tests/program/watch/callers/launches_library.cpp: launching.py LIBRARIES FOLDER
Its kernels are named after what asks for them. Lines that are asked for are marked, and test_callers.py finds them."""

import ctypes
import sys
import threading
from pathlib import Path

libraries = Path(sys.argv[1])
ADDRESS = 0x7F00_0000_0000
MIB = 1 << 20
ctypes.CDLL(str(libraries / "libc10.so"), ctypes.RTLD_GLOBAL)
framework = ctypes.CDLL(str(libraries / "libc10_cuda.so"))
gpumem = ctypes.CDLL(str(libraries / "gpumem_launches.so"))
torch = ctypes.CDLL(str(libraries / "libtorch_cpu.so"))
extension = ctypes.CDLL(str(libraries / "extension.so"))
unsigned = ctypes.c_uint64
gpumem.launch.argtypes = [ctypes.c_char_p, unsigned]
gpumem.allocate.argtypes = [unsigned, unsigned]
gpumem.give_back.argtypes = [unsigned]
framework.framework_allocate.argtypes = [unsigned, ctypes.c_int64]
framework.framework_give_back.argtypes = [unsigned, ctypes.c_int64]
extension.run_scale.argtypes = [ctypes.c_void_p, unsigned]

assert gpumem.begin(sys.argv[2].encode())


# A package's code, called by the program's: the line to be found is the program's.
package = {"__name__": "package.layers", "gpumem": gpumem, "make": framework.framework_allocate}
exec(compile("def forward(name, address):\n    gpumem.launch(name, address)\n\n"
             "def empty(address, size):\n    make(address, size)\n",
             "/somewhere/lib/python3.12/site-packages/package/layers.py", "exec"), package)
# Code as torch.compile generates it, called in the place of the function that it compiled.
generated = {"__name__": "generated", "gpumem": gpumem}
exec(compile("def call(name, address):\n    gpumem.launch(name, address)\n",
             "/tmp/torchinductor_root/ab/cab12.py", "exec"), generated)


class Model:
    def forward(self, address):
        package["forward"](b"packaged", address)  # line: packaged

    def compiled(self, address):
        generated["call"](b"compiled", address)  # line: compiled


def first_place():
    gpumem.launch(b"several", ADDRESS)  # line: several


def second_place():
    gpumem.launch(b"several", ADDRESS)


def größe():
    gpumem.launch("größe".encode(), ADDRESS)  # line: größe


def deep(depth):
    return deep(depth - 1) if depth else gpumem.launch(b"deep", ADDRESS)  # line: deep


package["empty"](ADDRESS, 64 * MIB)  # line: tensor
framework.framework_allocate(ADDRESS + 64 * MIB, 1 * MIB)
gpumem.allocate(ADDRESS + 256 * MIB, 512 * MIB)  # line: buffer
model = Model()
model.forward(ADDRESS + 4096)
model.compiled(ADDRESS + 63 * MIB)
for _ in range(3):
    first_place()
second_place()
größe()
deep(400)
gpumem.launch(b"of_driver", ADDRESS + 257 * MIB)
gpumem.launch(b"of_nobody", ADDRESS + 4096 * MIB)
framework.framework_give_back(ADDRESS + 64 * MIB, 1 * MIB)
gpumem.launch(b"given_back", ADDRESS + 64 * MIB)
extension.run_scale(ctypes.cast(gpumem.launch, ctypes.c_void_p), ADDRESS)  # line: extension
# An operator's launch comes without Python in between.
launch_alone = ctypes.cast(gpumem.launch_operator, ctypes.c_void_p)
torch.call_linear(launch_alone)  # line: operator
torch.call_backward(ctypes.cast(gpumem.launch_backward, ctypes.c_void_p))
# In a thread that Python knows, and in one that it does not.
thread = threading.Thread(target=lambda: gpumem.launch(b"threaded", ADDRESS))  # line: threaded
thread.start()
thread.join()
gpumem.launch_in_thread(ctypes.cast(torch.call_backward, ctypes.c_void_p))
framework.framework_churn.argtypes = [unsigned, ctypes.c_int]
assert framework.framework_churn(ADDRESS + 1024 * MIB, 10) is not None
print(ctypes.CDLL(str(libraries / "libc10.so")).reports())
