#!/usr/bin/env python3
"""Executes a notebook cell after cell, and writes it anew with what each cell shows, as Jupyter would.

  python3 -m pip install '.[pandas,plots]'
  CUDA_VISIBLE_DEVICES= python3 tests/end_to_end/notebook.py docs/notebook.ipynb

Without a GPU in sight all figures are predictions, and so the same everywhere.
"""

import ast
import json
import pprint
import sys
from pathlib import Path

FORMS = {"text/html": "_repr_html_", "image/svg+xml": "_repr_svg_"}


def in_lines(text):
    return text.splitlines(keepends=True)


def shown(value):
    """The forms in which a notebook shows the value of a cell's last line, by the type of their content."""
    if value is None:
        return {}
    forms = {kind: getattr(value, method)() for kind, method in FORMS.items() if hasattr(value, method)}
    return {"text/plain": pprint.pformat(value, sort_dicts=False), **forms}


def execute(cell, names):
    """The value of its last line, if that is an expression."""
    tree = ast.parse("".join(cell["source"]))
    last = ast.Expression(tree.body.pop().value) if isinstance(tree.body[-1], ast.Expr) else None
    exec(compile(tree, "cell", "exec"), names)
    return eval(compile(last, "cell", "eval"), names) if last else None


def executed(notebook):
    names, count = {}, 0
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        count += 1
        data = {kind: in_lines(text) for kind, text in shown(execute(cell, names)).items()}
        result = {"data": data, "execution_count": count, "metadata": {}, "output_type": "execute_result"}
        cell.update(execution_count=count, outputs=[result] if data else [])
    return notebook


if __name__ == "__main__":
    path = Path(sys.argv[1])
    done = executed(json.loads(path.read_text(encoding="utf-8")))
    path.write_text(json.dumps(done, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
