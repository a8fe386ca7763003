"""Colours that colour-blind readers tell apart too (Okabe and Ito), and markers, so that nobody needs the colours."""

COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7a5195", "#555555")
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
HATCHES = ("", "///", "...", "xxx", "\\\\\\", "---", "ooo", "***")  # of bars, which have no markers
INK, MUTED = "#222222", "#6b6b6b"
LETTERS_PER_INCH = 11.0  # of the size that most texts have
