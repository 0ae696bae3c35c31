"""Attempts to forge a verdict: none may work."""

import pytest

from openbench_sandbox import Limits, check

pytestmark = pytest.mark.anyio
TESTS = "assert add(1, 2) == 3\nassert add(20, 22) == 42\nassert add(-1, 1) == 0\n"

CHEATS = {
    "ends before the tests": "import sys; sys.exit(0)",
    "ends hard before the tests": "import os; os._exit(0)",
    "ends when called": "import sys\ndef add(a, b): sys.exit(0)",
    "ends hard when called": "import os\ndef add(a, b): os._exit(0)",
    "ends by a signal": "import os\ndef add(a, b): os.kill(os.getpid(), 9)",
    "ends at once in a thread": "import os, threading\nthreading.Timer(0.01, os._exit, [0]).start()\ndef add(a, b):\n    import time; time.sleep(5)",
    "prints what success looks like": "print('passed', flush=True)\nprint('[\"passed\", \"\"]', flush=True)\ndef add(a, b): print('OK'); return 0",
    "writes to every file descriptor": """
import os
for number in range(64):
    for text in (b'["passed", ""]\\n', b'passed\\n'):
        try: os.write(number, text)
        except OSError: pass
def add(a, b): return 0
""",
    "answers before a request": """
import json, os
os.write(3, (json.dumps(["value", {"add": {"kept": 0}}]) + "\\n").encode())
for _ in range(9): os.write(3, (json.dumps(["value", [True, None]]) + "\\n").encode())
def add(a, b): return 0
""",
    "returns names that were not requested": """
import json, os
found = {"add": {"kept": 0}, "__builtins__": {"dict": []}, "AssertionError": 1, "__name__": "x"}
os.write(3, (json.dumps(["value", found]) + "\\n").encode())
def add(a, b): return 0
""",
    "is equal to everything": """
class Any(int):
    def __eq__(self, other): return True
    def __ne__(self, other): return False
    __hash__ = int.__hash__
def add(a, b): return Any(7)
""",
    "returns an object that is equal to everything": """
class Any:
    def __eq__(self, other): return True
    def __bool__(self): return True
def add(a, b): return Any()
""",
    "changes functions of Python": """
import builtins
builtins.AssertionError = type('Fine', (), {}); builtins.exec = lambda *args: None; builtins.compile = lambda *args: None
def add(a, b): return 0
""",
    "changes the checker": """
import sys
for name, module in list(sys.modules.items()):
    if 'checker' in name or name == '__main__':
        for attribute in ('_outcome', 'decode', 'encode', 'wanted'): setattr(module, attribute, lambda *args: 'passed')
def add(a, b): return 0
""",
    "changes a trace or a hook": """
import atexit, os, sys
sys.excepthook = lambda *args: os._exit(0)
sys.settrace(lambda *args: None); atexit.register(os._exit, 0)
def add(a, b): return 0
""",
    "looks for what is expected in its frames": """
import gc, sys
def add(a, b):
    frame = sys._getframe()
    while frame:
        for value in [*frame.f_locals.values(), *frame.f_globals.values()]:
            if isinstance(value, str) and f'add({a}, {b}) ==' in value:
                return int(value.split(f'add({a}, {b}) ==')[1].split()[0])
        frame = frame.f_back
    for value in gc.get_objects():
        if isinstance(value, dict):
            for text in list(value.values()):
                if isinstance(text, str) and f'add({a}, {b}) ==' in text and 'frame' not in text:
                    return int(text.split(f'add({a}, {b}) ==')[1].split()[0])
    return 0
""",
    "looks for what is expected in files": """
import os
def add(a, b):
    for folder in ('/proc', '/tmp', '/run'):
        for place, _, names in os.walk(folder):
            for name in names:
                path = os.path.join(place, name)
                if not any(p in path for p in ('kmsg', 'trace', '/task/', 'pagemap', 'kcore', 'kpage')) and os.path.isfile(path) and str(os.getpid()) not in path and '/self/' not in path:
                    try: text = open(path, 'rb').read(1 << 20)
                    except OSError: continue
                    if f'add({a}, {b}) =='.encode() in text: return a + b
    return 0
""",
    "looks into the memory of its parent": """
import os
def add(a, b):
    for pid in (os.getppid(), 1):
        for name in ('mem', 'environ', 'maps', 'fd/0', 'fd/1', 'fd/5', 'stack'):
            try:
                with open(f'/proc/{pid}/{name}', 'rb') as file:
                    if b'7f' in file.read(100) or True: return a + b
            except OSError: pass
    return 0
""",
    "writes its parent's verdict": """
import os
def add(a, b):
    for pid in (os.getppid(), 1):
        for number in range(16):
            try: os.write(os.open(f'/proc/{pid}/fd/{number}', os.O_WRONLY), b'passed'); return a + b
            except OSError: pass
    return 0
""",
    "kills the tests": "import os, signal\ndef add(a, b): os.kill(os.getppid(), signal.SIGKILL)",
    "kills everything": "import os, signal\nos.kill(-1, signal.SIGKILL)\ndef add(a, b): return 0",
    "raises what could be taken for an end": "def add(a, b): raise SystemExit(0)",
    "raises what could be taken for no error": "def add(a, b): raise GeneratorExit",
    "sends what cannot be read": "import os\ndef add(a, b): os.write(3, b'[[[[[[' * 10000 + b'\\n'); return 0",
    "sends too much": "def add(a, b): return 'x' * (100 << 20)",
    "is not Python": "def add(a, b) return 3",
    "has nothing of the name": "def plus(a, b): return a + b",
    "puts a function in place of Python's": "def isinstance(a, b): return True\ndef add(a, b): return 0",
}


@pytest.mark.parametrize("cheat", CHEATS)
async def test_a_program_has_not_passed_that(cheat, kind):
    verdict = await check(CHEATS[cheat], TESTS, kind=kind, limits=Limits(time=8, memory=256 << 20))
    assert verdict.outcome == "failed", verdict


async def test_a_program_that_waits_has_not_passed(kind):
    verdict = await check("def add(a, b):\n    while True: pass", TESTS, kind=kind, limits=Limits(time=0.5))
    assert (verdict.outcome, verdict.detail) == ("timeout", "longer than 0.5 seconds")
    busy = Limits(time=20, cpu=0.5)
    verdict = await check("def add(a, b):\n    while True: pass", TESTS, kind=kind, limits=busy)
    assert (verdict.outcome, verdict.detail) == ("timeout", "longer than 0.5 seconds of CPU time")


async def test_an_honest_program_has_passed(kind):
    assert (await check("def add(a, b): return a + b", TESTS, kind=kind)).outcome == "passed"
