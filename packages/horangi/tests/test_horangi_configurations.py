"""The declarations, Horangi's own prompts, the suite and the leaderboard."""

import re
from pathlib import Path

import pytest
from inspect_ai import eval as inspect_eval

from openbench.datasets import bundled_rows
from openbench.errors import DataError, UsageError
from openbench.registry.sources import package_folder
from openbench_analysis.leaderboard.config import leaves, read_leaderboard
from openbench_horangi import LEADERBOARD, _registry, configurations, tasks
from openbench_horangi.configurations import declaration, published_fields
from openbench_horangi.metadata import BENCHMARKS, CONFIGURATIONS, GROUPS, PREFIX

SAMPLES = package_folder(tasks.__name__) / "samples"
PUBLISHED = '''
"""A benchmark."""
from core.benchmark_config import BenchmarkConfig

CONFIG = BenchmarkConfig(
    data_type="weave",
    system_message="""답만 적으세요.
형식: \\\\boxed{정답}""",
)
'''


def test_every_benchmark_is_a_task_with_sample_rows():
    assert set(_registry.__all__) == set(BENCHMARKS)
    assert {path.name for path in SAMPLES.iterdir()} == set(BENCHMARKS)
    assert all(BENCHMARKS[name].function_name == name for name in BENCHMARKS)


def test_the_suite_is_what_horangi_runs_for_every_model():
    members = GROUPS["horangi"].benchmarks
    assert len(members) == 22
    assert {"horangi_kmmlu", "horangi_bfcl", "horangi_ko_balt_700_syntax"} <= set(members)
    assert "horangi_ko_hallulens_longwiki" not in members


def test_the_leaderboard_has_exactly_the_suite_and_its_weights():
    board = read_leaderboard(LEADERBOARD)
    shares = [(benchmark.name, path, share) for path, benchmark, share in leaves(board)]
    assert {name for name, _, _ in shares} == set(GROUPS["horangi"].benchmarks)
    of = {path: share for _, path, share in shares}
    assert of["glp/syntax/horangi_ko_balt_700_syntax"] == pytest.approx(0.5 / 18)
    assert of["glp/coding/horangi_swebench_verified_official_80"] == pytest.approx(0.5 * 2 / 18)
    assert of["alignment/ethics/horangi_ko_moral"] == pytest.approx(0.1)
    assert of["alignment/truth/horangi_ko_truthful_qa"] == pytest.approx(0.1 / 3)


def test_the_leaderboard_is_found_by_its_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert read_leaderboard(Path("horangi")) == read_leaderboard(LEADERBOARD)
    with pytest.raises(UsageError, match="horangy cannot be read"):
        read_leaderboard(Path("horangy"))


def test_fields_are_read_without_running_the_file():
    assert published_fields(PUBLISHED, "kmmlu.py") == {
        "data_type": "weave",
        "system_message": "답만 적으세요.\n형식: \\boxed{정답}",
    }


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("CONFIGURATION = {}", "kmmlu.py does not assign CONFIG"),
        ("CONFIG = BenchmarkConfig(limit=len('x'))", "kmmlu.py: a field of CONFIG is not a literal: "),
    ],
)
def test_a_file_that_is_not_a_configuration(code, message):
    with pytest.raises(DataError, match=re.escape(message)):
        published_fields(code, "kmmlu.py")


@pytest.fixture
def published(monkeypatch):
    """Serve local files instead of Horangi's."""

    def read(_, *, variable=None):
        return "{question}\n\n{choices}\n\n{letters} 가운데 하나" if variable else PUBLISHED

    monkeypatch.setattr(configurations, "read_text", read)


@pytest.mark.usefixtures("published")
@pytest.mark.parametrize("name", sorted(CONFIGURATIONS))
def test_the_official_prompts_reach_the_model(name, tmp_path):
    with bundled_rows(SAMPLES / f"{PREFIX}{name}"):
        task = getattr(_registry, PREFIX + name)(prompts="official", limit=1)
    (log,) = inspect_eval(task, model="mockllm/model", log_dir=str(tmp_path), display="none", score=False)
    first, question = log.samples[0].messages[:2]
    assert first.text == "답만 적으세요.\n형식: \\boxed{정답}"
    if declaration(name).solver == "korean_multiple_choice":
        assert question.text.endswith(" 가운데 하나")


def test_an_unknown_value_of_prompts_is_rejected():
    with pytest.raises(UsageError, match=re.escape("prompts='theirs': expected one of 'ours', 'official'.")):
        tasks.horangi_kmmlu(prompts="theirs")
