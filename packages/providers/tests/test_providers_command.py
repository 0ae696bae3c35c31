"""Tests of `bench providers`, and of `bench eval` with a provider."""

import json
import subprocess
import sys

import pytest
import typer
from inspect_ai.log import read_eval_log
from typer.testing import CliRunner

from openbench_providers.command import command, provider_rows
from openbench_providers.inspects import DOCUMENTATION
from openbench_providers.table import PROVIDERS

APP = typer.Typer()
APP.command()(command)

MAIN = "from openbench.cli.main import main; main()"


def lines(*arguments, width=300):
    done = CliRunner().invoke(APP, arguments, env={"COLUMNS": str(width)})
    assert done.exit_code == 0
    return {line.split()[0]: line.split(maxsplit=1)[1] for line in done.output.splitlines()}


def test_a_line_shows_the_package_and_the_key(monkeypatch):
    monkeypatch.setenv("VERCEL_OIDC_TOKEN", "sk-of-mine")
    monkeypatch.setenv("HF_TOKEN", "hf-of-mine")
    shown = {name: " ".join(line.split()) for name, line in lines().items()}
    assert next(iter(shown.items())) == ("provider", "package any of key models")
    assert shown["cerebras"] == (
        "openbench-providers CEREBRAS_API_KEY not set https://inference-docs.cerebras.ai/models/overview"
    )
    assert shown["vercel"] == (
        "openbench-providers AI_GATEWAY_API_KEY, VERCEL_OIDC_TOKEN set https://vercel.com/ai-gateway/models"
    )
    assert shown["hf-inference-providers"] == f"inspect-ai HF_TOKEN set {DOCUMENTATION}"
    assert shown["groq"] == f"inspect-ai GROQ_API_KEY not set {DOCUMENTATION}"
    assert shown["ollama"] == f"inspect-ai no key - {DOCUMENTATION}"
    assert shown["lambda"].startswith("openbench-providers LAMBDA_API_KEY closed ")
    assert shown["lambda"].endswith("(its inference API was shut down in September 2025)")
    assert "of-mine" not in str(shown)


@pytest.mark.parametrize(
    ("width", "groq"),
    [
        (130, "inspect-ai GROQ_API_KEY not set"),
        (80, "GROQ_API_KEY not set"),
        (20, "GROQ_API_KEY not set"),
    ],
)
def test_a_narrow_terminal_omits_addresses_and_then_packages(width, groq):
    shown = lines(width=width)
    assert len(shown) == 1 + len(provider_rows())
    assert " ".join(shown["groq"].split()) == groq


def test_no_line_wraps_at_80_columns():
    done = CliRunner().invoke(APP, env={"COLUMNS": "80"})
    assert max(map(len, done.output.splitlines())) <= 80


def test_set_lists_only_providers_whose_key_is_set(monkeypatch):
    for row in provider_rows():
        for key in row.keys:
            monkeypatch.delenv(key, raising=False)
    assert list(lines("--set")) == ["provider"]
    monkeypatch.setenv("GROQ_API_KEY", "sk-of-mine")
    monkeypatch.setenv("CO_API_KEY", "sk-of-mine")
    assert list(lines("--set")) == ["provider", "cohere", "groq"]
    listed = json.loads(CliRunner().invoke(APP, ["--set", "--json"]).stdout)
    assert [each["name"] for each in listed] == ["cohere", "groq"]


def test_json_lists_each_provider_once_and_no_key(monkeypatch):
    for provider in PROVIDERS:
        monkeypatch.setenv(provider.keys[0], "sk-of-mine")
    done = CliRunner().invoke(APP, ["--json"])
    listed = json.loads(done.stdout)
    names = [each["name"] for each in listed]
    assert names == sorted(set(names))
    ours = {each["name"]: each for each in listed if each["distribution"] == "openbench-providers"}
    assert ours.keys() == {provider.name for provider in PROVIDERS}
    assert all(each["key_set"] for each in ours.values())
    assert ours["deepinfra"] == {
        "name": "deepinfra",
        "distribution": "openbench-providers",
        "keys": ["DEEPINFRA_API_KEY", "DEEPINFRA_TOKEN"],
        "key_set": True,
        "base_url": "https://api.deepinfra.com/v1/openai",
        "models": "https://deepinfra.com/models",
        "note": "",
    }
    assert "sk-of-mine" not in done.output


def test_a_name_that_inspect_adds_is_listed_as_inspects(monkeypatch):
    monkeypatch.setattr("openbench_providers.command.inspect_names", lambda: frozenset({"cerebras"}))
    rows = {row.name: row for row in provider_rows()}
    assert rows["cerebras"].distribution == "inspect-ai"
    assert (rows["cerebras"].keys, rows["cerebras"].key_set) == ((), None)
    assert rows["cerebras"].note == "see its documentation"


def test_the_command_is_light():
    script = (
        "import sys; sys.argv = ['bench', 'providers']\n"
        "import atexit; atexit.register(lambda: sys.stderr.write(str('inspect_ai' in sys.modules)))\n" + MAIN
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stderr) == (0, "False")
    assert len(done.stdout.splitlines()) == 1 + len(provider_rows())


EVAL = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes

from openbench.utils import BenchmarkMetadata

__metadata__ = BenchmarkMetadata("Letters", "Letters.", "knowledge", [], __name__, "letters")


@task
def letters() -> Task:
    return Task([Sample("Which?", target="A", id=n) for n in range(3)], scorer=includes())
"""


@pytest.fixture
def folder(tmp_path):
    """A folder with an eval of three samples."""
    (tmp_path / "letters.py").write_text(EVAL, "utf-8")
    return tmp_path


def test_an_evaluation(bench, folder, serve):
    with serve("Answer: A") as server:
        variables = {"NOVITA_API_KEY": "sk-test", "NOVITA_BASE_URL": f"{server.address}/openai/v1"}
        done = bench("eval", "letters.py", "--model", "novita/zai-org/glm-5", "--json", cwd=folder, **variables)
    assert done.code == 0, done.err
    (result,) = done.json()
    assert (result["model"], result["score"], result["completed"]) == ("novita/zai-org/glm-5", 1.0, 3)
    assert server.paths == ["/openai/v1/chat/completions"] * 3
    log = read_eval_log(result["log"])
    assert list(log.stats.model_usage) == ["novita/zai-org/glm-5"]
    assert "sk-test" not in log.model_dump_json()


def test_the_address_of_one_run_and_a_missing_key(bench, folder, serve):
    with serve("Answer: A") as server:
        arguments = ["eval", "letters.py", "--model", "cerebras/m", "--model-base-url", f"{server.address}/v1"]
        done = bench(*arguments, cwd=folder)
        assert (done.code, done.out) == (2, "")
        assert done.err == "bench: cerebras/m: no API key is set. Set CEREBRAS_API_KEY.\n"
        done = bench(*arguments, cwd=folder, CEREBRAS_API_KEY="sk-test")
        assert done.code == 0, done.err
        assert server.paths == ["/v1/chat/completions"] * 3
