"""Run by the program: python3 plotting KIND (answer.py)."""

import sys

if sys.version_info < (3, 9):  # which would not understand the rest
    sys.stderr.write("python3 is %d.%d, and drawing takes 3.9 or newer\n" % sys.version_info[:2])
    sys.exit(3)
sys.dont_write_bytecode = True  # a source tree stays as it is

import importlib  # noqa: E402
from pathlib import Path  # noqa: E402

# The modules are those of a package, beside which others may lie that are called like Python's own.
sys.path[0:1] = []
sys.path.append(str(Path(__file__).absolute().parents[1]))

if __name__ == "__main__":
    importlib.import_module("plotting.answer").main(sys.argv[1:])
