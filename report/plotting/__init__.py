"""What report/plot.py and report/prediction.py are made of: reports are read (reports), turned into figures that are
plain data (figures, prediction.py), and those are drawn by matplotlib (drawing) or written as a page (page)."""
