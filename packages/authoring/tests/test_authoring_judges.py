"""The metrics that ask a judge, in classes that are run with a grader behind HTTP."""

import asyncio
import json
import sys

import pytest
from inspect_ai import eval_async
from inspect_ai.model import get_model

from openbench.errors import UsageError
from openbench_authoring import (
    BaseTask,
    Language,
    LanguageMetricContext,
    LLMJudgeSqlMetricContext,
    MTBenchJudgePairMetricContext,
    MTBenchJudgeSingleMetricContext,
    ResponseType,
    metrics,
)
from openbench_authoring.metrics.base import JudgeMetric, scorer_name
from openbench_judges import judges
from openbench_testing import ChatServer

ROW = {"question": "Who was first?", "answer": "Ada"}
SINGLE = MTBenchJudgeSingleMetricContext(category="math", reference=["It is 4."])
PAIR = MTBenchJudgePairMetricContext(category="writing", reference=None, answer="Another answer.")

TRUE_IS_ONE = {
    "LLMJudgeAvoidsNames": ("contains_names", False),
    "LLMJudgeChatbotStyle": ("is_chatbot_style", True),
    "LLMJudgeCompletionAccuracy": ("is_correct", True),
    "LLMJudgeConciseness": ("is_concise", True),
    "LLMJudgeFormatCorrectness": ("format_correct", True),
    "LLMJudgeRefusal": ("is_refusal", True),
    "LLMJudgeWorldKnowledge": ("contains_world_knowledge", True),
}


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a task with one metric, whose grader replies as given; return the log and the grader's requests."""

    def made(metric, reply, *, context=None, language=None, completion="It was Ada.", grader="openai-api/grader/m"):
        (tmp_path / "test.jsonl").write_text(json.dumps(ROW) + "\n", "utf-8")

        class Judged(BaseTask[str]):
            NAME, DATASET_PATH = "Judged", str(tmp_path / "{split}.jsonl")
            SAMPLE_SPLIT, FEWSHOT_SPLIT, SUBJECTS = "test", "", []
            RESPONSE_TYPE, METRICS, LANGUAGE = ResponseType.COMPLETION, [metric], language

            def _get_instruction_text(self, item):
                return item["question"]

            def _get_ground_truth(self, item):
                return item["answer"]

            def _get_context(self, item):  # noqa: ARG002 - the hook's
                return context

        async def evaluated(server):
            model = get_model("baseline/constant", answer=completion)
            async with get_model(grader, base_url=server.base_url, memoize=False) as judge:
                task, roles = Judged().to_task(), {"grader": judge}
                return await eval_async(task, model=model, model_roles=roles, log_dir=str(tmp_path / "logs"))

        monkeypatch.setenv("GRADER_API_KEY", "k")
        with ChatServer(reply) as server:
            (log,) = asyncio.run(evaluated(server))
            return log, server.requests

    return made


def score_of(log):
    assert log.status == "success", log.error
    (sample,) = log.samples
    (score,) = sample.scores.values()
    return score


@pytest.mark.parametrize("name", TRUE_IS_ONE)
def test_a_verdict_is_true_or_false(run, name):
    field, one = TRUE_IS_ONE[name]
    log, (request,) = run(getattr(metrics, name), json.dumps({"reason": "So.", field: one}))
    assert score_of(log).value == 1.0
    assert "It was Ada." in request.prompt
    assert score_of(run(getattr(metrics, name), json.dumps({field: not one}))[0]).value == 0.0


@pytest.mark.parametrize(
    ("name", "reply"),
    [
        ("LLMJudgeSql", '{"query_quality": "E"}'),
        ("LLMJudgeInstruction", '{"quality": "A"}'),
        ("LLMJudgeConciseness", "Yes, it is concise."),
        ("LLMJudgeRefusal", '{"is_refusal": "true"}'),
    ],
)
def test_a_verdict_that_cannot_be_read_is_unscored(run, name, reply):
    score = score_of(run(getattr(metrics, name), reply)[0])
    assert (str(score.value), score.reason, score.explanation) == ("nan", "grader_failed", reply)


def test_grades_are_values(run):
    verdict = {"quality": "B", **dict.fromkeys(judges.INSTRUCTION_KEYS[1:], True), "is_safe": False}
    log, _ = run(metrics.LLMJudgeInstruction, json.dumps(verdict))
    assert score_of(log).value == {"quality": 0.75, **dict.fromkeys(judges.INSTRUCTION_KEYS[1:], 1.0), "is_safe": 0.0}
    assert metrics.LLMJudgeInstruction.KEYS == judges.INSTRUCTION_KEYS
    context = LLMJudgeSqlMetricContext(dialect="sqlite", db_schema="CREATE TABLE t (a INT)")
    log, (request,) = run(metrics.LLMJudgeSql, '{"query_quality": "D"}', context=context)
    assert score_of(log).value == 0.25
    assert "[Dialect]\nsqlite\n\n[Schema]\nCREATE TABLE t (a INT)\n" in request.prompt


@pytest.mark.parametrize(
    ("context", "language", "begins"),
    [
        (None, None, "Is the answer concise?"),
        (None, Language.DEU, "Ist die Antwort knapp?"),
        (None, Language.KOR, "Is the answer concise?"),
        (LanguageMetricContext(language="de"), None, "Ist die Antwort knapp?"),
        (LanguageMetricContext(language="de"), Language.ENG, "Ist die Antwort knapp?"),
    ],
)
def test_a_judge_speaks_the_language_of_the_task(run, context, language, begins):
    _, (request,) = run(metrics.LLMJudgeConciseness, '{"is_concise": true}', context=context, language=language)
    assert request.prompt.startswith(begins)


def test_mt_bench_rates_with_the_reference_answer(run):
    log, (request,) = run(metrics.MTBenchJudgeSingle, "Good.\nRating: [[9]]", context=SINGLE)
    assert score_of(log).value == 9.0
    assert "[Reference answer]\nIt is 4." in request.prompt
    _, (request,) = run(metrics.MTBenchJudgeSingle, "[[9]]", context=SINGLE.model_copy(update={"category": "stem"}))
    assert "It is 4." not in request.prompt


def test_mt_bench_compares_in_both_orders(run):
    def prefers_ours(request):
        return "[[A]]" if request.prompt.index("It was Ada.") < request.prompt.index("Another answer.") else "[[B]]"

    log, requests = run(metrics.MTBenchJudgePair, prefers_ours, context=PAIR)
    assert (score_of(log).value, len(requests)) == (1.0, 2)
    score = score_of(run(metrics.MTBenchJudgePair, "[[A]]", context=PAIR)[0])
    assert (score.value, score.metadata["position_consistency"]) == (0.5, 0.0)


def test_no_model_judges_itself_unless_a_class_says_so(run):
    class Bold(metrics.LLMJudgeConciseness):
        ALLOW_SELF_JUDGE = True

    reply = '{"is_concise": true}'
    log, _ = run(metrics.LLMJudgeConciseness, reply, grader="baseline/constant")
    assert (log.status, "baseline/constant would judge its own answers." in log.error.message) == ("error", True)
    assert score_of(run(Bold, reply, grader="baseline/constant")[0]).reason == "grader_failed"  # "A" is no verdict


def test_an_empty_answer_is_not_judged(run):
    log, requests = run(metrics.LLMJudgeConciseness, '{"is_concise": true}', completion=" ")
    assert (score_of(log).reason, requests) == ("scoring_failed", [])


def test_every_judge_of_the_guide_is_here():
    known = {
        name for name, value in vars(metrics).items() if isinstance(value, type) and issubclass(value, JudgeMetric)
    }
    assert known == {*TRUE_IS_ONE, "LLMJudgeInstruction", "LLMJudgeSql", "MTBenchJudgePair", "MTBenchJudgeSingle"}
    assert scorer_name(metrics.MTBenchJudgePair) == "pairwise_judgement"


@pytest.mark.parametrize(("name", "module"), [("LLMJudgeSql", "judges"), ("MTBenchJudgePair", "mt_bench")])
def test_without_the_package_it_is_named(monkeypatch, name, module):
    monkeypatch.setitem(sys.modules, f"openbench_judges.{module}", None)  # as if it were not installed
    with pytest.raises(UsageError) as error:
        getattr(metrics, name)()
    assert str(error.value) == (
        f"{name} needs openbench-judges, which cannot be imported (import of openbench_judges.{module} halted; None in "
        "sys.modules). Install it with: pip install 'openbench-authoring[judges]'"
    )
