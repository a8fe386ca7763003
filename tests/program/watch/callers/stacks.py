"""A program that compares its stack, as a library that it calls sees it, with what Python says of it:
   stacks.py LIBRARY
It runs with every version of Python from 3.8 on. It prints the differences, and the exit code is 1 if there are any."""

import asyncio
import ctypes
import functools
import json
import sys
import threading

library = ctypes.CDLL(sys.argv[1])  # which releases the interpreter's lock around calls
locked = ctypes.PyDLL(sys.argv[1])  # which does not
ROOM = 1 << 20
failures = []
kinds = set()


def qualified(code):
    return getattr(code, "co_qualname", code.co_name)


def seen(call):
    text = ctypes.create_string_buffer(ROOM)
    call.gpumem_frames(text, ROOM)
    return json.loads(text.value.decode("utf-8"))


def compare(kind, call=library):
    """Looks at the stack, as both see it. The two are asked in one line, so that the frame has the same line."""
    found, frame, line = seen(call), sys._getframe(), sys._getframe().f_lineno
    expected = []
    while frame is not None and len(expected) < 64:
        expected.append([frame.f_code.co_filename, line, qualified(frame.f_code), frame.f_globals.get("__name__", "")])
        frame = frame.f_back
        line = frame and frame.f_lineno
    kinds.add(kind)
    # The function that calls the library is one more, and takes one place of the 64.
    mine = [frame[:4] for frame in found[1:]]
    if mine != expected[:63] or not mine:
        failures.append((kind, mine, expected))
    return found


def nested():
    def inner():
        def innermost():
            compare("nested functions")
        innermost()
    inner()


def generator():
    compare("generator")
    yield 1
    compare("resumed generator")
    yield 2


def delegating():
    yield from generator()


class Model:
    scale = property(lambda self: compare("property"))

    def __init__(self):
        compare("constructor")

    def __call__(self, depth):
        return self.forward(depth)

    def forward(self, depth):
        if depth > 0:
            return self(depth - 1)
        return compare("methods")

    @staticmethod
    def still():
        compare("static method")

    @classmethod
    def of_class(cls):
        compare("class method")


def wrapped(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)
    return wrapper


@wrapped
@wrapped
def decorated():
    compare("decorators")


async def waited(depth):
    if depth > 0:
        await waited(depth - 1)
    else:
        compare("coroutine")
        await asyncio.sleep(0)
        compare("resumed coroutine")


def recursive(depth):
    if depth > 0:
        return recursive(depth - 1)
    return compare("deep recursion")


def with_exception():
    try:
        raise ValueError
    except ValueError:
        compare("handler")
    finally:
        compare("finally")


def größe_φ_長さ_𠀀():
    compare("names beyond ASCII")


def many_lines(count):
    """Code whose line table has large steps both ways, and lines so long that columns take several bytes."""
    source = "def far(compare):\n" + "\n" * count + "  x = 1\n" + "\n" * 300 + "  compare('far lines')\n"
    source += "  (" + "\n" * 200 + "  compare('a call over many lines')\n)\n"
    source += "  " + "x = (" + "1, " * 5000 + "1); compare('a very long line')\n"
    source += "  for i in range(2):\n" + "\n" * 150 + "    compare('loop')\n"
    names = {"__name__": "made"}
    exec(compile(source, "made up.py", "exec"), names)
    names["far"](compare)


def in_thread():
    compare("thread")
    compare("thread that holds the lock", locked)


nested()
(lambda: compare("lambda"))()
[compare("list comprehension") for _ in range(2)]
list(compare("generator expression") for _ in range(2))
list(delegating())
sorted([3, 1], key=lambda value: (compare("called by C"), value)[1])
list(map(lambda value: compare("called by C, in between"), [1]))
functools.reduce(lambda left, right: compare("two C calls"), [1, 2, 3])
model = Model()
model(5)
model.scale
Model.still()
Model.of_class()
decorated()
asyncio.new_event_loop().run_until_complete(waited(3))
recursive(20)
recursive(500)
with_exception()
größe_φ_長さ_𠀀()
many_lines(1000)
exec("compare('exec')")
eval("compare('eval')")
exec(compile("def f(): compare('no module')\nf()", "<made>", "exec"), {"compare": compare})
compare("holding the lock", locked)
threads = [threading.Thread(target=in_thread) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
class Body:
    compare("class body")

is_library = {frame[0]: frame[4] for frame in compare("libraries")}
if is_library[__file__]:
    failures.append(("this file taken for a library's", is_library, None))

for kind, mine, expected in failures[:5]:
    print(f"{kind}:\n  seen     {mine}\n  expected {expected}")
print(f"Python {sys.version.split()[0]}: {len(kinds)} kinds of frames, {len(failures)} differ")
sys.exit(1 if failures else 0)
