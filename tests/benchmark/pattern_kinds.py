"""Kinds of access patterns that programs have, from which patterns.py draws: half to fit a model to, half to test it on."""

import random

MIB, GIB = 2 ** 20, 2 ** 30
OPS = ("read", "write", "copy")
WORDS = (4, 8)
LARGEST_BYTES = 8 * GIB
FIT, HELD_OUT = "fit", "held-out"
KINDS = {}  # by name, in the order below


class Kind:
    def __init__(self, make, half, purpose, words, largest_bytes):
        self.make, self.half, self.purpose = make, half, purpose
        self.words, self.largest_bytes = words, largest_bytes
        self.name = make.__name__.replace("_", "-")


def kind(half, purpose, words=WORDS, largest_bytes=LARGEST_BYTES):
    """Adds a function to KINDS: it takes a Draw and returns a pattern, or a pattern and what is active."""
    def add(make):
        one = Kind(make, half, purpose, words, largest_bytes)
        KINDS[one.name] = one
        return make
    return add


def spread(draw, low, high):
    """As likely from 10 to 20 as from 100 to 200."""
    return min(high, max(low, round(low * (high / low) ** draw.random())))


class Draw(random.Random):
    """Random parameters for a pattern over `buffer` bytes. Counts of elements are those of the widest word, which every
    other word has too, unless they are `most_accesses`."""

    def __init__(self, seed, buffer, one, turn=None):
        super().__init__(seed)
        self.turn = turn
        self.accesses = buffer // one.words[-1]
        self.most_accesses = buffer // one.words[0]
        self.room = one.largest_bytes // one.words[-1]  # elements of its array

    def spread(self, low, high):
        return spread(self, low, high)

    def among(self, ways):
        """One of the ways that a kind has of doing something, in turn, so that eight patterns are not eight of one."""
        return self.choice(ways) if self.turn is None else ways[self.turn % len(ways)]

    def power(self, low, high):
        return 1 << self.randint(low.bit_length() - 1, high.bit_length() - 1)

    def length(self, low, high):
        """Programs like powers of two; some of their sizes are none."""
        return self.power(low, high) if self.random() < 0.6 else self.spread(low, high)

    def odd(self, low, high):
        return self.spread(low, high) | 1

    def factor(self):
        return f"0x{self.getrandbits(64) | 1 << 63 | 1:X}"

    def cut(self, product, bits):
        """`bits` out of the middle of a product that wraps: not negative."""
        return f"({product} >> {self.randint(20, 62 - bits) if bits <= 42 else 62 - bits} & 0x{(1 << bits) - 1:X})"

    def scattered(self, of, bits):
        """A number of `bits`: as `of` grows, a walk with a constant step, over everything."""
        return self.cut(f"{of} * {self.factor()}", bits)

    def hashed(self, of="i", bits=32, salt=None):
        """A number of `bits` that looks random."""
        return self.cut(f"({of} * {self.factor()} >> {self.randint(26, 36)} ^ {salt or of}) * {self.factor()}", bits)

    def below(self, most, of="i", salt=None):
        """Looks random, 0 to most - 1."""
        if most & most - 1 == 0:
            return self.hashed(of, most.bit_length() - 1, salt)
        return f"{self.hashed(of, min(42, most.bit_length() + 12), salt)} % {most}"

    def window(self, low, high):
        """Elements of a window of `low` to `high` bytes of the widest word, within the array."""
        return min(self.length(low, high) // 8, self.room)

    def base(self):
        """The elements of lanes that a mask divides."""
        spread = max(2, min(8, self.room // self.most_accesses))
        return self.among(["i", "i", f"i * {self.randint(2, spread)}", f"i + {self.randint(1, 31)}",
                            f"i / {self.choice([2, 4, 32])}", f"i % 32 * {self.power(32, 4096)} + i / 32",
                            self.below(self.window(MIB, 2 * GIB)), self.below(self.window(MIB, 2 * GIB)),
                            f"i % {self.window(MIB, 64 * MIB)}"])


# ---- Kinds to fit a model to

@kind(FIT, "affine in two parts of the access: transpositions, walks with a stride that come back")
def affine_two(draw):
    a = draw.length(2, 65536)
    if draw.random() < 0.4:
        return f"i % {a} * (n / {a}) + i / {a}"
    return f"i % {a} * {draw.length(4, min(2 ** 22, (draw.room - draw.most_accesses) // a))} + i / {a}"


@kind(FIT, "multiples of an odd number, of all elements or in blocks: permutations without a pattern at small scale")
def odd_multiples(draw):
    if draw.random() < 0.4:
        return f"i * {draw.odd(3, 2 ** 28)} % n"
    block = draw.power(32, 2 ** 21)
    return f"i / {block} * {block} + i % {block} * {draw.odd(3, block - 1)} % {block}"


@kind(FIT, "tiles of matrices one after another, and blocks dealt to partitions")
def tiles(draw):
    if draw.random() < 0.3:
        block, parts = draw.length(8, 4096), draw.length(2, 512)
        return f"i / {block} % {parts} * (n / {parts}) + i / {block * parts} * {block} + i % {block}"
    wide, high = draw.choice([2, 4, 8, 16, 20, 32, 64]), draw.choice([2, 4, 8, 16, 32, 64])
    across = draw.length(4, 1024)
    tile = wide * high
    return (f"(i / {tile * across} * {high} + i % {tile} / {wide}) * {wide * across}"
            f" + i / {tile} % {across} * {wide} + i % {wide}")


@kind(FIT, "stencils: the points of each cell one after another, by lane or by warp")
def stencil(draw):
    row = draw.length(64, 65536)
    plane = row * draw.length(16, 256)
    points, offset = draw.among([
        (3, "{p} * " + str(row)), (3, "{p}"), (5, f"({{p}} == 0 ? 0 : {{p}} == 4 ? {2 * row} : {row - 2} + {{p}})"),
        (9, f"{{p}} / 3 * {row} + {{p}} % 3"), (27, f"{{p}} / 9 * {plane} + {{p}} / 3 % 3 * {row} + {{p}} % 3")])
    if draw.random() < 0.5:
        return f"i / {points} + {offset.format(p=f'i % {points}')}"
    return f"i / {32 * points} * 32 + i % 32 + {offset.format(p=f'(i / 32 % {points})')}"


@kind(FIT, "random elements of a window: of the size of L1, of L2, of the memory, of what the TLBs reach",
      largest_bytes=32 * GIB)
def random_window(draw):
    low = draw.among([16 * 1024, 512 * 1024, 16 * MIB, 64 * MIB, 512 * MIB, 4 * GIB])
    return draw.below(draw.window(low, 8 * low))


@kind(FIT, "rows of a sparse matrix: their lengths follow a power law, their starts are random")
def sparse_rows(draw):
    shortest = draw.randint(0, 3)
    chunk = draw.randint(8 + shortest, 13)
    number = f"(i >> {chunk})"
    drawn = draw.scattered(number, 12)
    shift = f"({drawn} & 15) * ({drawn} >> 6 & 15) >> 5"
    shift = f"({shortest} + ({shift}))" if shortest else f"({shift})"
    start = draw.below(draw.window(4 * MIB, 4 * GIB) - 2048, f"(i >> {shift})", number)
    return f"{start} + (i & (1 << {shift}) - 1)"


@kind(FIT, "some lanes of every warp: every k-th, the first k, a few in the middle")
def masked_lanes(draw):
    k = draw.randint(2, 31)
    first = draw.randint(0, 24)
    return draw.base(), draw.among([
        f"lane % {draw.choice([2, 3, 4, 5, 8, 16])} == {draw.randint(0, 1)}", f"lane < {k}", f"lane >= {k}",
        f"i % {draw.choice([3, 5, 6, 7, 12, 24])} == 0", f"lane >= {first} && lane < {first + draw.randint(1, 8)}",
        f"lane & {draw.randint(1, 31)}", f"0x{draw.getrandbits(32) | 1:X} >> lane & 1"])


@kind(FIT, "the same elements again after a distance of 1 to 200 MiB")
def repeated_all(draw):
    most = min(200 * MIB // 8, draw.accesses // 2)
    length = draw.length(draw.choice([MIB // 8, min(most, 2 * MIB)]), most)
    return f"i % {length}" + draw.choice(["", "", f" + {draw.randint(1, 63)}", f" * {draw.randint(2, 4)}"])


@kind(FIT, "several lanes, or several warps, at one element")
def duplicates(draw):
    r = draw.choice([2, 3, 4, 5, 8, 12, 16, 32, 64, 100, 256, 1024])
    group = r * draw.choice([2, 8, 32])
    return draw.among([f"i / {r}", f"i / {r} * {r}", f"i / {r} * {draw.randint(1, 2 * r)}", f"i / {group} * {group}"
                        f" + i % {group} / {r}", f"i / {group} * {group} + i % {group // r}"])


@kind(FIT, "a field of structures, or field after field")
def fields(draw):
    size = draw.randint(2, max(2, min(48, draw.room // draw.most_accesses - 1)))
    if draw.random() < 0.6:
        return f"i * {size} + {draw.randint(1, size - 1)}"
    walked = draw.randint(2, size)
    return f"i % (n / {walked}) * {size} + i / (n / {walked})"


@kind(FIT, "whole warps off, or blocks of warps")
def masked_warps(draw):
    k = draw.choice([2, 3, 4, 5, 8, 16])
    block = draw.choice([64, 128, 512, 1024, 4096, 65536])
    return draw.base(), draw.among([
        f"i / 32 % {k} == {draw.randint(0, 1)}", f"i / 32 % {k} != 0", f"warp % {draw.choice([2, 3])} == 0",
        f"warp < {draw.randint(1, 4)}", f"i / {block} % {k} == 0", f"i / {block} % {k} != 1", f"i < n / {k}",
        f"block % {draw.choice([2, 3])} == 0"])


@kind(FIT, "random elements near the access: sorted indices, blocks in random order inside")
def near_the_access(draw):
    reach = draw.length(4, 2 ** 20)
    return draw.among([f"i + {draw.below(reach)}", f"i / {reach} * {reach} + {draw.below(reach)}"])


# ---- Kinds to hold a model against

@kind(HELD_OUT, "affine in three parts of the access: axes of a cube in another order, or any strides")
def affine_three(draw):
    a, c = draw.length(2, 1024), draw.length(2, 1024)
    if draw.random() < 0.5:  # the lengths are those of the axes in the order of the accesses
        sizes = [str(a), str(c), f"(n / {a * c})"]
        order = draw.choice([(2, 1, 0), (1, 2, 0), (2, 0, 1), (1, 0, 2)])  # from the innermost axis in the array
        strides = [""] * 3
        for place, axis in enumerate(order):
            strides[axis] = "".join(f" * {sizes[inner]}" for inner in order[:place])
    else:
        strides = [f" * {draw.length(1, max(2, draw.room // 4 // size))}"
                   for size in (a, c, draw.most_accesses // (a * c) + 1)]
    return f"i % {a}{strides[0]} + i / {a} % {c}{strides[1]} + i / {a * c}{strides[2]}"


@kind(HELD_OUT, "shuffles by xor, in blocks or over all, and blocks in another order")
def shuffles(draw):
    half = draw.randint(5, 16)
    mixed_low = f"(i ^ {draw.scattered(f'(i >> {half})', half)})"
    mixed_high = f"{mixed_low} ^ {draw.scattered(f'({mixed_low} & {(1 << half) - 1})', 8)} << {half}"
    block = draw.length(16, 65536)
    blocks = f"i / {block} * {draw.odd(3, 2 ** 20)} % (n / {block}) * {block} + i % {block}"
    return draw.among([f"i ^ i >> {draw.randint(1, 20)}", mixed_low, mixed_high, blocks])


@kind(HELD_OUT, "bits in another order: reversed, swapped, along a Morton curve")
def bit_orders(draw):
    def moved(places):  # bit `place` of i goes to `to`
        bits = [(f"i >> {place} & 1" if place else "i & 1", to) for place, to in places]
        return " | ".join(f"({bit}) << {to}" if to else f"({bit})" for bit, to in bits)

    what = draw.among(["reversed", "swapped", "morton", "morton"])
    if what == "reversed":
        bits, first = draw.randint(3, 10), draw.choice([0, 0, 2, 5])
        kept = f"i >> {bits + first} << {bits + first}" + (f" | (i & {(1 << first) - 1})" if first else "")
        return f"{kept} | " + moved((first + bit, first + bits - 1 - bit) for bit in range(bits))
    if what == "swapped":
        low, high = draw.randint(1, 10), draw.randint(1, 12)
        return (f"i >> {low + high} << {low + high} | (i & {(1 << low) - 1}) << {high}"
                f" | i >> {low} & {(1 << high) - 1}")
    side, across = draw.randint(2, 6), draw.randint(0, 8)
    both = 2 * side
    return (f"i >> {both + across} << {both + across} | (i >> {both} & {(1 << across) - 1}) << {side} | "
            + moved([(2 * bit, bit) for bit in range(side)]
                    + [(2 * bit + 1, side + across + bit) for bit in range(side)]))


@kind(HELD_OUT, "windows that slide: each begins before the last one ends")
def sliding_windows(draw):
    wide = draw.length(16, 2 ** 22)
    step = draw.spread(1, wide) if draw.random() < 0.5 else wide // draw.randint(2, 8)
    return f"i / {wide} * {step} + i % {wide}"


@kind(HELD_OUT, "few elements that are hot, and many that are not")
def hot_elements(draw):
    bits = draw.randint(12, 29)
    one, other = draw.hashed(bits=bits), draw.hashed(bits=bits)
    return draw.among([f"{one} < {other} ? {one} : {other}", f"{one} >> {draw.hashed(bits=4)}",
                        f"{one} * {other} >> {bits}", f"{one} & {other}",
                        f"{draw.hashed(bits=8)} < {draw.randint(64, 250)} ? {draw.hashed(bits=10)} : {one}"])


@kind(HELD_OUT, "rows of one length that begin anywhere: embeddings, particles, lists of neighbours")
def gathered_rows(draw):
    row = draw.length(2, 4096)
    window = draw.window(2 * MIB, 4 * GIB)
    if draw.random() < 0.6:
        return f"{draw.below(max(2, window // row), f'(i / {row})')} * {row} + i % {row}"
    return f"{draw.below(window - row, f'(i / {row})')} + i % {row}"


@kind(HELD_OUT, "lanes off at random, as many as it happens to be in each warp, or whole warps at random")
def random_lanes(draw):
    share = draw.choice([8, 16, 32, 64, 100, 128, 192, 224, 250])
    return draw.base(), draw.among([
        f"{draw.hashed(bits=8)} < {share}", f"{draw.hashed('(i / 32)', 5)} >= lane",
        f"{draw.hashed('(i / 32)', 8)} < {share}", f"{draw.hashed('(i / 4)', 8)} < {share}",
        f"{draw.hashed('(i / 32)', 1)} && {draw.hashed(bits=8)} < {share}",
        f"{draw.hashed(f'(i / {draw.choice([256, 1024, 8192])})', 8)} < {share}"])


@kind(HELD_OUT, "rows with a gap after each: images with a pitch, some fields of structures")
def pitched_rows(draw):
    row = draw.length(2, 8192)
    pitch = min(row + draw.length(1, 4 * row), max(row + 1, row * (draw.room // draw.most_accesses - 1)))
    return f"i / {row} * {pitch} + i % {row}" + draw.choice(["", "", " + 1", " + 5"])


@kind(HELD_OUT, "columns of a matrix, several beside each other, down and down again")
def column_walks(draw):
    wide, high = draw.choice([1, 2, 3, 4, 8, 12, 16, 32]), draw.length(64, 16384)
    across = draw.length(4, 1024)
    strip, width = wide * high, wide * across
    matrix = f"i / {strip * across} * {strip * across}"
    if wide == 1:
        return f"{matrix} + i / {high} % {across} + i % {high} * {across}"
    return f"{matrix} + i / {strip} % {across} * {wide} + i % {wide} + i / {wide} % {high} * {width}"


@kind(HELD_OUT, "in order, but not from where a line begins, not forwards, or not from the first lane",
      words=(4, 8, 16))
def misaligned(draw):
    c, wide = draw.randint(1, 63), draw.choice([8, 16, 32, 64, 256])
    return draw.among([f"i + {c}", f"n - 1 - i + {c}", f"i / {wide} * {wide} + (i + {c}) % {wide}",
                        f"i + i / {wide} % {draw.randint(2, 9)} * {c}", f"(i ^ {draw.randint(1, 31)}) + {c}",
                        f"i / {wide} * {wide} + {wide - 1} - i % {wide}"])


@kind(HELD_OUT, "block after block, each several times: reuse in L1, in L2 or beyond")
def repeated_blocks(draw):
    block, times = draw.length(128, min(8 * MIB, draw.accesses // 2)), draw.randint(2, 16)
    return f"i / {block * times} * {block} + i % {block}"


@kind(HELD_OUT, "a stream beside another pattern, by lane or by warp: indices with what they point to")
def mixed(draw):
    turn = draw.choice([1, 32, 256])
    stream = "i / 2" if turn == 1 else f"i / {2 * turn} * {turn} + i % {turn}"
    other = draw.among([draw.below(draw.window(MIB, 2 * GIB)), f"i % {draw.window(64 * 1024, 32 * MIB)}",
                         f"i / 2 * {draw.randint(2, 4)}",
                         f"i % {turn * 2} * {draw.power(32, 2 ** 16)} + i / {turn * 2}"])
    switch = "i & 1" if turn == 1 else f"i / {turn} & 1"
    return f"{switch} ? n / 2 + {other} : {stream}"
