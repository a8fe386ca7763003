"""The parts of matplotlib that drawings use. They are imported in one place, because matplotlib may be missing, and old
versions have no types."""

import matplotlib  # type: ignore[import,unused-ignore]
from matplotlib.artist import Artist  # type: ignore[import,unused-ignore]
from matplotlib.axes import Axes  # type: ignore[import,unused-ignore]
from matplotlib.figure import Figure as Canvas  # type: ignore[import,unused-ignore]
from matplotlib.gridspec import SubplotSpec  # type: ignore[import,unused-ignore]
from matplotlib.layout_engine import ConstrainedLayoutEngine  # type: ignore[import,unused-ignore]
from matplotlib.lines import Line2D  # type: ignore[import,unused-ignore]
from matplotlib.patches import Patch, Rectangle  # type: ignore[import,unused-ignore]
from matplotlib.ticker import LogLocator, NullLocator  # type: ignore[import,unused-ignore]
from matplotlib.transforms import ScaledTranslation  # type: ignore[import,unused-ignore]

__all__ = ["Artist", "Axes", "Canvas", "ConstrainedLayoutEngine", "Line2D", "LogLocator", "NullLocator", "Patch",
           "Rectangle", "ScaledTranslation", "SubplotSpec", "matplotlib"]
