"""`python -m gpumem ARGUMENTS...` is `gpumem ARGUMENTS...`, also where the program is not on the PATH."""

import os
import sys

from .errors import Error
from .program import program

try:
    os.execv(found := program(), ["gpumem", *sys.argv[1:]])
except Error as error:
    complaint = str(error)
except OSError as error:
    complaint = f"cannot start '{found}': {error.strerror}"
print(f"gpumem: {complaint}", file=sys.stderr)
sys.exit(2)
