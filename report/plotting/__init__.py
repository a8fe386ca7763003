"""The parts that draw for the program, report/prediction.py and the Python package. Reports are read (reports) and turned
into figures that are plain data (figures, prediction.py). Figures are drawn by matplotlib (drawing) or written as a
page (page)."""
