#!/usr/bin/env python3
"""Patterns of a tile in shared memory that nobody chose: a suite of the probe `shared-pattern`, and its judge.

    tests/benchmark/tile_patterns.py > tile-patterns.json
    gpumem check tile-patterns.json --counters --output report.json
    tests/benchmark/tile_patterns.py --judge report.json
    tests/benchmark/tile_patterns.py --copies --count 100 > tile-copies.json    the same of copies by cp.async

Expressions, swizzles, sizes of words and operations are drawn at random. Every element lies in an array of a power of
two of elements, in which the swizzle permutes. The judge ends with 1 unless the predicted wavefronts of every case are
those that the hardware counted, and the measured cycles of a request are within 10 % of its wavefronts. No counter of
the report has the wavefronts of ldmatrix and stmatrix: their bank conflicts are compared instead.
"""

import argparse
import json
import random
import sys
from pathlib import Path

MOST_BYTES = 128 << 10  # of a tile: a power of two below what a block of every GPU since compute capability 8.0 has
MOST_OFF = 0.1
WORDS = ("read", "write")
MATRICES = ("ldmatrix", "ldmatrix-trans", "stmatrix", "stmatrix-trans")


def expression(draw):
    """A term of which nothing is negative, of any size."""
    a, b, c = draw.choice((1, 2, 3, 4, 5, 8, 16, 17, 31, 32, 33, 64)), draw.randint(1, 40), draw.choice((2, 4, 8, 16))
    return draw.choice((
        f"i * {a}", f"i * {a} + {b}", f"lane * {a} + warp * {b}", f"(i ^ {b}) * {a}",
        f"i % {c} * {a * b} + i / {c} * {a}",
        f"lane / {c} * {b} + lane % {c} * {a}", "row * pitch + column", "column * pitch + row",
        f"(i * 2654435761 >> {draw.randint(4, 20)})", f"(lane * {a} ^ warp * {b}) * {c}", f"i / {c} * {c} * {a}",
        f"lane < {b} ? i * {a} : i", f"(lane & {c}) * {a} + i * {b}"))


def swizzle(draw, least_base, most_bits):
    """B,M,S within `most_bits` bits of an index, or none."""
    if draw.random() < 0.3:
        return "none"
    bits = draw.randint(1, 4)
    base = draw.randint(least_base, least_base + 3)
    shift = draw.randint(bits, max(bits, most_bits - bits - base))
    if bits + base + shift > most_bits:
        return "none"
    return f"{bits},{base},{shift if least_base or draw.random() < 0.8 else -shift}"


def copy(draw):
    """The axes of one copy into the tile, by all lanes: with fewer the counter is off (docs/counters.md)."""
    word = draw.choice((4, 8, 16))
    bits = draw.randint(9, (MOST_BYTES // 4 // word).bit_length() - 1)
    term = expression(draw)
    axes = {"pattern": [f"({term}) % {1 << bits}"], "op": "cp-async", "word-bytes": word,
            "swizzle": swizzle(draw, 0, bits)}
    return axes | ({"columns": draw.choice((8, 16, 32, 64))} if "pitch" in term else {})


def case(draw):
    """The axes of one case of loads or stores."""
    moves_words = draw.random() < 0.65
    word = draw.choice((1, 2, 4, 8, 16)) if moves_words else 2
    bits = draw.randint(9, (MOST_BYTES // word).bit_length() - 1)  # of the index of an element
    term, axes = expression(draw), {}
    if moves_words:
        axes |= {"pattern": [f"({term}) % {1 << bits}"], "op": draw.choice(WORDS)}
        if draw.random() < 0.2:
            axes["active"] = [draw.choice(("lane % 3", "lane < 17", "i % 5 != 2", "lane & 2", "warp < 3 || lane > 4"))]
    else:
        axes |= {"pattern": [f"({term}) % {1 << (bits - 3)} * 8"], "op": draw.choice(MATRICES),
                 "matrices": draw.choice((1, 2, 4))}
    if "pitch" in term:
        axes |= {"columns": draw.choice((8, 16, 32, 64)), "pad": draw.choice((0, 0, 1, 2, 4))}
    return axes | {"word-bytes": word, "swizzle": swizzle(draw, 0 if moves_words else 3, bits)}


def suite_of(seed, count, draw_case=case):
    draw, entries, seen = random.Random(f"tiles/{seed}"), [], set()
    while len(entries) < count:
        axes = draw_case(draw)
        if json.dumps(axes) not in seen:
            seen.add(json.dumps(axes))
            entries.append({"probe": "shared-pattern", "axes": axes})
    return {"schema_version": 1, "name": f"tile-patterns-seed-{seed}-count-{count}",
            "purpose": f"{count} patterns of shared memory, drawn at random by tests/benchmark/tile_patterns.py.",
            "options": {"ci_width": "2%", "time_budget": "60ms"}, "probes": entries,
            "expectations": [{"name": "requests take as long as their wavefronts", "cases": {"probe": "shared-pattern"},
                              "quantity": "measured_over_predicted", "at_least": 1 - MOST_OFF,
                              "at_most": 1 + MOST_OFF}]}


def differs(result):
    """Says what the hardware counted otherwise than predicted; None if there is nothing."""
    costs = [site["wavefronts_per_request"] for site in result["access"]]
    matrices = result["parameters"]["matrices"] if result["parameters"]["op"] in MATRICES else 0
    allowed = 0
    if not matrices:
        predicted, counted = costs[0]["predicted"], costs[0]["counted"]
    else:
        # A wavefront for each matrix is no conflict. Stores are read back once, and that is counted with them.
        useful = result["useful_bytes"]["read"] + result["useful_bytes"]["written"]
        predicted = useful / (128 * matrices) * (costs[0]["predicted"] - matrices)
        counted = result["counters"]["shared_bank_conflicts"]
        allowed = 2 * sum(result["counters"]["shared_load_requests"] * cost["predicted"] for cost in costs[1:])
    if counted is not None and abs(counted - predicted) <= allowed + 1e-6 * predicted:
        return None
    return f"{result['parameters']}: predicted {predicted}, counted {counted}"


def judged(report):
    """Lines about the cases of a report, and whether all is as predicted."""
    cases = [result for result in report["results"] if result["status"] == "ok"]
    different = [words for words in map(differs, cases) if words]
    ratios = sorted((result["headline"]["measured"] / result["headline"]["predicted"], json.dumps(result["parameters"]))
                    for result in cases)
    off = [f"{parameters}: {ratio:.3f} times the predicted cycles" for ratio, parameters in ratios
           if abs(ratio - 1) > MOST_OFF]
    unverified = sum(result["verified"] is not True for result in cases)
    lines = [f"{len(cases)} of {len(report['results'])} cases ran, {unverified} of them without correct data",
             f"{len(different)} counted otherwise than predicted", *different,
             f"measured cycles are {ratios[0][0]:.3f} to {ratios[-1][0]:.3f} times the predicted ones"
             if ratios else "no cycles", *off]
    return lines, cases and len(cases) == len(report["results"]) and not (different or off or unverified)


def main():
    parser = argparse.ArgumentParser(description="Patterns of shared memory drawn at random.")
    parser.add_argument("--seed", type=int, default=1, help="the cases depend on it alone (default: %(default)s)")
    parser.add_argument("--count", type=int, default=200, help="cases (default: %(default)s)")
    parser.add_argument("--copies", action="store_true", help="draw copies by cp.async alone")
    parser.add_argument("--judge", metavar="REPORT", help="compare the predictions of a report with its readings")
    given = parser.parse_args()
    if given.judge:
        lines, good = judged(json.loads(Path(given.judge).read_text(encoding="utf-8")))
        print("\n".join(lines))
        sys.exit(0 if good else 1)
    json.dump(suite_of(given.seed, given.count, copy if given.copies else case), sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
