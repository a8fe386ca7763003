"""Reads what a report says of a kernel: its place, its counts, and the least time that its bytes allow."""

from __future__ import annotations

import re
import shlex
from typing import Any, NamedTuple

from ..errors import Error
from ..report import Report
from .answers import number, percent, seconds, size_in_words

Case = dict[str, Any]
SECTOR_BYTES = 32
# Columns of a row of `work.sites` (docs/report.md); zeros at its end are left out.
SPACE, USEFUL_BYTES, MEMORY_SECTORS = 0, 5, 8
NAMED_IN_ERROR = 8
LESS_WORK = 0.8  # share of the bytes; `gpumem compare --counts` lets kernels that are seen in part differ as much


class Bound(NamedTuple):
    """The time of a launch that moves each of its bytes once, at the memory's theoretical bandwidth."""

    seconds: float
    bytes: float
    gb_per_s: float
    is_exact: bool  # False: bytes that several requests use count each time, so caches may beat it
    fits_l2: bool  # then a launch that finds its data in L2 may be faster


def bound_of(case: Case, report: Report) -> Bound | None:
    """Returns the bound of a case; None if its bytes or the bandwidth are not known.

    The bytes of a program's kernel are those of the sectors that L2 has to get or to write back, in simulated caches
    that are empty before the launch. Wasteful accesses bring sectors of which they use a part, so a site counts no more
    than its useful bytes. Local memory counts nothing: registers could hold it.
    """
    peak, work = case["peak_gb_per_s"], case.get("work")
    moved: float = sum(map(once, work["sites"])) if work else sum((case["useful_bytes"] or {}).values())
    if not peak or moved <= 0:
        return None
    l2 = (report.get("device") or {}).get("l2_bytes") or 0
    return Bound(moved / peak / 1e9, moved, peak, work is not None, moved <= l2)


def once(row: list[Any]) -> float:
    if row[SPACE] == "local" or len(row) <= MEMORY_SECTORS:
        return 0.0
    return float(min(row[USEFUL_BYTES], SECTOR_BYTES * row[MEMORY_SECTORS]))


def time_of(case: Case) -> float | None:
    """The median time of a launch, in seconds; None if it was not measured."""
    return (case["time_seconds"] or {}).get("median")


def bound_in_words(case: Case, report: Report) -> str:
    """The bound, how near the kernel is, and what would make a claim beyond it possible."""
    bound = bound_of(case, report)
    if bound is None:
        return "not known: the bytes of a launch were not counted"
    text = f"{seconds(bound.seconds)} a launch: {size_in_words(bound.bytes)} moved once at {number(bound.gb_per_s)} GB/s"
    taken, how = time_of(case), "measured"
    if taken is None:
        taken, how = case["predicted_seconds"], "predicted"
    if taken:
        text += f"; {how} {seconds(taken)}, {percent(bound.seconds / taken)} of that speed"
    if not bound.is_exact:
        return text + ". Bytes used by several requests count each time, so caches may beat it"
    if bound.fits_l2:
        return text + ". The bytes fit in L2: a launch that finds them there may beat it"
    if taken and taken < bound.seconds:
        return text + ". FASTER THAN ITS BYTES ALLOW: check the result, and whether all launches do the same work"
    return text


def share_of_bound(case: Case, report: Report) -> str:
    """The bound in a row of a table."""
    bound, taken = bound_of(case, report), time_of(case)
    if bound is None:
        return "bound not known"
    near = f" ({percent(bound.seconds / taken)} of that speed)" if taken else ""
    caches = "" if bound.is_exact and not bound.fits_l2 else ", caches may beat it"
    return f"bound {seconds(bound.seconds)}{near}{caches}"


def suspicions(old: Case, new: Case, before: Report, after: Report) -> list[str]:
    """Reasons to check the result of a changed kernel: it is faster than its bytes allow, or has fewer of them."""
    was, now, taken = bound_of(old, before), bound_of(new, after), time_of(new)
    texts = []
    if now and now.is_exact and not now.fits_l2 and taken and taken < now.seconds:
        texts.append("FASTER THAN ITS BYTES ALLOW: check the result")
    if was and now and was.is_exact == now.is_exact and now.bytes < LESS_WORK * was.bytes:
        texts.append(f"FEWER BYTES: {size_in_words(was.bytes)} -> {size_in_words(now.bytes)} moved once: check the result")
    return texts


# ---- The choice of a kernel

def short_name(case: Case) -> str:
    """The function's name without its namespaces, template arguments and parameters."""
    name: str = case["parameters"]["kernel"]
    plain = name.replace("(anonymous namespace)::", "").removeprefix("void ")
    head = re.split(r"[<(]", plain, maxsplit=1)[0]
    return (head.rpartition("::")[2] or plain)[:80]


def place_in_words(case: Case) -> str:
    parameters = case["parameters"]
    return f"{short_name(case)}, grid {parameters['grid']}, {parameters['block_threads']} threads a block"


def named(report: Report, kernel: str | None) -> int:
    """The position of a kernel.

    kernel: its position, or a regular expression for its name, full or short; of several it is the one with most GPU
    time. Without it, the kernel that could save most. Raises Error if there is none.
    """
    cases = report.results
    if not cases:
        raise Error(report.unused_gpu or "the report has no kernels", 2)
    if not kernel:
        return worst(report)
    if kernel.isdigit() and int(kernel) < len(cases):
        return int(kernel)
    try:
        matching = [i for i, case in enumerate(cases)
                    if re.search(kernel, case["parameters"]["kernel"]) or re.search(kernel, short_name(case))]
    except re.error as error:
        raise Error(f"kernel: {kernel!r} is no regular expression: {error}", 2) from error
    if not matching:
        names = list(dict.fromkeys(short_name(case) for case in cases))
        more = f" and {len(names) - NAMED_IN_ERROR} more" if len(names) > NAMED_IN_ERROR else ""
        raise Error(f"no kernel matches {kernel!r}: there are {', '.join(names[:NAMED_IN_ERROR])}{more}", 2)
    return max(matching, key=lambda i: gpu_time(cases[i]))


def worst(report: Report) -> int:
    if advice := report.get("advice"):
        return int(advice[0]["result"])
    return max(range(len(report.results)), key=lambda i: gpu_time(report.results[i]))


def gpu_time(case: Case) -> float:
    """The time of all launches, in seconds."""
    return case["metrics"].get("gpu_time_seconds") or 0.0


def could_save(case: Case) -> float:
    """By the model, of all launches, in seconds."""
    return case["metrics_predicted"].get("could_save_seconds") or 0.0


# ---- What is said of it

def explanation(report: Report, index: int) -> tuple[list[str], str]:
    """Lines on a kernel: diagnosis, source, proof, saving and bound; and the command that measures it again."""
    case = report.results[index]
    advice = next((one for one in report.get("advice") or () if one["result"] == index), None)
    share = case["metrics"].get("gpu_time_share")
    lines = [f"kernel: {place_in_words(case)}; {percent(share)} of the GPU time" if share
             else f"kernel: {place_in_words(case)}"]
    lines.append(f"diagnosis: {advice['text'] if advice else case['why'] or 'nothing is known of what limits it'}")
    site = site_of(case, advice)
    lines.append(f"source: {source(case, advice, site)}")
    lines.append(f"proof: {proof(case, site, report)}")
    lines.append(f"saving: {saving(case, advice)}")
    lines.append(f"bound: {bound_in_words(case, report)}")
    return lines, advice["command"] if advice else again(case, report)


def site_of(case: Case, advice: dict[str, Any] | None) -> dict[str, Any] | None:
    """The site that the advice is about, else the one with most sectors or wavefronts beyond those that would do."""
    sites: list[dict[str, Any]] = case["access"]
    if wanted := advice and advice["site"]:
        return next((site for site in sites if all(site[key] == wanted[key] for key in ("site", "space", "op"))), None)
    return max(sites, key=excess, default=None)


def excess(site: dict[str, Any]) -> float:
    counts = (site["sectors_per_request"], site["wavefronts_per_request"])
    beyond = [(one["predicted"] or 0) - (one.get("least") or one["predicted"] or 0) for one in counts]
    return float(sum(beyond) * (site.get("requests") or 0))


def source(case: Case, advice: dict[str, Any] | None, site: dict[str, Any] | None) -> str:
    line = (advice["source_line"] if advice else None) or (site["site"] if site else None)
    parts = [line or "not known; compile with -lineinfo, and run without --counters"]
    if caller := case.get("caller"):
        parts.append(f"launched at {caller}")
    if operator := case.get("operator"):
        parts.append(f"for {operator}")
    return ", ".join(parts)


def proof(case: Case, site: dict[str, Any] | None, report: Report) -> str:
    parts = [counts_in_words(site)] if site else []
    parts += counted_in_words(case)
    times = []
    if (taken := time_of(case)) is not None:
        times.append(f"measured {seconds(taken)} a launch")
    if case["predicted_seconds"]:
        low, high = case.get("predicted_low"), case.get("predicted_high")
        times.append(f"predicted {seconds(case['predicted_seconds'])}"
                     + (f" ({seconds(low)} to {seconds(high)})" if low and high else ""))
    parts += [", ".join(times)] if times else []
    stages = stages_in_words(case, report)
    return "; ".join([*parts, stages] if stages else parts) or "nothing was counted"


def counts_in_words(site: dict[str, Any]) -> str:
    """The counts of a request of a site, by the arithmetic on its addresses and by the hardware."""
    texts = []
    for unit in ("sectors", "wavefronts", "lines"):
        count = site.get(f"{unit}_per_request") or {}
        if count.get("predicted") is None and count.get("counted") is None:
            continue
        parts = [f"{number(count[how])} {how}" for how in ("predicted", "counted") if count.get(how) is not None]
        least = f", {number(count['least'])} would do" if count.get("least") is not None else ""
        texts.append(f"{unit} a request {' and '.join(parts)}{least}")
    return f"{site['op']} at {site['site']} ({site['space']}): " + ("; ".join(texts) or "no counts")


def counted_in_words(case: Case) -> list[str]:
    """Sectors per request of a whole kernel, by the hardware's counters."""
    counters, texts = case.get("counters") or {}, []
    for op in ("load", "store"):
        sectors, requests = (counters.get(f"global_{op}_{what}") for what in ("sectors", "requests"))
        if sectors and requests:
            texts.append(f"{number(sectors / requests)} sectors a global {op} counted")
    return texts


def stages_in_words(case: Case, report: Report) -> str:
    """The three slowest stages of the model, for the counted demand where there is one."""
    names = report.get("words", {}).get("stages", {})
    times = [(stage["counted_s"] or stage["predicted_s"] or 0.0, names.get(stage["stage"], stage["stage"]))
             for stage in case["stages"]]
    slowest = [f"{name} {seconds(time)}" for time, name in sorted(times, reverse=True)[:3] if time > 0]
    return "slowest stages: " + ", ".join(slowest) if slowest else ""


def saving(case: Case, advice: dict[str, Any] | None) -> str:
    saves = case["metrics_predicted"].get("could_save_seconds")
    if saves is None:
        return f"not known: {case['no_prediction'] or 'accesses were not seen; run without --counters, or with --sites'}"
    if not saves:
        return "gpumem knows of none; what is left is another algorithm, or less to do"
    metrics = case["metrics_predicted"]
    low, high = metrics.get("could_save_low_seconds"), metrics.get("could_save_high_seconds")
    interval = f" ({seconds(low)} to {seconds(high)})" if low is not None and high else ""
    confidence = f", {advice['confidence']} confidence" if advice else ""
    return f"{seconds(saves)}{interval} of {seconds(gpu_time(case))} in all launches, by the model{confidence}"


def again(case: Case, report: Report) -> str:
    """A command for a shell that measures the kernel again."""
    kernel = shlex.quote(re.escape(short_name(case)))
    return f"gpumem run --kernel {kernel} --output after.json -- {shlex.join(report['program']['command'])}"


def row(report: Report, index: int) -> str:
    """A kernel in one line."""
    case = report.results[index]
    parts = [f"{percent(case['metrics']['gpu_time_share'])} of the time"] if case["metrics"].get("gpu_time_share") else []
    if (taken := time_of(case)) is not None:
        parts.append(f"{seconds(taken)} a launch")
    parts.append(share_of_bound(case, report))
    if saves := could_save(case):
        parts.append(f"could save {seconds(saves)}")
    elif verdict := case.get("verdict"):
        parts.append(f"limited by {verdict.replace('_', ' ')}")
    return f"[{index}] {short_name(case)}: {', '.join(parts)}"
