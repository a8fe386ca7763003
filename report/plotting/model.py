"""A figure as plain data, so that a drawing and a page show the same."""

import math
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Hashable, Iterable, List, Optional, Tuple, TypeVar

READINGS = ("predicted", "measured", "counted")  # in the order drawn
# Colours that colour-blind readers tell apart too (Okabe and Ito), and markers, so that nobody needs the colours.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a5195", "#555555")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
INK = "#222222"
Tick = Tuple[float, str]  # a place on an axis, and what it is called
Item = TypeVar("Item")
Key = TypeVar("Key", bound=Hashable)
AROUND_AREAS = 1.6, 1.4  # room that a logarithmic axis leaves below and above points with areas, as factors


@dataclass
class Reading:
    """One quantity of one case in its three readings. Absent is None. `ci95_low` and `ci95_high` are the interval of
    the measured median."""
    measured: Optional[float] = None
    predicted: Optional[float] = None
    counted: Optional[float] = None
    ci95_low: Optional[float] = None
    ci95_high: Optional[float] = None

    def __setattr__(self, name: str, value: Any) -> None:
        """Stores None for a number that is not finite: a quotient of absurd numbers is no reading."""
        super().__setattr__(name, value if not isinstance(value, float) or math.isfinite(value) else None)

    def known(self) -> List[float]:
        """All values that are known, measured or not."""
        return [value for value in (getattr(self, name) for name in READINGS) if value is not None]

    def each(self, change: Callable[[float], float]) -> "Reading":
        """With `change` made to all that is known."""
        return Reading(*(None if value is None else change(value) for value in
                         (self.measured, self.predicted, self.counted, self.ci95_low, self.ci95_high)))

    def times(self, factor: float) -> "Reading":
        return self.each(lambda value: value * factor)


@dataclass
class Quantity:
    """A quantity that a y axis may show. `name` identifies it, and `label` is its title with its unit. Panels that are
    to be compared have one scale: `low` and `high` are the least and the most in any of them."""
    name: str
    label: str
    log: bool = False
    low: Optional[float] = None
    high: Optional[float] = None
    exact: Optional[bool] = None  # the axis ends at these two, and not a little beyond, or at 0
    together: Optional[Tuple[float, float]] = None  # of panels of other reports too, to which readers may go over


@dataclass
class Point:
    """One case. `rows` are [quantity, predicted, counted, measured] as texts, for a reader who asks for this case."""
    x: float
    readings: Dict[str, Reading]
    title: str
    rows: List[List[str]] = field(default_factory=list)
    notes: List[str] = field(default_factory=list)
    flags: List[str] = field(default_factory=list)
    why: Optional[str] = None
    label: Optional[str] = None  # written beside it, on a side of it: right, left, above or below
    label_side: Optional[str] = None
    share: Optional[float] = None  # of a whole, which its area shows
    reach: Dict[str, float] = field(default_factory=dict)  # where a line up from it ends, in each quantity
    beyond: Optional[bool] = None  # the panel's band, with all of its interval
    apart: Optional[bool] = None  # from the point before: between them lie others, of which nothing is known


def radius(point: Point) -> float:
    """In points of print, so that the area is the point's share; the smallest are still seen."""
    return max(2.4, 20 * math.sqrt(max(0, min(1, point.share or 0))))


@dataclass
class Series:
    """Cases that make one curve. `colour` and `marker` are numbers; renderers have a palette."""
    name: str
    label: str
    colour: int
    marker: int
    points: List[Point] = field(default_factory=list)
    thin: bool = False  # what joins its points is less than a curve, or its bars are behind others


@dataclass(frozen=True)
class Guide:
    """A mark to compare the curves with: a level of one quantity, a line through points, or a place on the x axis. A
    line may have a level too, up to which the axis is to reach."""
    label: str
    quantity: Optional[str] = None
    level: Optional[float] = None
    points: Optional[List[Tuple[float, float]]] = None
    x: Optional[float] = None
    at_left: Optional[bool] = None  # where a level has its words, because curves come near it on the right


@dataclass
class XAxis:
    """`scale` is linear, log2, log10 or category. Ticks are (place, text); `names` has a text for every case's x."""
    label: str
    scale: str
    ticks: List[Tick]
    names: List[Tick]
    low: Optional[float] = None  # where it begins and ends, if several panels share that
    high: Optional[float] = None


@dataclass
class BankGrid:
    """A tile of shared memory by rows of cells: the bank of each, and (row, cell, wavefront) of those that a request
    accesses. A cell has so many elements of a row `together`, those of a word. `ticks` are of rows."""
    rows: List[List[int]]
    marks: List[Tuple[int, int, int]]
    ticks: List[Tick]
    together: int
    text: str  # the request in words


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
    wide: bool = False  # has a row for itself
    matrix: bool = False  # its series are rows, the places on its x axis columns
    stacked: Optional[float] = None  # bars that stand on each other, and how wide they are on the x axis
    sideways: bool = False  # bars from left to right, over each other, their labels above them
    base: Optional[float] = None  # where sideways bars begin, if not at 0
    band: Optional[Tuple[float, float]] = None  # values of the first quantity between which a change is noise
    between: str = "of"  # the word between the numbers of sideways bars, the front one's first
    area: Optional[str] = None  # what its points' shares are
    reach: Optional[str] = None  # what the lines up from its points say
    grid: Optional[BankGrid] = None  # drawn instead of series
    place: Optional[Tuple[int, int]] = None  # its line and column, from 0 on, where reports stand side by side


@dataclass
class Block:
    """The panels of one table, which share their series' looks. If there are several panels, title and subtitle say
    what they have in common. If there is one, they are empty, because the panel says it."""
    panels: List[Panel]
    title: str = ""
    subtitle: str = ""
    notes: List[str] = field(default_factory=list)  # what its cases show together
    about: str = ""  # what the table is about, the same in every report
    columns: Optional[int] = None  # if reports stand side by side, which only a page draws


@dataclass(frozen=True)
class Span:
    """A stage at work, in the unit of its time line."""
    lane: str
    stage: str
    start: float
    end: float


@dataclass
class TimeLine:
    """The times at which the parts of one case ran. Only a page draws it."""
    name: str
    title: str
    subtitle: str
    label: str  # of the time, with its unit
    lanes: List[str]
    stages: List[str]
    spans: List[Span]


@dataclass
class Figure:
    title: str
    subtitle: str
    blocks: List[Block]
    timelines: List[TimeLine] = field(default_factory=list)
    said: List[str] = field(default_factory=list)  # of all of it, in a line each


def grouped(items: Iterable[Item], key: Callable[[Item], Key]) -> Dict[Key, List[Item]]:
    """{key: the items that have it}, in the order of the first of each."""
    groups: Dict[Key, List[Item]] = {}
    for item in items:
        groups.setdefault(key(item), []).append(item)
    return groups
