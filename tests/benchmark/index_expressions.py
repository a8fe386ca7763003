"""Index expressions as engine/pattern/expression.hpp has them, worked out in Python: at one access, and between bounds.

Both are written from the language's description and share nothing with the program, so that what they say of a pattern
is a second opinion.
"""

import re

LEVELS = [["||"], ["&&"], ["|"], ["^"], ["&"], ["==", "!="], ["<", "<=", ">", ">="], ["<<", ">>"], ["+", "-"],
          ["*", "/", "%"]]
PRECEDENCE = {sign: level for level, signs in enumerate(LEVELS) for sign in signs}
VARIABLES = ("i", "n", "lane", "warp", "thread", "block")
TOKEN = re.compile(r"\s*(0[xX][0-9a-fA-F]+|[0-9]+|[a-z]+|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^~!<>?:(),])")
LEAST, MOST = -2 ** 63, 2 ** 63 - 1


class BadExpression(Exception):
    """Text that is no expression."""


def wrapped(value):
    """The value wrapped to 64 bits."""
    return value if LEAST <= value <= MOST else (value - LEAST) % 2 ** 64 + LEAST


# ---- Text to a tree: (operator, operands...), a number, or a variable's name

class Parser:
    def __init__(self, text):
        self.tokens, end = [], 0
        text = text.rstrip()
        while end < len(text):
            found = TOKEN.match(text, end)
            if not found:
                raise BadExpression(f"'{text}': nothing known in column {end + 1}")
            self.tokens.append(found[1])
            end = found.end()
        self.text, self.at = text, 0

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else None

    def take(self, wanted=None):
        token = self.peek()
        if token is None or wanted not in (None, token):
            raise BadExpression(f"'{self.text}': {wanted or 'a value'} is missing")
        self.at += 1
        return token

    def whole(self):
        tree = self.conditional()
        if self.peek() is not None:
            raise BadExpression(f"'{self.text}': '{self.peek()}' is too many")
        return tree

    def conditional(self):
        condition = self.binary(0)
        if self.peek() != "?":
            return condition
        self.take()
        yes = self.conditional()
        self.take(":")
        return "?", condition, yes, self.conditional()

    def binary(self, lowest):
        left = self.unary()
        while PRECEDENCE.get(self.peek(), -1) >= lowest:
            sign = self.take()
            left = sign, left, self.binary(PRECEDENCE[sign] + 1)
        return left

    def unary(self):
        if self.peek() in ("-", "~", "!"):
            return "unary" + self.take(), self.unary()
        return self.primary()

    def primary(self):
        token = self.take()
        if token[0].isdigit():
            return wrapped(int(token, 16 if token[:2] in ("0x", "0X") else 10))
        if token in VARIABLES:
            return token
        if token == "(":
            inner = self.conditional()
            self.take(")")
            return inner
        if token in ("min", "max"):
            self.take("(")
            left = self.conditional()
            self.take(",")
            right = self.conditional()
            self.take(")")
            return token, left, right
        raise BadExpression(f"'{self.text}': '{token}' is no value")


def parse(text):
    return Parser(text).whole()


# ---- The value at one access

def quotient(a, b):
    if b == 0:
        return 0
    return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)


OPERATIONS = {
    "||": lambda a, b: int(a != 0 or b != 0), "&&": lambda a, b: int(a != 0 and b != 0),
    "|": lambda a, b: a | b, "^": lambda a, b: a ^ b, "&": lambda a, b: a & b,
    "==": lambda a, b: int(a == b), "!=": lambda a, b: int(a != b), "<": lambda a, b: int(a < b),
    "<=": lambda a, b: int(a <= b), ">": lambda a, b: int(a > b), ">=": lambda a, b: int(a >= b),
    "<<": lambda a, b: a << b if 0 <= b < 64 else 0, ">>": lambda a, b: a >> (b if 0 <= b < 64 else 63),
    "+": lambda a, b: a + b, "-": lambda a, b: a - b, "*": lambda a, b: a * b, "/": quotient,
    "%": lambda a, b: 0 if b == 0 else a - b * quotient(a, b),
    "unary-": lambda a: -a, "unary~": lambda a: ~a, "unary!": lambda a: int(a == 0),
    "min": min, "max": max, "?": lambda c, a, b: a if c != 0 else b}


def value(tree, place):
    """`place` has the values of the variables by name."""
    if isinstance(tree, int):
        return tree
    if isinstance(tree, str):
        return place[tree]
    return wrapped(OPERATIONS[tree[0]](*(value(operand, place) for operand in tree[1:])))


# ---- Bounds over all accesses. Never too narrow; the same variable in two operands counts as two.

ANY = (LEAST, MOST)


def within(low, high):
    """Beyond 64 bits a value wraps, and may be any."""
    return (low, high) if LEAST <= low and high <= MOST else ANY


def corners(operation, a, b):
    found = [operation(x, y) for x in a for y in b]
    return within(min(found), max(found))


def all_ones(value_):
    return (1 << value_.bit_length()) - 1


def bounds_of_division(a, b):
    if b[0] <= 0:
        return ANY
    return corners(quotient, a, b)


def bounds_of_remainder(a, b):
    if b[0] <= 0:
        return ANY
    most = max(b[1] - 1, 0)
    if a[0] >= 0 and a[1] < b[0]:
        return a
    return (0 if a[0] >= 0 else max(-most, a[0])), (min(most, a[1]) if a[1] >= 0 else 0)


def bounds_of_shift(sign, a, b):
    if b[0] < 0 or b[1] > 63:
        return ANY
    return corners((lambda x, y: x << y) if sign == "<<" else (lambda x, y: x >> y), a, b)


def bounds_of_bits(sign, a, b):
    if sign == "&" and (a[0] >= 0 or b[0] >= 0):
        return 0, min(one[1] for one in (a, b) if one[0] >= 0)
    if a[0] < 0 or b[0] < 0:
        return ANY
    return (max(a[0], b[0]) if sign == "|" else 0), all_ones(max(a[1], b[1]))


def bounds(tree, variables):
    """The least and the most that a tree can be, where `variables` has those of each variable."""
    if isinstance(tree, int):
        return tree, tree
    if isinstance(tree, str):
        return variables[tree]
    sign, *operands = tree
    sides = [bounds(operand, variables) for operand in operands]
    if all(low == high for low, high in sides):
        exact = wrapped(OPERATIONS[sign](*(low for low, _ in sides)))
        return exact, exact
    if sign in ("+", "*"):
        return corners(OPERATIONS[sign], *sides)
    if sign == "-":
        return within(sides[0][0] - sides[1][1], sides[0][1] - sides[1][0])
    if sign == "/":
        return bounds_of_division(*sides)
    if sign == "%":
        return bounds_of_remainder(*sides)
    if sign in ("<<", ">>"):
        return bounds_of_shift(sign, *sides)
    if sign in ("&", "|", "^"):
        return bounds_of_bits(sign, *sides)
    if sign == "unary-":
        return within(-sides[0][1], -sides[0][0])
    if sign == "unary~":
        return ~sides[0][1], ~sides[0][0]
    if sign in ("min", "max"):
        return tuple(map(OPERATIONS[sign], *sides))
    if sign == "?":
        return min(sides[1][0], sides[2][0]), max(sides[1][1], sides[2][1])
    return 0, 1  # comparisons, && || !
