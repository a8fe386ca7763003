"""The tables of pages that `gpumem list` fills: in docs/probes.md all probes, on the page of a family those of it.

A comment above a table says what its rows are, such as `<!-- gpumem list: global memory -->`. A probe has a place of its
own on the page of its family: a heading that names it, or an anchor. Rows stand in the order of these places.
documents.py writes the tables.
"""

import json
import re
from collections import Counter
from pathlib import Path

import harness

DOCS = Path(__file__).resolve().parents[2] / "docs"
OVERVIEW = DOCS / "probes.md"
MARK = re.compile(r"<!-- gpumem list: (.*) -->")
ALL, SHARED = "all probes", "shared axes"


def places(text):
    """{word: (its position, its anchor)}, for the words of headings and for the places that a page names."""
    found = {}
    for place in re.finditer(r'^## (.*)$|<a id="([\w-]+)"></a>', text, re.MULTILINE):
        heading, name = place.groups()
        for word in [name] if name else heading.split():
            found.setdefault(word, (place.start(), name or heading.lower().replace(" ", "-")))
    return found


def usual_defaults(probes):
    """{flag: the default that most probes give it}, of flags that several probes have."""
    defaults = {}
    for probe in probes:
        for axis in probe["axes"]:
            defaults.setdefault(axis["flag"], []).append(axis["default"])
    return {flag: Counter(given).most_common(1)[0][0] for flag, given in defaults.items() if len(given) > 1}


def cell(text):
    return text.replace("|", "\\|")


def described(axis):
    """An axis with its default, and with its unit where its name does not say it."""
    unit = axis["unit"]
    tells = unit in (None, "bytes") or unit in axis["flag"]
    return f"`{axis['flag']} {cell(axis['default'])}`" + ("" if tells else f" {unit}")


class Tables:
    def __init__(self, probes, families, pages):
        """`families` stand in the order of their rows; `pages` holds the text of each page."""
        self.page_of = {mark[1]: page for page, text in pages.items() for mark in MARK.finditer(text)}
        self.families = {family: [probe for probe in probes if probe["family"] == family] for family in families}
        self.place_of = {}
        for family, members in self.families.items():
            assert family in self.page_of, f"no page below docs/ has the line '<!-- gpumem list: {family} -->'"
            page = self.page_of[family]
            found = places(pages[page])
            for probe in members:
                assert probe["name"] in found, f"{page}: no heading '## {probe['name']}'"
                self.place_of[probe["name"]] = found[probe["name"]]
            members.sort(key=lambda probe: (self.place_of[probe["name"]][0], probe["name"]))
        _, _, shared = pages[OVERVIEW].partition(f"<!-- gpumem list: {SHARED} -->\n")
        self.shared = dict(re.findall(r"^\| `(--[\w-]+)` \| (.*) \| [^|]* \|$", shared.partition("\n\n")[0], re.MULTILINE))
        self.usual = usual_defaults(probes)

    def is_shared(self, axis):
        return axis["flag"] in self.shared and axis["default"] == self.usual.get(axis["flag"])

    def overview(self):
        lines = ["| family | probe | purpose |", "| --- | --- | --- |"]
        for family, members in self.families.items():
            page = self.page_of[family].relative_to(DOCS)
            for probe in members:
                first = f"[{family}]({page}) " if probe is members[0] else ""
                link = f"[`{probe['name']}`]({page}#{self.place_of[probe['name']][1]})"
                lines.append(f"| {first}| {link} | {cell(probe['purpose'])} |")
        return lines

    def shared_axes(self):
        """The values that an axis takes are prose, and stay."""
        lines = ["| axis | values | probes |", "| --- | --- | --- |"]
        for flag, values in self.shared.items():
            names = [f"`{probe['name']}`" for members in self.families.values() for probe in members
                     if any(axis["flag"] == flag and self.is_shared(axis) for axis in probe["axes"])]
            lines.append(f"| `{flag}` | {values} | {', '.join(names)} |")
        return lines

    def of_family(self, family):
        lines = ["| probe | axes, with their defaults |", "| --- | --- |"]
        for probe in self.families[family]:
            axes = [described(axis) for axis in probe["axes"] if not self.is_shared(axis)]
            lines.append(f"| `{probe['name']}` | {', '.join(axes)} |")
        return lines

    def rows(self, name):
        if name == ALL:
            return self.overview()
        return self.shared_axes() if name == SHARED else self.of_family(name)

    def renewed(self, text):
        for mark in MARK.finditer(text):
            before, line, after = text.partition(mark[0] + "\n")
            _, blank, after = after.partition("\n\n")
            text = before + line + "\n".join(self.rows(mark[1])) + blank + after
        return text


def listed(*arguments):
    done = harness.run("list", *arguments)
    assert done.returncode == 0, done.stderr
    return done.stdout


def files():
    """{page: its text, as it should be}."""
    probes = json.loads(listed("--json"))
    families = re.findall(r"^\w.*(?=\n  )", listed(), re.MULTILINE)
    pages = {page: page.read_text(encoding="utf-8") for page in sorted(DOCS.rglob("*.md"))}
    tables = Tables(probes, families, pages)
    return {page: tables.renewed(text) for page, text in pages.items() if MARK.search(text)}
