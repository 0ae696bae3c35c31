"""Both engines give the same log of every benchmark that is installed, on its own sample rows."""

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest
from inspect_ai.log import read_eval_log

from openbench.registry.benchmark import find_benchmark
from openbench.registry.catalog import Catalog
from openbench.run.local_executor import LocalExecutor
from openbench.run.plan import EvalOptions, Job, ModelSpec, Plan
from openbench.tasks.provenance import METADATA_KEY

CATALOG = Catalog.installed()
NAMES = sorted(key for key, resolution in CATALOG.resolutions.items() if resolution.winner)
OURS = [name for name in NAMES if find_benchmark(CATALOG, name).samples_directory()]
OF_EACH: dict[str, list[str]] = {}
"""The benchmarks of each distribution."""
for name in OURS:
    OF_EACH.setdefault(find_benchmark(CATALOG, name).distribution, []).append(name)
FIRST = [names[0] for names in OF_EACH.values()]

DYNAMIC = {
    find_benchmark(CATALOG, name).reference
    for name in OURS
    if {"tools", "vision"} & set(find_benchmark(CATALOG, name).metadata.needs)
}
"""Those that offer tools or show images: only Inspect's engine runs them."""

CASES = Path(__file__).parent.parent / "packages/fast/tests/engine_cases.py"


@pytest.fixture(scope="module")
def cases() -> ModuleType:
    spec = spec_from_file_location("engine_cases", CASES)
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(
    ("baseline", "names"),
    [
        pytest.param("random", FIRST, id="random-one-of-each"),
        pytest.param("reference", FIRST, id="reference-one-of-each"),
        *(
            pytest.param("random", names, id=f"random-{distribution}", marks=pytest.mark.stress)
            for distribution, names in OF_EACH.items()
        ),
        pytest.param("reference", OURS, id="reference", marks=pytest.mark.stress),
    ],
)
def test_engines_agree_on_every_benchmark(tmp_path, monkeypatch, cases, baseline, names):
    monkeypatch.chdir(tmp_path)  # some write the patches or predictions of a run beside it
    jobs = [
        Job(
            benchmark=find_benchmark(CATALOG, name).reference,
            task_args={},
            model=ModelSpec(name=f"baseline/{baseline}"),
        )
        for name in names
    ]

    def logs(engine):
        plan = Plan(
            jobs=jobs,
            sample=True,
            reference=baseline == "reference",
            model_roles={"grader": ModelSpec(name="baseline/grader")},
            options=EvalOptions(log_dir=str(tmp_path / engine), fail_on_error=False),
            engine=engine,
        )
        results = LocalExecutor(CATALOG, display="none").execute(plan)
        assert all(result.log for result in results), [result.error for result in results]
        return {result.job.benchmark: read_eval_log(result.log.location) for result in results}

    ours, theirs = logs("auto"), logs("inspect")
    engines = {name: log.eval.metadata[METADATA_KEY]["engine"]["name"] for name, log in ours.items()}
    assert engines == {name: "inspect" if name in DYNAMIC else "direct" for name in ours}
    for name, log in ours.items():
        assert cases.told(log) == cases.told(theirs[name]), name
