"""A benchmark that imports what others' benchmarks import, and how the modules appear under `openbench`."""

import importlib
import json
import subprocess
import sys

import pytest

from openbench.config import get_all_benchmarks, get_benchmark_metadata, load_task
from openbench.metadata import BenchmarkMetadata
from openbench.registry.compat import CompatFinder

MODULES = [
    "metrics.grouped",
    "scorers.fallback_scorer",
    "scorers.grade_school_math",
    "scorers.open_answer",
    "scorers.qa",
    "scorers.robust_boxed",
    "scorers.score_boxed",
    "scorers.score_last_number",
    "utils.image",
]


@pytest.mark.parametrize("name", MODULES)
def test_a_module_has_two_names_and_is_one_module(name):
    module = importlib.import_module(f"openbench.{name}")
    assert module is importlib.import_module(f"openbench_compat.{name}")
    assert module is sys.modules[f"openbench.{name}"]
    assert module.__name__ == module.__spec__.name == f"openbench_compat.{name}"


def test_names_that_modules_of_the_kernel_lack():
    from openbench.scorers import aime_scorer, create_open_answer_scorer, robust_mcq_scorer
    from openbench.scorers.mcq import create_mcq_scorer, grouped_mcq_scorer, simple_mcq_scorer
    from openbench.utils import BenchmarkMetadata as Metadata
    from openbench.utils import extract_image_bytes, image_bytes_to_data_uri, pil_image_to_bytes
    from openbench.utils.metadata import BenchmarkMetadata as Again
    from openbench.utils.text import MULTIPLE_CHOICE_PROMPT_TEMPLATE, get_token_count, strip_md_latex

    assert Metadata is Again is BenchmarkMetadata
    assert all(map(callable, [aime_scorer, create_open_answer_scorer, robust_mcq_scorer, create_mcq_scorer]))
    assert all(map(callable, [grouped_mcq_scorer, simple_mcq_scorer, get_token_count, strip_md_latex]))
    assert all(map(callable, [extract_image_bytes, image_bytes_to_data_uri, pil_image_to_bytes]))
    assert "{option_a}" in MULTIPLE_CHOICE_PROMPT_TEMPLATE


def test_what_neither_has_is_not_there():
    with pytest.raises(ImportError, match=r"^cannot import name 'nothing' from 'openbench\.utils\.text'"):
        from openbench.utils.text import nothing  # noqa: F401
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'openbench\.utils\.nothing'$"):
        importlib.import_module("openbench.utils.nothing")
    with pytest.raises(ModuleNotFoundError, match=r"^No module named 'openbench\.nothing'$"):
        importlib.import_module("openbench.nothing")
    assert not hasattr(importlib.import_module("openbench.scorers"), "__nothing__")
    assert importlib.util.find_spec("openbench.utils.nothing") is None


def test_an_eval_that_imports_its_neighbour_imports_no_images(tmp_path):
    (tmp_path / "helper.py").write_text("VALUE = 3", "utf-8")
    code = f"""
import sys
from openbench.utils.imports import import_module_from_same_dir
assert import_module_from_same_dir({str(tmp_path / "eval.py")!r}, "helper").VALUE == 3
assert not {{"PIL", "inspect_ai", "datasets"}} & sys.modules.keys()
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def test_an_import_says_that_the_package_is_missing(monkeypatch):
    """A finder of ours in front hides the package, as an environment without it would."""

    class Hidden(CompatFinder):
        def find_spec(self, fullname, path=None, target=None):  # noqa: ARG002 - Python's
            if fullname.partition(".")[0] == "openbench_compat":
                raise ModuleNotFoundError("hidden", name="openbench_compat")

    loaded = [name for name in sys.modules if name.startswith("openbench_compat")]
    aliases = [f"openbench.{name}" for name in MODULES]
    for name in [*loaded, *aliases]:
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr("openbench.registry.compat.find_spec", lambda _name: None)
    monkeypatch.setattr(sys, "meta_path", [Hidden(), *sys.meta_path])
    way_out = "openbench-compat, which is not installed, may have it: pip install openbench-compat"
    with pytest.raises(ModuleNotFoundError) as error:
        importlib.import_module("openbench.utils.image")
    assert (str(error.value), error.value.name) == (
        f"No module named 'openbench.utils.image'. {way_out}",
        "openbench_compat",
    )
    with pytest.raises(ImportError) as error:
        from openbench.utils.text import get_token_count  # noqa: F401
    assert str(error.value) == f"cannot import name 'get_token_count' from 'openbench.utils.text'. {way_out}"
    with pytest.raises(ImportError, match=r"^No module named 'openbench\.scorers\.robust_mcq_scorer'\. "):
        from openbench.scorers import robust_mcq_scorer  # noqa: F401
    from openbench.scorers import answer_phrases
    from openbench.utils import mcq

    assert mcq.MCQEval
    assert answer_phrases.ENGLISH


METADATA = """
from openbench.utils import BenchmarkMetadata

def suite():
    where = dict(category="community", tags=["memory"], module_path="acme_memory.task")
    return {
        "acme_memory": BenchmarkMetadata(
            name="Acme memory", description="Remembering.", function_name="acme_memory", **where),
        "acme_pictures": BenchmarkMetadata(
            name="Acme pictures", description="Seeing.", function_name="acme_pictures", is_alpha=True, **where),
    }
"""
TASK = """
import base64
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageUser, ContentImage, ContentText
from inspect_ai.scorer import Score, accuracy, scorer, stderr
from inspect_ai.solver import generate, system_message
from openbench.metrics.grouped import grouped
from openbench.scorers.fallback_scorer import fallback_scorer
from openbench.scorers.mcq import grouped_mcq_scorer, robust_mcq_scorer
from openbench.scorers.score_boxed import score_boxed
from openbench.scorers.score_last_number import score_last_integer
from openbench.utils.image import compress_image, extract_image_bytes, image_bytes_to_data_uri
from openbench.utils.text import CYBENCH_SYSTEM_MESSAGE, parse_json_from_response, strip_md_latex
from PIL import Image

@scorer(metrics=[accuracy(), stderr(), grouped([accuracy(), stderr()], "kind", all=False)])
def memory_scorer():
    async def score(state, target):
        said = parse_json_from_response(state.output.completion).get("answer", "")
        return Score(value=float(strip_md_latex(said) == target.text), answer=said)
    return score

@task
def acme_memory():
    samples = [Sample(f"Where is {kind}?", target="here", metadata={"kind": kind}) for kind in ("it", "that")]
    return Task(
        MemoryDataset(samples),
        solver=[system_message(CYBENCH_SYSTEM_MESSAGE), generate()],
        scorer=[memory_scorer(), fallback_scorer([score_boxed(), score_last_integer()])],
    )

@task
def acme_pictures():
    picture = compress_image(extract_image_bytes({"bytes": extract_image_bytes(Image.new("RGB", (2, 2)))}))
    content = [ContentText(text="A) red\\nB) black"), ContentImage(image=image_bytes_to_data_uri(picture))]
    sample = Sample([ChatMessageUser(content=content)], target="B", metadata={"kind": "colour"})
    return Task([sample], scorer=[robust_mcq_scorer(), grouped_mcq_scorer("kind")])
"""


@pytest.fixture
def acme(tmp_path, monkeypatch):
    """Install a small benchmark of the community's: its code beside a folder with its metadata."""
    from openbench.registry.discovery import registered

    package = tmp_path / "acme_memory"
    package.mkdir()
    for name, source in {"__init__": "", "metadata": METADATA, "task": TASK}.items():
        (package / f"{name}.py").write_text(source, "utf-8")
    info = tmp_path / "acme_memory-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-memory\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text("[openbench.benchmarks]\nacme = acme_memory.metadata:suite\n", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    clear = getattr(registered, "cache_clear", lambda: None)
    clear()
    yield tmp_path
    clear()
    for name in [name for name in sys.modules if name.startswith("acme_memory")]:
        del sys.modules[name]


def test_a_benchmark_of_the_community_runs_as_it_is(acme, monkeypatch, capfd):
    from openbench.cli.main import run

    monkeypatch.chdir(acme)
    monkeypatch.setenv("COLUMNS", "80")
    answer = 'answer=```json\n{"answer": "**here**", "n": 7}\n```'
    code = run(["eval", "acme_memory", "--model", "baseline/constant", "-M", answer, "--json"])
    out, err = capfd.readouterr()
    assert code == 0, err
    [result] = json.loads(out)
    assert (result["benchmark"], result["score"], result["samples"]) == ("acme_memory", 1.0, 2)
    code = run(["eval", "acme_pictures", "--alpha", "--model", "baseline/constant", "-M", "answer=Answer: B", "--json"])
    out, err = capfd.readouterr()
    assert (code, json.loads(out)[0]["score"]) == (0, 1.0), err


@pytest.mark.usefixtures("acme")
def test_benchmarks_by_name_from_python():
    from openbench import config

    assert config.TASK_REGISTRY["acme_pictures"] == "acme_memory.task.acme_pictures"
    assert "acme_memory" in get_all_benchmarks()
    assert "acme_pictures" not in get_all_benchmarks()
    assert get_all_benchmarks(include_alpha=True)["acme_pictures"].name == "Acme pictures"
    assert get_benchmark_metadata("acme-memory").name == "Acme memory"
    assert get_benchmark_metadata("no_such_benchmark") is None
    assert load_task("acme_memory").__name__ == "acme_memory"
    with pytest.raises(ValueError, match=r"^acme_pictures is experimental\. Load it with allow_alpha=True\.$"):
        load_task("acme_pictures")
    assert (
        load_task("acme_pictures", allow_alpha=True)()
        .dataset[0]
        .input[0]
        .content[1]
        .image.startswith("data:image/png;base64,")
    )
    with pytest.raises(ValueError, match=r"^acme_memry: no benchmark, group or path of this name\. Did you mean"):
        load_task("acme_memry")
    with pytest.raises(ImportError):
        from openbench.config import nothing  # noqa: F401
