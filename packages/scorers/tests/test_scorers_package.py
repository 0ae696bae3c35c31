"""The package as it is installed: names, weight, extras, and all scorers in one evaluation."""

import re
import subprocess
import sys
from importlib.metadata import entry_points, version
from pathlib import Path

import pytest
from inspect_ai.log import read_eval_log
from inspect_ai.util import registry_info

from openbench.errors import UsageError
from openbench_components.components import find_component
from openbench_scorers import _registry

OURS = [entry for entry in entry_points(group="openbench.scorers") if entry.value.startswith("openbench_scorers.")]
ENTRIES = [entry for entry in OURS if entry.name == entry.attr]  # others are further names
VERSION = f"openbench-scorers {version('openbench-scorers')}"
NEEDS = {"attempts": "template", "json_judge": "criterion", "json_judge_pair": "criterion"}
LIBRARIES = {
    "bleu": "sacrebleu",
    "chrf": "sacrebleu",
    "comet": "comet",
    "ter": "sacrebleu",
    "rouge": "rouge_score",
    "language": "lingua",
    "symbolic": "math_verify",
}


def run(*arguments):
    done = subprocess.run(
        [sys.executable, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=200
    )
    assert done.returncode == 0, done.stderr
    return done


def available(name):
    try:
        __import__(LIBRARIES.get(name, "openbench"))
    except ImportError:
        return False
    return True


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_every_short_name_is_a_scorer_that_inspect_finds(entry):
    assert entry.load() is getattr(_registry, entry.name)


def test_every_scorer_has_a_short_name_and_a_line_in_the_table():
    metrics = {name for name in _registry.__all__ if registry_info(getattr(_registry, name)).type == "metric"}
    names = {entry.name for entry in ENTRIES}
    assert names == set(_registry.__all__) - metrics
    readme = Path(__file__).parent.parent / "README.md"
    assert set(re.findall(r"^\| `(\w+)`", readme.read_text("utf-8"), re.MULTILINE)) == names


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda entry: entry.name)
def test_every_short_name_resolves(entry):
    """It is made by its defaults, or says what it needs."""
    component = find_component("scorer", entry.name)
    assert component.distribution == "openbench-scorers"
    registered = registry_info(component.factory)
    assert (registered.type, registered.name) == ("scorer", f"openbench_scorers/{entry.name}")
    if entry.name in NEEDS:
        with pytest.raises(UsageError) as error:
            component.create()
        assert str(error.value).startswith(f"The scorer {entry.name} ({VERSION}) cannot be created: ")
        assert all(f"'{name}'" in str(error.value) for name in NEEDS[entry.name].split(", "))
    elif available(entry.name):
        assert registry_info(component.create()).name == registered.name


def test_the_registry_is_light():
    script = (
        "import sys, inspect_ai.scorer, inspect_ai.solver, inspect_ai.util, openbench_scorers.model_graded\n"
        "before = set(sys.modules); import openbench_scorers._registry\n"
        "heavy = {'sacrebleu', 'rouge_score', 'lingua', 'nltk', 'numpy.linalg'} & (set(sys.modules) - before)\n"
        "assert not heavy, heavy\n"
    )
    run("-c", script)


@pytest.mark.parametrize(
    ("module", "call", "extra"),
    [
        ("sacrebleu", "overlap.bleu()", "text"),
        ("rouge_score", "rouge.rouge()", "text"),
        ("lingua", "language.language()", "language"),
    ],
)
def test_a_missing_library_is_refused_with_the_way_out(module, call, extra):
    script = (
        f"import sys; sys.modules[{module!r}] = None\n"
        f"from openbench_scorers import {call.partition('.')[0]}\n"
        "from openbench.errors import UsageError\n"
        f"try: {call}\n"
        "except UsageError as error: print(error)\n"
    )
    assert f"pip install 'openbench-scorers[{extra}]'" in run("-c", script).stdout


TASK = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from openbench.utils import BenchmarkMetadata
from openbench_scorers import _registry as ours

__metadata__ = BenchmarkMetadata("All", "All scorers.", "text", [], __name__, "everything")

OPTIONS = {
    "attempts": {"template": "{question} {target} {answer}"},
    "macro_f1": {"labels": ["alpha", "beta"]},
    "json_judge": {"criterion": "It is right."},
    "json_judge_pair": {"criterion": "It is right."},
    "length_control": {"unit": "words", "bound": "max", "count": 3},
    "language": {"expected": "en", "candidates": ["de", "en"]},
}


@task
def everything(scorers: str = "") -> Task:
    samples = [Sample(f"Say alpha, {n}.", target="alpha" if n else "beta", id=n) for n in range(3)]
    names = scorers.split("+")
    return Task(samples, scorer=[getattr(ours, name)(**OPTIONS.get(name, {})) for name in names])
"""


def test_all_scorers_in_one_evaluation(bench, tmp_path):
    names = sorted(entry.name for entry in ENTRIES if available(entry.name))
    (tmp_path / "everything.py").write_text(TASK, "utf-8")
    model = ["--model", "baseline/constant", "-M", "answer=alpha", "--model-role", "grader=baseline/grader"]
    scorers = f"scorers={'+'.join(names)}"
    (result,) = bench("eval", "everything.py", "--json", *model, "-T", scorers, cwd=tmp_path).json()
    figures = result["metrics"]
    assert figures["macro_f1"] == {"macro_f1": pytest.approx((0.8 + 0) / 2)}
    assert figures["graded_panel"]["accuracy"] == pytest.approx(2 / 3)
    assert figures["json_judge"]["mean"] == figures["json_judge_pair"]["mean"] == pytest.approx(2 / 3)
    assert figures["fulfilled"]["mean"] == 1.0
    assert figures["is_valid_json"]["mean"] is None  # every sample is unscored
    log = read_eval_log(tmp_path / result["log"])
    reasons = {name: score.reason for name, score in log.samples[0].scores.items()}
    assert reasons["grid_match"] == reasons["json_format"] == "scoring_failed"  # the target is neither
    unscored = {score.name: score.unscored_samples for score in log.results.scores}
    assert unscored["grid_match"] == 3
    (scored,) = bench("score", result["log"], "--json", cwd=tmp_path).json()
    assert scored["metrics"].keys() == figures.keys()


JUDGED = """
from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from openbench.utils import BenchmarkMetadata
from openbench_scorers._registry import graded_panel, json_judge

__metadata__ = BenchmarkMetadata("Judged", "Judged.", "text", [], __name__, "judged")


@task
def judged() -> Task:
    model = "baseline/grader"
    scorers = [graded_panel([model] * 3), json_judge("It is right.", model=model)]
    return Task([Sample("Say alpha.", target="alpha", id=1)], scorer=scorers)
"""


def test_a_judge_of_its_own_needs_no_other(bench, tmp_path):
    (tmp_path / "judged.py").write_text(JUDGED, "utf-8")
    model = ["--model", "baseline/constant", "-M", "answer=alpha"]
    (result,) = bench("eval", "judged.py", *model, "--json", cwd=tmp_path).json()
    assert result["metrics"]["graded_panel"]["accuracy"] == result["metrics"]["json_judge"]["mean"] == 1.0
