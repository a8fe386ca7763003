"""A figure as plain data, so that a drawing and a page show the same."""

import math
from dataclasses import dataclass, field
from typing import Dict, List, Optional, Tuple


@dataclass
class Reading:
    """One quantity of one case in its three readings. Absent is None. `low` and `high` are the 95 % interval of the
    measured median."""
    measured: Optional[float] = None
    predicted: Optional[float] = None
    counted: Optional[float] = None
    low: Optional[float] = None
    high: Optional[float] = None

    def __setattr__(self, name, value):
        """What is not finite is absent: a quotient of absurd numbers is no reading."""
        super().__setattr__(name, value if value is None or math.isfinite(value) else None)


@dataclass
class Quantity:
    """What a y axis may show. `name` identifies it, and `label` says it with its unit."""
    name: str
    label: str
    log: bool = False


@dataclass
class Point:
    """One case. `rows` are [quantity, predicted, counted, measured] as texts, for a reader who asks for this case."""
    x: float
    readings: Dict[str, Reading]
    title: str
    rows: List[List[str]]
    notes: List[str]
    flags: List[str]
    why: Optional[str]


@dataclass
class Series:
    """Cases that make one curve. `colour` and `marker` are numbers; renderers have a palette."""
    name: str
    label: str
    colour: int
    marker: int
    points: List[Point] = field(default_factory=list)


@dataclass
class Guide:
    """A limit to hold the curves against, of one quantity: a level, or a line through points."""
    quantity: str
    label: str
    level: Optional[float] = None
    points: Optional[List[Tuple[float, float]]] = None


@dataclass
class XAxis:
    """`scale` is linear, log2 or category. Ticks are (place, text); `names` has a text for every case's x."""
    label: str
    scale: str
    ticks: List[Tuple[float, str]]
    names: List[Tuple[float, str]]


@dataclass
class Panel:
    name: str
    title: str
    subtitle: str
    x: XAxis
    quantities: List[Quantity]  # the first is shown if nobody asks for another
    series: List[Series]
    guides: List[Guide]
    scatter: bool = False  # points that no curve connects


@dataclass
class Figure:
    title: str
    subtitle: str
    blocks: List[List[Panel]]  # one block per table; its panels share their series' looks
