"""A folder of distributions that a test installs manually."""

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from openbench_testing.commands.bench import Bench, Done, environment

METADATA = """
from openbench.utils import BenchmarkMetadata

def made(name="Quiz", description="Questions.", category="acme", tags=("trivia",), module="acme_quiz.task",
         function="quiz", **fields):
    return BenchmarkMetadata(name, description, category, tags, module, function, **fields)
"""


class Site:
    """A folder of manually installed distributions, on the path of separate processes.

    Its module `acme` has the function `made(...)`, which creates metadata with the category "acme".
    """

    def __init__(self, folder: Path, bench: Bench | None = None) -> None:
        self.folder = folder
        self._bench = bench
        self.write({"acme.py": METADATA, "acme_quiz/__init__.py": "", "acme_quiz/task.py": "def quiz(): ..."})

    def write(self, files: dict[str, str]) -> None:
        """Write files by their paths."""
        for name, text in files.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")

    def install(
        self,
        name: str,
        files: dict[str, str],
        *,
        version: str = "1.0",
        requires: Sequence[str] = (),
        **entry_points: dict[str, str],
    ) -> None:
        """Install a distribution with files, requirements and entry points, by their group without `openbench.`."""
        lines = [
            f"[openbench.{group}]\n" + "".join(f"{name} = {value}\n" for name, value in values.items())
            for group, values in entry_points.items()
        ]
        info = f"{name.replace('-', '_')}-{version}.dist-info"
        metadata = f"Metadata-Version: 2.4\nName: {name}\nVersion: {version}\n"
        metadata += "".join(f"Requires-Dist: {requirement}\n" for requirement in requires)
        self.write({**files, f"{info}/METADATA": metadata, f"{info}/entry_points.txt": "\n".join(lines)})

    def python(self, *arguments: object, **variables: str) -> Done:
        """Run Python with arguments."""
        done = subprocess.run(
            [sys.executable, *map(str, arguments)],
            cwd=self.folder,
            env={**self._environment(), **variables},
            capture_output=True,
            text=True,
            check=False,
            timeout=100,
        )
        return Done(done.returncode, done.stdout, done.stderr)

    def bench(self, *arguments: object, **variables: str) -> Done:
        """Run `bench` with arguments, in a fork of the warm process if the site has one."""
        if self._bench:
            return self._bench.run(arguments, {**self._environment(), **variables}, cwd=self.folder)
        return self.python("-c", "from openbench.cli.main import main; main()", *arguments, **variables)

    def _environment(self) -> dict[str, str]:
        path = os.pathsep.join(filter(None, [str(self.folder), os.environ.get("PYTHONPATH")]))
        return {**environment(self.folder), "PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1"}
