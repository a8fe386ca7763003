"""The tools as functions: each calls the program, and answers in at most 1,500 tokens. Each raises Error with one line."""

from __future__ import annotations

import math
import shlex
import shutil
import tempfile
from pathlib import Path
from typing import Any, NamedTuple, Union

from ..arguments import flags
from ..errors import Error
from ..program import complaint_in
from ..report import Document, Report
from . import kernels
from .answers import LEFT_OUT, answer, cut, number, percent, seconds, several
from .calls import called, name_of, report_of, saved

QUICK_SECONDS = 120.0  # for what reads files or computes
MEASURING_SECONDS = 600.0
OUTPUT_BYTES = 300  # of a program's own output
MOST_KERNELS = 10  # in a line each
MOST_SKIPPED = 5
# Options of `gpumem probe` that would measure, write files, or read what an axis is not.
NO_AXES = {"backend", "gpu", "device", "counters", "config", "output", "format", "dry_run", "quiet", "help", "color", "numa"}
Axis = Union[int, str, list[int], list[str]]


def predict_pattern(gpu: str, pattern: str | None = None, axes: dict[str, Axis] | None = None,
                    timeout_seconds: float = QUICK_SECONDS) -> str:
    """Predicts what an access pattern costs on a GPU: sectors and wavefronts per request, bandwidth and what limits it.
    Nothing is measured, and no GPU is needed.

    gpu: a profile, such as h100, h200, a100-80gb, l40s, b200. pattern: the index that thread i accesses, in elements,
    as an expression such as "i * 3 ^ 5" or "i / 32 * 64 + i % 32"; with axes {"rows": 32} it is of a tile in shared
    memory, over row, column and pitch. axes: options of `gpumem probe`, with or without a pattern, such as
    {"stride": "1..32*2", "op": ["read", "write"], "word_bytes": 4}.
    """
    given = {name.lstrip("-").replace("-", "_"): value for name, value in (axes or {}).items()}
    if wrong := sorted(NO_AXES & given.keys()):
        raise Error(f"axes: '{wrong[0]}' is no axis of a prediction; gpu names the GPU, and 'gpumem list' the axes", 2)
    if pattern is not None:
        given["pattern"] = pattern
    if not given:
        raise Error('nothing to predict: give a pattern such as "i * 2", or axes such as {"stride": "1..8"}', 2)
    words = flags(given)
    report = report_of(["probe", *words, "--backend", "model", f"--gpu={gpu}", "--quiet"], timeout=timeout_seconds)
    cases = [case for case in report.results if case["status"] == "ok"]
    if not cases:
        raise Error(next((case["reason"] for case in report.results if case["reason"]), "no case to predict"), 2)
    slowest = min(cases, key=lambda case: math.inf if case["fraction_of_peak"] is None else case["fraction_of_peak"])
    varying = [name for name in cases[0]["parameters"]
               if len({str(case["parameters"].get(name)) for case in cases}) > 1]
    head = [f"predicted for {report['device']['name']} from profile '{report['profile']}'; nothing was measured",
            f"diagnosis: {slowest['why'] or 'nothing is known of what limits it'}"
            + (f" (the slowest, {values(slowest, varying)})" if varying else "")]
    return answer([*head, f"{len(cases)} of {len(report.results)} cases, each with its counts by request:"],
                  [predicted_row(case, varying, report) for case in cases],
                  [f"measure it: gpumem probe {shlex.join(words)} --counters --why"])


def values(case: kernels.Case, names: list[str]) -> str:
    return " ".join(f"{name}={case['parameters'].get(name)}" for name in names)


def predicted_row(case: kernels.Case, varying: list[str], report: Report) -> str:
    counts = "; ".join(kernels.counts_in_words(site) for site in case["access"])
    headline = case["headline"]
    unit = report["quantities"].get(headline["quantity"], {}).get("unit") or headline["quantity"]
    parts = [counts] if counts else []
    if headline["predicted"] is not None:
        peak = f", {percent(case['fraction_of_peak'])} of the best" if case["fraction_of_peak"] is not None else ""
        parts.append(f"{number(headline['predicted'])} {unit}{peak}")
    bandwidth = case["bandwidth_gb_per_s"]["predicted"]
    if bandwidth is not None and headline["quantity"] != "bandwidth_gb_per_s":
        parts.append(f"{number(bandwidth)} GB/s")
    if (bound := kernels.bound_of(case, report)) and (taken := case["predicted_seconds"]):
        limit = f"bound {seconds(bound.seconds)} at {number(bound.gb_per_s)} GB/s"
        parts.append(f"{seconds(taken)}, {limit}" if taken >= bound.seconds else
                     f"{seconds(taken)}; caches serve elements again, for from memory all would take {seconds(bound.seconds)}")
    if case["no_prediction"]:
        parts.append(f"no prediction: {case['no_prediction']}")
    return f"- {values(case, varying) or case['probe']}: {'; '.join(parts)}"


def run_program(command: str, report: str, options: str = "", timeout_seconds: float = MEASURING_SECONDS) -> str:
    """Runs a CUDA program (Python included) on this machine's GPU and measures its kernels: which wastes most, at which
    line, what it could save, and the least time that each kernel's bytes allow.

    command: its command line, without a shell's expansions. report: the file for the JSON report, such as
    "before.json", which explain_kernel and compare_runs take. options: of `gpumem run`, such as "--counters --sites" to
    count with the hardware as well, or "--kernel 'copy|sum'".
    """
    its, chosen = split("command", command), split("options", options)
    if not its:
        raise Error("command: there is nothing to run; give a command line such as './app 1024'", 2)
    if any(word == "--" or word.startswith(("-o", "--output", "--format")) for word in chosen):
        raise Error("options: the report goes to the file that 'report' names; leave out --, --output and --format", 2)
    if not Path(report).absolute().parent.is_dir():
        raise Error(f"report: there is no folder '{Path(report).parent}' for '{report}'; make it first", 2)
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder, "report.json")
        done = called(["run", *chosen, "--quiet", f"--output={made}", "--", *its], timeout=timeout_seconds, fine=None)
        if not made.exists():
            raise Error(complaint_in(done.err) or f"gpumem ended with {done.exit_code} and said nothing", done.exit_code)
        found = Report(made.read_text(encoding="utf-8"), done.exit_code)
        try:
            shutil.copyfile(made, report)
        except OSError as error:
            raise Error(f"report: cannot write '{report}': {error.strerror}", 2) from error
    said = "\n".join(filter(None, (done.out.strip(), done.err.strip())))
    end = [f"end of the program's own output: {' | '.join(said[-OUTPUT_BYTES:].splitlines())}"] if said else []
    head = [f"measured into {report}; the program ended with {found['program']['exit_code']}"]
    if not found.results:
        return answer([*head, found.unused_gpu or "no kernel was seen"], tail=end)
    return answer([*head, *summary(found)], *program_parts(found, kernels.worst(found), end))


def summary(report: Report) -> list[str]:
    program = report["program"]
    time = f"{seconds(program['gpu_seconds'])} on the GPU" if program["gpu_seconds"] else "GPU time not known"
    return [f"program: {time} ({report['device']['name']}), {several(program['launches_seen'], 'launch', 'launches')} of "
            f"{several(program['kernels_seen'], 'kernel', 'kernels')}", *(f"note: {note}" for note in program["notes"][:2])]


def program_parts(report: Report, index: int, end: list[str] | None = None) -> tuple[list[str], list[str]]:
    """One kernel in full with the others in a line each, and what ends the answer."""
    lines, command = kernels.explanation(report, index)
    others = sorted((i for i in range(len(report.results)) if i != index),
                    key=lambda i: -kernels.gpu_time(report.results[i]))
    rows = [*(["other kernels:"] if others else []), *(kernels.row(report, i) for i in others[:MOST_KERNELS])]
    if len(others) > MOST_KERNELS:
        rows.append(LEFT_OUT.format(len(others) - MOST_KERNELS))
    return [*lines, *rows], [*(end or []), f"measure again: {command}"]


def explain_kernel(report: str, kernel: str | None = None, timeout_seconds: float = QUICK_SECONDS) -> str:
    """Explains a kernel of a saved report: what limits it, at which line, by which counts, what a change could save,
    and the least time that its bytes allow (the bound, where to stop). Nothing is measured.

    report: a file that run_program or `gpumem run` wrote; of a report of `gpumem probe`, its cases are explained.
    kernel: a regular expression for its name or its position, e.g. "transpose" or "3"; of a probe's report, words that
    choose cases such as "offset=1 op=write". Without it, the kernel that could save most.
    """
    found = saved(report, timeout=timeout_seconds)
    if found.get("program") is None:
        words = ["explain", name_of(report), *split("kernel", kernel or "")]
        text = called(words, timeout=timeout_seconds).out
        return answer([], text.splitlines(), [f"measure again: {shlex.join(found['command'])}"])
    head, tail = program_parts(found, kernels.named(found, kernel))
    return answer(summary(found), head, tail)


def compare_runs(old: str, new: str, tolerance: str | None = None, timeout_seconds: float = QUICK_SECONDS) -> str:
    """Compares two saved reports, kernel by kernel or case by case: what became faster or slower beyond the noise, and
    whether a new time is less than the kernel's bytes allow. Nothing is measured.

    old, new: files of reports. tolerance: differences within it are the same, such as "2%" (default 1 %).
    """
    words = ["compare", name_of(old), name_of(new), *flags({"tolerance": tolerance}), "--quiet", "--format", "json"]
    made = Document(called(words, timeout=timeout_seconds, fine=(0, 1)).out)
    reports = Sides(saved(old, timeout=timeout_seconds), saved(new, timeout=timeout_seconds))
    counts = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in made["summary"][0].items() if count)
    head = [f"{old} -> {new}: {counts or 'no cases in both'}", *unlike(made)]
    times: list[float] = [(report.get("program") or {}).get("gpu_seconds") or 0.0 for report in reports]
    if all(times):
        head.append(f"GPU time of the program: {' -> '.join(map(seconds, times))} (speed {number(times[0] / times[1])} x)")
    pairs = [(case, case["new"][0]) for case in made["cases"] if case["new"]]
    pairs = [pair for pair in pairs if reports.new.get("program") or pair[1]["verdict"] != "same"]
    rows = [changed_row(case, change, reports) for case, change in sorted(pairs, key=lambda pair: -weight(*pair))]
    command = shlex.join(reports.new["command"])
    if reports.new.get("program") and reports.new.results:
        lines, command = kernels.explanation(reports.new, kernels.worst(reports.new))
        head += ["next, of the new report:", *lines]
    return answer(head, [f"changes{'' if rows else ': none'}", *rows], [f"measure again: {command}"])


class Sides(NamedTuple):
    """The two reports of a comparison."""

    old: Report
    new: Report


def unlike(made: Document) -> list[str]:
    """Says what makes the two hard to compare, such as another GPU."""
    texts = [f"{one['what']}: {one['old']} -> {one['new']}" for one in made["differences"] if not one["minor"]]
    return [f"not alike: {'; '.join(texts)}"] if texts else []


def weight(case: dict[str, Any], change: dict[str, Any]) -> float:
    """The weight of a change: the GPU time that it is about, or of a probe's case how large it is."""
    ratio = (change["speed_ratio"] or {}).get("value") or 1.0
    time = (change["metrics"] or {}).get("gpu_time_seconds", {}).get("old")
    return float((time or 1.0) * abs(ratio - 1.0))


def changed_row(case: dict[str, Any], change: dict[str, Any], reports: Sides) -> str:
    sides = (case["old"], change["case"])
    readings = [((side or {}).get("estimate") or {}).get("value") for side in sides]
    is_time = case["quantity"] == "time_seconds"
    texts = ["-" if one is None else seconds(one) if is_time else number(one) for one in readings]
    parts = [" -> ".join(texts) + ("" if is_time or not case["quantity"] else f" {case['quantity']}")]
    if ratio := (change["speed_ratio"] or {}).get("value"):
        parts.append(f"speed {number(ratio)} x")
    if "kernel" not in case["parameters"]:
        name = " ".join(f"{key}={value}" for key, value in case["parameters"].items()
                        if key not in case["chosen_by_auto"])
        return f"- {change['verdict']}: {cut(name, 120)}: {', '.join(parts)}"
    found = [report.results[side["index"]] if side else None for side, report in zip(sides, reports)]
    if found[1]:
        parts.append(kernels.share_of_bound(found[1], reports.new))
    if found[0] and found[1]:
        parts += kernels.suspicions(found[0], found[1], reports.old, reports.new)
    moved = (change["metrics"] or {}).get("bytes_moved_per_byte_used") or {}
    wastes = [number(moved[side]) for side in ("old", "new") if moved.get(side)]
    if len(set(wastes)) > 1:
        parts.append(f"bytes moved per byte used {' -> '.join(wastes)}")
    return f"- {change['verdict']}: {kernels.short_name(case)}: {', '.join(parts)}"


def expect_gpu(gpu: str | None = None, timeout_seconds: float = QUICK_SECONDS) -> str:
    """Says what a GPU should reach: bandwidth and latency of each level, links, launches, with the interval of healthy
    GPUs. Nothing is measured.

    gpu: a profile such as h100 or h200; without it, the GPU of this machine.
    """
    made = Document(called(["expect", *([name_of(gpu)] if gpu else []), "--format", "json"], timeout=timeout_seconds).out)
    rows = []
    for one in made["expected"]:
        healthy = f", healthy GPUs {number(one['low'])} to {number(one['high'])}" if one["low"] is not None else ""
        peak = f", peak {number(one['peak'])}" if one["peak"] is not None else ""
        rows.append(f"- {one['quantity']}: {number(one['value'])} {one['unit']}{healthy}{peak}; {one['source_words']}")
    again = "gpumem check smoke"
    return answer([f"expected of {made['gpu']}, by the model from profile '{made['profile']}'; nothing was measured"],
                  rows, [f"measure it: {again}"])


def check_gpu(report: str | None = None, suite: str = "smoke", timeout_seconds: float = MEASURING_SECONDS) -> str:
    """Checks whether a GPU's memory is healthy, in some seconds on this machine's GPU, or from a saved report without
    measuring. Do so before blaming a kernel.

    report: a saved report of `gpumem check` or `gpumem probe`. suite: smoke (default), another shipped suite or a file.
    """
    words = ["check", name_of(suite), *([name_of(report)] if report else [])]
    made = report_of([*words, "--quiet"], timeout=timeout_seconds, fine=(0, 1))
    verdicts = {name: [one for one in made["checks"] if one["verdict"] == name] for name in ("pass", "fail", "skip")}
    counts = ", ".join(f"{len(ones)} {name}ed" if name != "skip" else f"{len(ones)} skipped"
                       for name, ones in verdicts.items())
    how = f"saved report {report}" if report else "measured now"
    head = [f"{'FAIL' if made.exit_code else 'PASS'}: {made['suite'] or suite} on {made['device']['name']} ({how}): {counts}"]
    rows = [f"- FAIL {check['name']}: {check['reason'] or ''}{bounds_of(check)}" for check in verdicts["fail"]]
    rows += [f"- skipped {check['name']}: {check['reason'] or ''}" for check in verdicts["skip"][:MOST_SKIPPED]]
    return answer(head, rows, [f"measure again: gpumem check {shlex.quote(suite)} --attempts 3"])


def bounds_of(check: dict[str, Any]) -> str:
    if check["measured"] is None:
        return ""
    sides = [f"{word} {number(check[key])}" for key, word in (("at_least", "at least"), ("at_most", "at most"))
             if check[key] is not None]
    return f" ({check['quantity']} {number(check['measured'])}, expected {' and '.join(sides)})"


def split(name: str, text: str) -> list[str]:
    try:
        return shlex.split(text)
    except ValueError as error:
        raise Error(f"{name}: {text!r} is no list of words: {str(error).lower()}", 2) from error
