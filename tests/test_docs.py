"""The pages of docs/, played literally: every command of a console block, and what it prints if the page shows it.

Blocks of other languages with a title (`toml title=quiz.toml`) are files in the directory where the commands run.
"""

import doctest
import os
import re
import shlex
import signal
import subprocess
from dataclasses import dataclass

import pytest

from .conftest import ROOT, Environment, kernel_requirements

PAGES = sorted((ROOT / "docs").glob("*.md"))
FILE = re.compile(r"^```\w+ title=(\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
DONE = "-- the command has ended with "


@dataclass
class Step:
    """A command, and the output that the page shows of it; none if it shows nothing."""

    command: str
    shown: str = ""


def steps(page):
    found = []
    for line in "".join(BLOCK.findall(page.read_text("utf-8"))).splitlines(keepends=True):
        if line.startswith("$ "):
            found.append(Step(line[2:].rstrip("\n")))
        else:
            found[-1].shown += line
    return found


class Shell:
    """A shell, as someone has it who follows a page: directories and background jobs last from command to command."""

    def __init__(self, folder, environment):
        self._process = subprocess.Popen(
            ["bash"],
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.killpg(self._process.pid, signal.SIGKILL)
        self._process.communicate()

    def run(self, command):
        """Run a command and return its exit code and what it printed."""
        self._process.stdin.write(f'eval {shlex.quote(command)} < /dev/null\necho "{DONE}$?"\n')
        self._process.stdin.flush()
        printed = ""
        for line in self._process.stdout:
            if line.startswith(DONE):
                return int(line.removeprefix(DONE)), printed
            printed += line
        raise AssertionError(printed)


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """An environment with what the kernel needs from elsewhere, where a page's own installations take seconds."""
    made = Environment.make(tmp_path_factory.mktemp("reader"))
    made.install(*kernel_requirements())
    return made


@pytest.mark.stress  # each page installs packages into an environment of its own
@pytest.mark.timeout(600)
@pytest.mark.parametrize("page", [pytest.param(page, id=page.stem) for page in PAGES])
def test_a_page_can_be_followed(page, environment, wheels, tmp_path):
    binaries = environment.folder / "env" / "bin"
    variables = {
        **{name: value for name, value in os.environ.items() if name not in {"PYTHONPATH", "VIRTUAL_ENV"}},
        "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}",
        "PIP_FIND_LINKS": " ".join(filter(None, [os.environ.get("PIP_FIND_LINKS"), str(wheels)])),
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        "PIP_ROOT_USER_ACTION": "ignore",
    }
    ours = [name for name in environment.installed() if name.startswith(("openbench", "acme"))]
    if ours:  # each page begins without any
        environment.command("pip", "uninstall", "--yes", *ours)
    for name, text in FILE.findall(page.read_text("utf-8")):
        (tmp_path / name).write_text(text, "utf-8")
    with Shell(tmp_path, variables) as shell:
        for step in steps(page):
            code, printed = shell.run(step.command)
            assert code == 0, f"$ {step.command}\n{printed}"
            flags = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
            same = not step.shown or doctest.OutputChecker().check_output(step.shown, printed, flags)
            assert same, f"$ {step.command}\n{printed}\n-- where the page shows\n{step.shown}"


def test_there_are_pages_with_commands():
    assert {page.stem for page in PAGES if steps(page)} >= {
        "how-names-are-resolved",
        "override-a-benchmark",
        "publish-a-private-benchmark",
        "run-at-scale",
        "write-a-benchmark",
    }
