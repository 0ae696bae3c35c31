"""A team's life with private benchmarks: a package index of its own, pip, an override, its upgrade and its end."""

import contextlib
import json
import re
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import pytest

from .conftest import Environment, build_wheel, kernel_requirements, run

pytestmark = pytest.mark.stress

BENCH = Path(sys.executable).with_name("bench")
FORK = "acme-openbench-simpleqa"


@contextlib.contextmanager
def package_index(folder):
    """Serve a folder of wheels as a package index, and give its address."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = Path(sys.executable).with_name("pypi-server")
    process = subprocess.Popen(
        [server, "run", "--interface", "127.0.0.1", "-p", str(port), "--disable-fallback", folder],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://127.0.0.1:{port}/simple/"
    try:
        for _ in range(300):
            with contextlib.suppress(URLError), urlopen(address):
                break
            time.sleep(0.1)
        yield address
    finally:
        process.terminate()
        process.wait(30)


@pytest.fixture(scope="module")
def sources(tmp_path_factory):
    """Scaffold a private benchmark, and a fork of SimpleQA that overrides it."""
    folder = tmp_path_factory.mktemp("sources")
    run(BENCH, "new", "capitals", "--style", "mcq", "--distribution", "acme-capitals", cwd=folder)
    overrides = ["--distribution", FORK, "--overrides", "openbench-simpleqa"]
    run(BENCH, "new", "simpleqa", "--style", "graded", *overrides, cwd=folder)
    return folder


def publish(project, index):
    """Build a project's wheel and put it where the index finds it."""
    with contextlib.suppress(FileNotFoundError):
        shutil.rmtree(project / "dist")
    build_wheel(project, project / "dist")
    for wheel in (project / "dist").glob("*.whl"):
        shutil.copy(wheel, index)


def set_version(project, version):
    path = project / "pyproject.toml"
    path.write_text(re.sub(r'(?m)^version = ".*"', f'version = "{version}"', path.read_text("utf-8")), "utf-8")


def test_from_a_private_index_to_a_score_and_back(tmp_path, wheels, sources):
    served = tmp_path / "served"
    served.mkdir()
    for wheel in wheels.glob("*.whl"):
        shutil.copy(wheel, served)
    publish(sources / "acme-capitals", served)
    publish(sources / FORK, served)
    team = Environment.make(tmp_path)
    team.install(*kernel_requirements())  # what does not come from the private index

    with package_index(served) as index:

        def pip(*arguments):
            return team.command("pip", *arguments)

        def bench(*arguments):
            return team.command("bench", *arguments, cwd=tmp_path)

        def evaluated(*names):
            told = bench("eval", *names, "--sample", "--baseline", "reference", "--json")
            runs = json.loads(told.stdout)
            assert [each["score"] for each in runs] == [1.0] * len(names)
            return {each["benchmark"]: (each["distribution"], each["version"]) for each in runs}, told.stderr

        def listed():
            return {each["key"]: each["distribution"] for each in json.loads(bench("list", "--json").stdout)}

        pip("install", "--index-url", index, "openbench-doctor", "openbench-simpleqa", "acme-capitals", FORK)
        assert listed() == {"capitals": "acme-capitals", "simpleqa": FORK}
        runs, told = evaluated("simpleqa", "capitals")
        assert runs == {"simpleqa": (FORK, "1.0.0"), "capitals": ("acme-capitals", "1.0.0")}
        assert f"simpleqa: {FORK} 1.0.0 in place of openbench-simpleqa 1.0.0" in told
        assert evaluated("simpleqa@openbench-simpleqa")[0] == {"simpleqa": ("openbench-simpleqa", "1.0.0")}

        set_version(sources / FORK, "1.1.0")
        publish(sources / FORK, served)
        pip("install", "--index-url", index, "--upgrade", FORK)
        assert evaluated("simpleqa")[0] == {"simpleqa": (FORK, "1.1.0")}
        assert bench("doctor").stdout.startswith("No problems: ")

        pip("uninstall", "--yes", FORK)
        assert listed() == {"capitals": "acme-capitals", "simpleqa": "openbench-simpleqa"}
        runs, told = evaluated("simpleqa")
        assert runs == {"simpleqa": ("openbench-simpleqa", "1.0.0")}
        assert "in place of" not in told
