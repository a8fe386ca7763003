"""gpumem: how a GPU's memory behaves, measured and predicted.

    import gpumem
    report = gpumem.probe(offset=range(33), op=["read", "write"])  # runs the program; shows itself in a notebook
    report.frame()                                                 # a row per case, in pandas
    report.plot()                                                  # the curves
    report.explain(offset=1)                                       # why a case is as fast as it is
    gpumem.check("smoke").passed
    gpumem.expect("h200", "l40s")                                  # what GPUs should reach, in pandas
    gpumem.run(["python3", "train.py"])                            # the kernels of any program that uses CUDA
    gpumem.read("reports/")                                        # saved reports, as one frame

Everything is done by the program `gpumem`, which is installed with this module; its manual and docs/ say what a report
holds. Every failure raises gpumem.Error, with the program's one line and its exit code.
"""

from __future__ import annotations

from . import probes
from .commands import calibrate, check, compare, devices, expect, portrait, run
from .errors import Error
from .keywords import VERSION as __version__
from .plot import Plot
from .probes import probe
from .program import program
from .report import Report, read
from .results import Comparison, Portrait

__all__ = ["Comparison", "Error", "Plot", "Portrait", "Report", "__version__", "calibrate", "check", "compare", "devices",
           "expect", "portrait", "probe", "probes", "program", "read", "run"]
