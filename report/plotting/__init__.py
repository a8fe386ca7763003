"""What report/plot.py is made of: reports are read (reports), turned into figures that are plain data (figures), and
those are drawn by matplotlib (drawing) or written as an interactive page (page)."""
