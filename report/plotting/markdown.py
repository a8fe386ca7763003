"""The program's Markdown as HTML, for pages and notebooks: headings, tables, lists, links, time lines and paragraphs
are all there is in it."""

from __future__ import annotations

import html
import re

STYLE = "text-align:{}"
ALIGNMENTS = {"---": "left", "---:": "right", ":---": "left"}


def cells_of(line: str) -> list[str]:
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip())[1:-1]]


# Between as many backticks as begin it. One that is escaped begins none.
CODE = re.compile(r"(?<![\\`])(`+)(?!`)(.+?)(?<!`)\1(?!`)")
# Its words, and where it leads.
LINK = re.compile(r"(?<!\\)\[((?:[^\[\]\\]|\\.)+)\]\(([^()\s]+)\)")
BOLD = re.compile(r"(?<!\\)\*\*(.+?)(?<!\\)\*\*")


def plain_text(markdown: str) -> str:
    """Without the marks of code and of what is escaped."""
    return re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown.replace("`", ""))


def plain_of(markdown: str) -> str:
    plain = re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", markdown)
    return html.escape(plain).replace("&lt;br&gt;", "<br>")


def text_of(markdown: str, in_table: bool = False) -> str:
    if found := CODE.search(markdown):
        code = found.group(2).replace("\\|", "|") if in_table else found.group(2)
        code = code[1:-1] if code.startswith(" ") and code.endswith(" ") and code.strip() else code
        before, after = markdown[:found.start()], markdown[found.end():]
        return text_of(before, in_table) + f"<code>{html.escape(code)}</code>" + text_of(after, in_table)
    link = LINK.search(markdown)
    if (found := BOLD.search(markdown)) and not (link and link.start() < found.start()):
        before, after = markdown[:found.start()], markdown[found.end():]
        return text_of(before, in_table) + f"<b>{text_of(found.group(1), in_table)}</b>" + text_of(after, in_table)
    if link:
        before, after = markdown[:link.start()], markdown[link.end():]
        return plain_of(before) + link_of(text_of(link.group(1), in_table), link.group(2)) + text_of(after, in_table)
    return plain_of(markdown)


def link_of(words: str, target: str) -> str:
    """A link, or its words alone if it leads to a file, which would not be there beside a page."""
    if not re.match(r"https?://", target):
        return words
    return f'<a href="{html.escape(target)}" rel="noreferrer">{words}</a>'


ITEM = re.compile(r"( *)(-|\d+\.) (.*)")


def list_of(lines: list[str]) -> str:
    """An HTML list of two levels at most."""
    items = [found.groups() for line in lines if (found := ITEM.fullmatch(line))]
    tag = "ul" if items[0][1] == "-" else "ol"
    parts: list[str] = []
    for indent, _, text in items:
        if indent and parts:
            parts[-1] = parts[-1].removesuffix("</ul>") if parts[-1].endswith("</ul>") else parts[-1] + "<ul>"
            parts[-1] += f"<li>{text_of(text)}</li></ul>"
        else:
            parts.append(f"<li>{text_of(text)}")
    return f"<{tag}>" + "".join(part + "</li>" for part in parts) + f"</{tag}>"


def row_of(tag: str, cells: list[str], alignments: list[str]) -> str:
    parts = (f'<{tag} style="{STYLE.format(side)}">{text_of(cell, True)}</{tag}>' for cell, side in zip(cells, alignments))
    return "<tr>" + "".join(parts) + "</tr>"


def table_of(lines: list[str]) -> str:
    head, rule, *rows = (cells_of(line) for line in lines)
    alignments = [ALIGNMENTS.get(cell, "left") for cell in rule]
    body = "".join(row_of("td", row, alignments) for row in rows)
    return f"<table><thead>{row_of('th', head, alignments)}</thead><tbody>{body}</tbody></table>"


def preformatted(text: str) -> str:
    return f"<pre>{html.escape(text)}</pre>"


def split_at_tables(markdown: str) -> tuple[str, str]:
    """Splits a text into the part before the first table and its heading, without the title, and the rest. Several
    reports have a heading of the first level each, and each has both parts."""
    reports = re.split(r"^(?=# )", markdown.strip(), flags=re.MULTILINE)
    if len(reports) <= 2:  # nothing stands before the first
        return split_one(markdown)
    leads, rests = [], []
    for report in filter(None, reports):
        heading, _, text = report.partition("\n")
        lead, rest = split_one(text.strip().removeprefix("## "))  # what the report is of is no heading here
        leads.append(f"#{heading}\n\n{lead}")
        rests.append(f"#{heading}\n\n{rest}")
    return "\n\n".join(leads), "\n\n".join(rests)


def split_one(markdown: str) -> tuple[str, str]:
    blocks = re.split(r"\n\s*\n", markdown.strip())
    first = next((i for i, block in enumerate(blocks) if any(line.startswith("| ") for line in block.splitlines())),
                 len(blocks))
    headings = [i for i, block in enumerate(blocks[:first]) if i and block.startswith("#")]
    first = headings[-1] if headings and first < len(blocks) else first
    lead = blocks[1:first] if blocks[0].startswith("#") else blocks[:first]
    return "\n\n".join(lead), "\n\n".join(blocks[first:])


def from_markdown(markdown: str) -> str:
    parts = []
    for block in re.split(r"\n\s*\n", markdown.strip()):
        lines = block.splitlines()
        if lines and lines[0].startswith("#"):
            depth = len(lines[0]) - len(lines[0].lstrip("#"))
            parts.append(f"<h{depth}>{text_of(lines[0].lstrip('# '))}</h{depth}>")
            lines = lines[1:]
        if lines and lines[0].startswith("```"):
            parts.append(preformatted("\n".join(lines[1:-1])))
        elif len(lines) > 1 and lines[0].lstrip().startswith("|"):
            parts.append(table_of(lines))
        elif lines and all(ITEM.fullmatch(line) for line in lines):
            parts.append(list_of(lines))
        elif lines:
            parts.append(f"<p>{text_of(' '.join(lines))}</p>")
    return "\n".join(parts)
