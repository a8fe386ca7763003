"""The program's Markdown as HTML, for notebooks: headings, tables, time lines and paragraphs are all there is in it."""

from __future__ import annotations

import html
import re

STYLE = "text-align:{}"
ALIGNMENTS = {"---": "left", "---:": "right", ":---": "left"}


def cells_of(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]


def text_of(markdown: str) -> str:
    plain = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown)
    return html.escape(plain).replace("&lt;br&gt;", "<br>")


def row_of(tag: str, cells: list[str], alignments: list[str]) -> str:
    parts = (f'<{tag} style="{STYLE.format(side)}">{text_of(cell)}</{tag}>' for cell, side in zip(cells, alignments))
    return "<tr>" + "".join(parts) + "</tr>"


def table_of(lines: list[str]) -> str:
    head, rule, *rows = (cells_of(line) for line in lines)
    alignments = [ALIGNMENTS.get(cell, "left") for cell in rule]
    body = "".join(row_of("td", row, alignments) for row in rows)
    return f"<table><thead>{row_of('th', head, alignments)}</thead><tbody>{body}</tbody></table>"


def from_markdown(markdown: str) -> str:
    parts = []
    for block in re.split(r"\n\s*\n", markdown.strip()):
        lines = block.splitlines()
        if lines and lines[0].startswith("#"):
            depth = len(lines[0]) - len(lines[0].lstrip("#"))
            parts.append(f"<h{depth}>{text_of(lines[0].lstrip('# '))}</h{depth}>")
            lines = lines[1:]
        if lines and lines[0].startswith("```"):
            parts.append(f"<pre>{html.escape(chr(10).join(lines[1:-1]))}</pre>")
        elif len(lines) > 1 and lines[0].lstrip().startswith("|"):
            parts.append(table_of(lines))
        elif lines:
            parts.append(f"<p>{text_of(' '.join(lines))}</p>")
    return "\n".join(parts)
