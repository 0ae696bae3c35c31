"""Start-up: commands that only list, and the way to the first model request."""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pairs import cpu_seconds, in_turns, report

from openbench_testing import ChatServer

BENCH = str(Path(sys.executable).with_name("bench"))
FEW = 10
MANY = 200
PER_PACKAGE = 10

IDLE = """
import typer
app = typer.Typer()
@app.command()
def first() -> None: pass
@app.command()
def second() -> None: pass
app()
"""

METADATA = """
from openbench.metadata import BenchmarkMetadata, DatasetSource
BENCHMARKS = {{
    f"made_{number}_{{index}}": BenchmarkMetadata(
        f"Made {{index}}", "A benchmark that was made up to be listed", "made", ["made"], "made_{number}.task", "task",
        builtin=True, dataset=DatasetSource(source="made/up", revision="0" * 40),
    )
    for index in range({count})
}}
"""

TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import json_dataset, Sample
from inspect_ai.scorer import includes
from openbench.utils import BenchmarkMetadata
__metadata__ = BenchmarkMetadata("First", "First request", "made", [], __name__, "first")
@task
def first():
    return Task(dataset=json_dataset({rows!r}, lambda row: Sample(input=row["q"], target=row["a"])), scorer=includes())
"""

BY_HAND = """
import sys
from inspect_ai import eval
from first import first
eval(first(), model="openai-api/local/m", model_base_url=sys.argv[1], display="none", log_dir=sys.argv[2],
     log_realtime=False, score_display=False, ctl_server=False)
"""


def make_packages(folder: Path, count: int) -> Path:
    """Install packages of ten benchmarks by hand: a package folder and a dist-info folder each; return the folder."""
    folder.mkdir()
    for number in range(count):
        package = folder / f"made_{number}"
        package.mkdir()
        (package / "__init__.py").touch()
        (package / "metadata.py").write_text(METADATA.format(number=number, count=PER_PACKAGE))
        (package / "task.py").write_text("def task(size: int = 1, *, name: str = 'x') -> None: ...\n")
        info = folder / f"openbench_made_{number}-1.0.0.dist-info"
        info.mkdir()
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: openbench-made-{number}\nVersion: 1.0.0\n")
        (info / "entry_points.txt").write_text(
            f"[openbench.benchmarks]\nmade-{number} = made_{number}.metadata:BENCHMARKS\n"
        )
    return folder


def made(folder: Path, count: int) -> dict[str, str]:
    """Make packages, and return the variables with which `bench` finds these and no others, whatever is installed."""
    names = ",".join(f"openbench-made-{number}" for number in range(count))
    return {"PYTHONPATH": str(make_packages(folder, count)), "OPENBENCH_PLUGINS": names}


def first_request_seconds(command: list[str], server: ChatServer, folder: Path) -> float:
    """Start a command, and return the seconds until the server has its first request."""
    seen = len(server.requests)
    start = time.perf_counter()
    process = subprocess.Popen(
        command,
        cwd=folder,
        env={"PATH": "", "LOCAL_API_KEY": "x"},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while len(server.requests) == seen and process.poll() is None:
        time.sleep(0.002)
    seconds = time.perf_counter() - start
    if process.wait() != 0:
        sys.exit(f"failed: {command}")
    return seconds


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=9)
    runs = parser.parse_args().runs
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # installed packages have bytecode
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        few, many = made(folder / "few", FEW), made(folder / "many", MANY)
        explained = {**many, "OPENBENCH_PLUGINS": f"{many['OPENBENCH_PLUGINS']},openbench-doctor"}  # it has --why
        idle = folder / "idle.py"
        idle.write_text(IDLE)
        times = in_turns(
            runs,
            idle=lambda: cpu_seconds([sys.executable, str(idle), "first"], {}),
            idle_help=lambda: cpu_seconds([sys.executable, str(idle), "--help"], {}),
            list=lambda: cpu_seconds([BENCH, "list"], few),
            describe=lambda: cpu_seconds([BENCH, "describe", "made_3_3"], few),
            help=lambda: cpu_seconds([BENCH, "--help"], few),
            list_many=lambda: cpu_seconds([BENCH, "list"], many),
            describe_many=lambda: cpu_seconds([BENCH, "describe", "made_3_3", "--why"], explained),
            help_many=lambda: cpu_seconds([BENCH, "--help"], many),
        )
        print(f"CPU of an idle typer command, and of bench with {FEW} and {MANY} packages of {PER_PACKAGE} benchmarks")
        report(times, base="idle", bounds={"list": 1.3, "describe": 1.3, "list_many": 2.2})

        rows = folder / "rows.jsonl"
        rows.write_text("\n".join(json.dumps({"q": f"Say {number}", "a": "yes"}) for number in range(4)))
        (folder / "first.py").write_text(TASK.format(rows=str(rows)))
        (folder / "by_hand.py").write_text(BY_HAND)
        with ChatServer(answer="yes") as server:
            bench = [BENCH, "eval", "first.py", "--model", "openai-api/local/m", "--model-base-url", server.base_url]
            hand = [sys.executable, "by_hand.py", server.base_url, "logs"]
            times = in_turns(
                max(3, runs // 2),
                by_hand=lambda: first_request_seconds(hand, server, folder),
                eval=lambda: first_request_seconds(bench, server, folder),
            )
        print("\nto the first model request")
        report(times, base="by_hand", bounds={"eval": 1.15})


if __name__ == "__main__":
    main()
