"""The parts of report/plot.py and report/prediction.py. Reports are read (reports) and turned into figures that are
plain data (figures, prediction.py). Figures are drawn by matplotlib (drawing) or written as a page (page)."""
