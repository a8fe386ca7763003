"""Writes probes.py and keywords.py of the Python package from what `gpumem list` says: a function for each probe, whose
keywords are its axes, and the keywords that set the parameters. The build runs it: make_probes.py PROGRAM FOLDER"""

import json
import subprocess
import sys
import textwrap
from collections import Counter
from keyword import iskeyword
from pathlib import Path

WIDTH = 120
HEAD = '''\
"""The probes as functions, with their axes as keywords.

An axis that is not given has its default. It takes a value, or any collection of values: a list, a range, an array of
numpy, a column of pandas. A text may be a range as on the command line: "1..32*2", "4KiB..1MiB*4".

The build makes this file of what `gpumem list` says.
"""

from __future__ import annotations

from typing import Literal, NoReturn

from .arguments import Arguments, Backend, FilePath, Names, Numbers, Texts
from .commands import Counters, Device, Share
from .commands import probed as _probed
from .report import Report
'''
KEYWORDS_HEAD = '''\
"""The version of the program, and the parameters of each probe's cases that a keyword of another name sets.

The build makes this file of what `gpumem --version` and `gpumem list` say.
"""

from __future__ import annotations

KEYWORDS: dict[str, dict[str, str]] = {'''
# Keywords of every probe that say how to measure: type, default, and purpose.
OPTIONS = {
    "backend": ("Backend | None", None,
                '"cuda" measures (the default), "model" predicts, "auto" measures where there is a GPU'),
    "gpu": ("FilePath | None", None, "the profile to predict from: its name or file, or the GPU's name"),
    "device": ("Device", None,
               'the GPU to measure on: its index, UUID or PCI id; "all", or several, to measure on each at once'),
    "counters": ("Counters", None, 'whether the hardware counts too; "require" fails where it cannot'),
    "ci_width": ("Share", None, 'a case is repeated until its 95 % confidence interval is this narrow: 0.005 or "0.5%"'),
    "time_budget": ("str | None", None, 'a case is repeated no longer than that: "2s", "500ms"'),
    "numa": ('int | Literal["gpu", "off"] | None', None, "the NUMA node of the host memory of transfers"),
    "quiet": ("bool", False, "no progress and no notices"),
}


def keyword_of(flag):
    """--word-bytes is word_bytes, and --from is from_, for Python has a "from" of its own."""
    name = flag.removeprefix("--").replace("-", "_")
    return f"{name}_" if iskeyword(name) else name


def type_of(axes):
    """The type of a keyword that stands for an axis of each of several probes."""
    names = list(dict.fromkeys(name for axis in axes for name in axis["names"]))
    if any(axis["takes"] for axis in axes):
        return "Texts"
    if not names:
        return "Numbers"
    names += ["auto"] * any(axis["takes_auto"] for axis in axes)
    return f"Names[Literal[{', '.join(json.dumps(name) for name in names)}]]"


def usual_purpose(axes):
    return Counter(axis["purpose"] for axis in axes).most_common(1)[0][0]


def values_of(axis):
    """The values that an axis takes, and its default."""
    taken = axis["takes"] or ""
    if axis["numbers"]:
        taken = ", ".join(map(str, axis["numbers"]))
    elif axis["minimum"] is not None:
        taken = f"{axis['minimum']}..{axis['maximum']}"
    taken = " ".join(filter(None, [taken, axis["unit"]]))
    return "; ".join(filter(None, [taken, f"default {axis['default']}"]))


def wrapped(text, indent, **options):
    return textwrap.fill(text, WIDTH, initial_indent=indent, break_long_words=False, break_on_hyphens=False, **options)


def signature(name, parameters):
    """As many parameters in a line as fit; one that is longer than a line breaks between its names."""
    lines = ["    "]
    for parameter in parameters:
        if len(lines[-1]) > 4 and len(f"{lines[-1]}{parameter},") > WIDTH:
            lines.append("    ")
        lines[-1] += f"{parameter}, "
    wrapped_lines = (wrapped(line.strip(), " " * 4, subsequent_indent=" " * 8) for line in lines)
    return [f"def {name}(", *wrapped_lines, ") -> Report:"]


def described(keyword, purpose):
    return wrapped(f"{keyword}: {purpose}", " " * 4, subsequent_indent=" " * 8)


def function(name, first, axes, documentation, call):
    """Its source. `axes` are all axes that each of its keywords stands for."""
    parameters = [*first, "*", *(f"{keyword}: {type_of(of_keyword)} = None" for keyword, of_keyword in axes.items()),
                  *(f"{keyword}: {kind} = {default}" for keyword, (kind, default, _) in OPTIONS.items()),
                  "**unknown: NoReturn"]
    return "\n".join([*signature(name, parameters), *documentation, '    """', f"    return {call}", ""])


def function_of(probe):
    axes = {keyword_of(axis["flag"]): [axis] for axis in probe["axes"]}
    purpose = probe["purpose"][0].upper() + probe["purpose"][1:]
    documentation = [wrapped(f'"""{purpose}.', "    ", subsequent_indent="    "), "",
                     *(described(keyword, f"{axis['purpose']} ({values_of(axis)})") for keyword, (axis,) in axes.items()),
                     "", "    The rest is as for probe()."]
    return function(keyword_of(probe["name"]), [], axes, documentation, f'_probed(locals(), "{probe["name"]}")')


def general(probes):
    """The function of all of them."""
    axes = {}
    for probe in probes:
        for axis in probe["axes"]:
            axes.setdefault(keyword_of(axis["flag"]), []).append({**axis, "of": probe["name"]})
    documentation = [
        '    """Runs probes, and returns the report. The axes alone choose the probes, as on the command line.', "",
        described("arguments", 'the names of probes, or any words of `gpumem probe`: "offset stride", "--offset 0..32"'),
        *(described(keyword, purpose) for keyword, (_, _, purpose) in OPTIONS.items()),
        *(described(keyword, f"{usual_purpose(of_keyword)} ({', '.join(axis['of'] for axis in of_keyword)})")
          for keyword, of_keyword in axes.items()),
        "", "    Raises Error, with the report of what was done if anything was."]
    return function("probe", ["arguments: Arguments = ()"], axes, documentation, "_probed(locals())")


def probes_module(probes):
    return "\n\n".join([HEAD, general(probes), *map(function_of, probes)])


def keywords_module(probes, version):
    lines = []
    for probe in probes:
        keywords = {axis["parameter"]: keyword_of(axis["flag"]) for axis in probe["axes"]}
        others = {parameter: found for parameter, found in keywords.items() if found != parameter}
        lines += [f"    {json.dumps(probe['name'])}: {json.dumps(others)},"] * bool(others)
    return "\n".join([KEYWORDS_HEAD, *lines, "}", f"VERSION = {json.dumps(version)}", ""])


def main():
    program, folder = sys.argv[1], Path(sys.argv[2])
    listed, version = (subprocess.run([program, *words], stdout=subprocess.PIPE, text=True, check=True).stdout
                       for words in (("list", "--json"), ("--version",)))
    probes = json.loads(listed)
    (folder / "probes.py").write_text(probes_module(probes), encoding="utf-8")
    (folder / "keywords.py").write_text(keywords_module(probes, version.split()[1]), encoding="utf-8")


main()
