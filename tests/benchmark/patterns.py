#!/usr/bin/env python3
"""Access patterns that nobody chose: suites of the probe `pattern`, drawn from kinds that programs have.

    tests/benchmark/patterns.py --half fit > patterns-fit.json
    tests/benchmark/patterns.py --half held-out > patterns-held-out.json
    gpumem check patterns-held-out.json --output report.json
    tests/benchmark/patterns.py --kinds report.json

Half of the kinds are there to fit a model to, the other half to test it on patterns that it was not fitted to. The
patterns that a seed draws for a kind depend on no other kind, unless two draw the same. Every pattern is proven to stay
within its array before it is printed: by bounds, and by some of its accesses. A suite expects something of each kind,
so that a report says in its checks which cases are of which kind. Masks are not in the bounds: lanes that take no part
stay within the array as well. No expression has a comma, which would separate values of an axis: there is ?: for min
and max. The kinds themselves are in pattern_kinds.py.
"""

import argparse
import functools
import json
import random
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # a source tree stays as it is
sys.path.insert(0, str(Path(__file__).resolve().parent))

import index_expressions as expressions  # noqa: E402
from pattern_kinds import FIT, GIB, HELD_OUT, KINDS, MIB, OPS, Draw, spread  # noqa: E402

LONGEST_TEXT = 900  # of an expression: reports are read with texts of 1000 characters


# ---- Whether a pattern is one

class Refused(Exception):
    """A pattern that nobody could run."""


class Pattern:
    def __init__(self, of, text, active, buffer):
        self.kind, self.text, self.active, self.buffer = of, text, active, buffer

    def key(self):
        return self.text, self.active

    def largest_element(self, word):
        return expressions.bounds(expressions.parse(self.text), variables_of(self.buffer // word))[1]

    def check(self):
        """Throws Refused unless every element of it lies in an array that is not too large."""
        if len(self.text) > LONGEST_TEXT:
            raise Refused(f"'{self.text}' is long")
        tree, active = expressions.parse(self.text), expressions.parse(self.active or "1")
        for word in self.kind.words:
            count = self.buffer // word
            low, high = expressions.bounds(tree, variables_of(count))
            most = self.kind.largest_bytes // word
            if low < 0 or high >= most:
                raise Refused(f"'{self.text}' has elements {low} to {high} of {most}, n = {count}")
            taking_part = 0
            for place in sampled(count):
                element = expressions.value(tree, place)
                if not low <= element <= high:
                    raise Refused(f"'{self.text}' is {element} at {place}: beyond its bounds {low} to {high}")
                taking_part += expressions.value(active, place) != 0
            if not taking_part:
                raise Refused(f"'{self.active}' leaves nobody to take part")


def variables_of(count):
    return {"i": (0, count - 1), "n": (count, count), "lane": (0, 31), "warp": (0, 31), "thread": (0, 1023),
            "block": (0, count - 1)}


def sampled(count):
    """Some accesses in a launch of blocks of 256 threads: the first, the last, some whole warps, and any."""
    some = random.Random(count)
    warps = [some.randrange(count // 32) * 32 for _ in range(3)]
    for i in [*range(32), *range(count - 32, count), *(warp + lane for warp in warps for lane in range(32)),
              *(some.randrange(count) for _ in range(64))]:
        yield {"i": i, "n": count, "lane": i % 32, "warp": i // 32 % 8, "thread": i % 256, "block": i // 256}


# ---- Patterns of a seed

def buffers(draw, count):
    """In bytes: most too large for any cache, some larger, some that L2 holds in part."""
    found = []
    while len(found) < count:
        eight = [256 * MIB] * 5 + [GIB] + [spread(draw, 8, 100) * MIB for _ in range(2)]
        draw.shuffle(eight)
        found += eight
    return found[:count]


@functools.lru_cache(maxsize=4)
def patterns_of(seed, count):
    """`count` patterns of every kind, by its name. None occurs twice, and none is of two kinds: not even as a pattern
    of one with a mask of another, so that a list of patterns and one of masks tell a kind."""
    owners, taken, found = {}, set(), {}
    for name, one in KINDS.items():
        of_kind = found[name] = []
        for number, buffer in enumerate(buffers(random.Random(f"{seed}/{name}"), count)):
            for attempt in range(1000):
                turn = number if attempt < 20 else None  # a way that never fits is left out
                made = one.make(Draw(f"{seed}/{name}/{number}/{attempt}", buffer, one, turn))
                text, active = (made, None) if isinstance(made, str) else made
                pattern = Pattern(one, text, active, buffer)
                try:
                    pattern.check()
                except Refused:
                    continue
                # Masks have one kind each, and patterns are of kinds with masks or of one without.
                owned = {text: "any with masks" if active else name} | ({("mask", active): name} if active else {})
                own = all(owners.get(what, owner) == owner for what, owner in owned.items())
                if own and pattern.key() not in taken:
                    taken.add(pattern.key())
                    owners |= owned
                    of_kind.append(pattern)
                    break
            else:
                sys.exit(f"patterns.py: seed {seed} draws no more patterns of kind {name} for {buffer} bytes")
    return found


NAME = "patterns-{half}-seed-{seed}-count-{count}"


def kinds_of(name):
    """The kind of every pattern of a suite, by its text and that of what is active (None: all), from the suite's name
    alone, which reports keep."""
    found = re.fullmatch(re.escape(NAME).replace(r"\{half\}", "(fit|held-out|all)").replace(r"\{seed\}", "([0-9]+)")
                         .replace(r"\{count\}", "([0-9]+)"), name)
    if not found:
        sys.exit(f"patterns.py: '{name}' is no suite of patterns")
    half, seed, count = found[1], int(found[2]), int(found[3])
    return {one.key(): one.kind.name for ones in patterns_of(seed, count).values() for one in ones
            if half in ("all", one.kind.half)}


# ---- A suite

def turns(one, seed):
    """Operations and words, over and over, so that every kind has about as many cases of each."""
    draw = random.Random(f"{seed}/{one.name}/turns")
    while True:
        both = [(op, word) for op in OPS for word in one.words]
        draw.shuffle(both)
        yield from both


def entries_of(patterns, seed, cases_each):
    """The entries of a suite for the patterns of one kind: of `cases_each` operations and words, in the mean."""
    entries = []
    taking = turns(patterns[0].kind, seed)
    for number, pattern in enumerate(patterns):
        wanted = min(6, max(1, int((number + 1) * cases_each) - int(number * cases_each)))
        drawn = set()
        while len(drawn) < wanted:
            drawn.add(next(taking))
        for word in sorted({word for _, word in drawn}):
            axes = {"pattern": [pattern.text]}
            if pattern.active:
                axes["active"] = [pattern.active]
            axes |= {"op": [op for op in OPS if (op, word) in drawn], "word-bytes": word,
                     "buffer": f"{pattern.buffer // MIB}MiB"}
            entries.append({"probe": "pattern", "axes": axes})
    return entries


def expectation_of(patterns):
    """The expectation that names the kind in a report, whose checks say which cases they are about."""
    one = patterns[0].kind
    cases = {"probe": "pattern", "pattern": list(dict.fromkeys(pattern.text for pattern in patterns))}
    actives = list(dict.fromkeys(pattern.active for pattern in patterns if pattern.active))
    if actives:
        cases["active"] = actives
    return {"name": f"patterns of kind {one.name} ({one.half})", "because": one.purpose, "cases": cases,
            "quantity": "measured_over_predicted", "at_least": 0.01, "at_most": 100}


def suite_of(seed, count, half, most_cases):
    """At most `most_cases` cases a half, but one of every pattern."""
    chosen = {name: ones for name, ones in patterns_of(seed, count).items() if half in ("all", KINDS[name].half)}
    kinds_a_half = max(sum(KINDS[name].half == side for name in chosen) for side in (FIT, HELD_OUT))
    cases_each = most_cases / (kinds_a_half * count)
    return {"schema_version": 1, "name": NAME.format(half=half, seed=seed, count=count),
            "purpose": f"Access patterns drawn at random, {count} of each of {len(chosen)} kinds, as tests/benchmark/"
                       "patterns.py draws them.",
            "options": {"ci_width": "2%", "time_budget": "60ms"},
            "probes": [entry for ones in chosen.values() for entry in entries_of(ones, seed, cases_each)],
            "expectations": [expectation_of(ones) for ones in chosen.values()]}


def written(suite):
    """One line for each entry."""
    def lines(name):
        return ",\n".join("    " + json.dumps(one) for one in suite[name])

    head = "".join(f"  {json.dumps(name)}: {json.dumps(suite[name])},\n"
                   for name in ("schema_version", "name", "purpose", "options"))
    return (f"{{\n{head}  \"probes\": [\n{lines('probes')}\n  ],\n  \"expectations\": [\n{lines('expectations')}\n  ]\n"
            "}\n")


def count_cases(suite):
    return sum(len(entry["axes"]["op"]) for entry in suite["probes"])


def main():
    parser = argparse.ArgumentParser(description="Suites of access patterns drawn at random.")
    parser.add_argument("--seed", type=int, default=1, help="the patterns depend on it alone (default: %(default)s)")
    parser.add_argument("--count", type=int, default=8, help="patterns of each kind (default: %(default)s)")
    parser.add_argument("--half", choices=(FIT, HELD_OUT, "all"), default="all",
                        help="kinds to fit a model to, or to test it with (default: %(default)s)")
    parser.add_argument("--cases", type=int, default=250,
                        help="cases of a half at most, but one of every pattern (default: %(default)s)")
    parser.add_argument("--kinds", metavar="FILE",
                        help="print the kind of every pattern of a suite, or of a report of it")
    given = parser.parse_args()
    if given.count < 1 or given.seed < 0:
        parser.error("--count is at least 1, --seed at least 0")
    if given.kinds:
        file = json.loads(Path(given.kinds).read_text(encoding="utf-8"))
        kinds = kinds_of(file["suite"] if "results" in file else file["name"])
        print(json.dumps([{"pattern": text, "active": active, "kind": name, "half": KINDS[name].half}
                          for (text, active), name in kinds.items()], indent=1))
        return
    suite = suite_of(given.seed, given.count, given.half, given.cases)
    sys.stdout.write(written(suite))
    print(f"{count_cases(suite)} cases", file=sys.stderr)


if __name__ == "__main__":
    main()
