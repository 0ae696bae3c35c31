"""The kernel: prompts, verdicts, panels, swapped positions and agreement."""

import asyncio
import hashlib
import math
import re
import warnings
from contextlib import AsyncExitStack
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.model import get_model
from inspect_ai.scorer import SampleScore, Score

from openbench.errors import UsageError
from openbench_judges import hallulens, hle, judges, mt_bench_prompts
from openbench_judges.agreement import HUMAN_KEY, cohens_kappa, judging
from openbench_judges.pairs import READ_PAIR, compare, swapped
from openbench_judges.panel import Ballot, Panel, Question, Vote, mean_of, scored, verdict_of
from openbench_judges.prompts import JudgePrompt
from openbench_judges.verdicts import flag, grade, json_object, marked, percentage, rating
from openbench_testing import ChatServer, Reply

GRADES = {"A": "CORRECT", "B": "INCORRECT"}
TEN = rating(1, 10)
README = Path(__file__).parent.parent / "README.md"


def question(read=TEN, **changed):
    given = {"label": "test/1/en", "prompt": "Rate it.", "best": "[[10]]", "worst": "[[1]]", "answer": "Rome"}
    return Question(read=read, **{**given, **changed})


@pytest.fixture
def ask(monkeypatch):
    """Ask a panel of as many servers as there are answers."""

    def asked(answers, question, *, evaluated="openai-api/other/m", **options):
        async def run():
            async with AsyncExitStack() as stack:
                graders = []
                for number, answer in enumerate(answers):
                    server = stack.enter_context(ChatServer(answer))
                    monkeypatch.setenv(f"G{number}_API_KEY", "k")
                    grader = get_model(f"openai-api/g{number}/m", base_url=server.base_url, memoize=False)
                    graders.append(await stack.enter_async_context(grader))
                return await Panel.of(graders, **options).ask(question, evaluated=evaluated)

        return asyncio.run(run())

    return asked


# Prompts


PROMPTS = {
    "avoids_names/1": "b862adcd74f2",
    "chatbot_style/1": "52e20d2cf4a5",
    "completion_accuracy/1": "287121ed05d3",
    "conciseness/1": "69ca19fefcf0",
    "format_correctness/1": "029d9c9ef577",
    "hallulens_belief/1": "cbc3e2a496c8",
    "hallulens_qa/1": "37dbe0b6fa30",
    "hle/1": "c98fd900c4b4",
    "instruction/1": "9327e01307b5",
    "mt_bench words": "165f0376815f",
    "mt_bench_pair/1": "c7ba42445205",
    "mt_bench_single/1": "54392d07246c",
    "refusal/1": "3c47a30e06dc",
    "sql/1": "451e88037d0a",
    "world_knowledge/1": "49386222ae30",
}


def digest(*parts):
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:12]


def prompts():
    yield from (each.prompt for each in vars(judges).values() if isinstance(each, judges.Judge))
    for module in (hallulens, hle, mt_bench_prompts):
        yield from (each for each in vars(module).values() if isinstance(each, JudgePrompt))


def test_a_prompt_changes_with_its_version_alone():
    found = {f"{each.name}/{each.version}": digest(each.texts, each.systems) for each in prompts()}
    assert {**found, "mt_bench words": digest(mt_bench_prompts.WORDS)} == PROMPTS


def test_a_prompt_is_rendered_in_its_languages():
    prompt = JudgePrompt("short", 2, {"en": "Is {answer} right?", "de": "Stimmt {answer}?"})
    assert prompt.render("de", answer="{Rom}") == "Stimmt {Rom}?"
    assert (prompt.label("de"), prompt.nearest("fr"), prompt.nearest("de")) == ("short/2/de", "en", "de")
    with pytest.raises(UsageError) as error:
        prompt.render("fr", answer="x")
    assert str(error.value) == "language='fr': the judge short has prompts in 'de', 'en'."


# Verdicts


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Rating: [[7]]", 7.0),
        ("[[7.5]]", 7.5),
        ("At first [[3]], but\n\n**Rating: [[ 8 ]]**\n", 8.0),
        ("Rating: [[8]]\nThat is all.", 8.0),
        ("[[8]] and again [[8]]", 8.0),
        ("<think>[[2]]</think>[[9]]", 9.0),
        ("[[8]] or [[9]]", None),
        ("[[0]]", None),
        ("[[11]]", None),
        ("[[-3]]", None),
        ("[[seven]]", None),
        ("[[rating]]", None),
        ("[7]", None),
        ("7", None),
        ("", None),
    ],
)
def test_ratings_are_read_or_left_open(text, value):
    assert TEN(text) == value


@given(st.text(max_size=60))
def test_nothing_is_read_without_a_mark(text):
    assert "[[" in text or (marked(text) is None and TEN(text) is None and READ_PAIR(text) is None)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("Answer: 4\nConfidence: 85%", 85.0),
        ("**Confidence:** 85\\%", 85.0),
        ("confidence: 99.5%", 99.5),
        ("Confidence: 100", 100.0),
        ("Confidence: 10%\nConfidence: 20%", 20.0),
        ("Confidence: 0.85", None),
        ("Confidence: 80-90%", None),
        ("Confidence: 120%", None),
        ("Confidence: -5%", None),
        ("Confidence: high", None),
        ("I am 90% sure.", None),
        ("", None),
    ],
)
def test_percentages_are_read_or_left_open(text, value):
    assert percentage(text) == value


def test_other_readers():
    assert [grade(GRADES)(text) for text in ("So it is.\nA", "B (INCORRECT)", "A or B")] == ["A", "B", None]
    read = flag("met")
    replies = ('{"met": true}', '```json\n{"met": false, "why": "no"}\n```', '{"met": "true"}', "true")
    assert [read(text) for text in replies] == [True, False, None, None]
    assert json_object({"required": ["a"]})('{"b": 1} {"a": 2}') == {"a": 2}


# Panels


def test_the_majority_and_the_mean_of_a_panel():
    def ballot(*values):
        return Ballot("p/1/en", [Vote(f"g{number}", value, str(value)) for number, value in enumerate(values)])

    assert [verdict_of(ballot(*each)) for each in ("AAB", "AB", "A", [None, "A"], ["A", "A", None])] == [
        *("A", None, "A", None, "A")
    ]
    assert mean_of(ballot(4.0, 8.0)) == 6.0
    assert mean_of(ballot(4.0, None)) is None
    assert mean_of(ballot(4.0, 8.0, None)) == 6.0
    assert (ballot("A").agreement(), ballot(*"AAB").agreement()) == (None, pytest.approx(1 / 3))
    assert ballot("A", None).record() == {
        "prompt": "p/1/en",
        "votes": [
            {"grader": "g0", "verdict": "A", "reply": "A"},
            {"grader": "g1", "verdict": None, "reply": "None"},
        ],
    }


def test_every_grader_is_recorded(ask):
    ballot = ask(["Rating: [[8]]", "Rating: [[6]]", "no idea"], question(system="You judge."))
    assert [(vote.grader, vote.value) for vote in ballot.votes] == [
        ("openai-api/g0/m", 8.0),
        ("openai-api/g1/m", 6.0),
        ("openai-api/g2/m", None),
    ]
    score = scored(mean_of(ballot), [ballot], "Rome", metadata={"turn": 1})
    assert (score.value, score.metadata["turn"], score.metadata["judged"][0]["agreement"]) == (7.0, 1, 0.0)


def test_a_verdict_that_cannot_be_read_leaves_the_answer_unscored(ask):
    ballot = ask([Reply("", finish_reason="content_filter")], question())
    score = scored(mean_of(ballot), [ballot], "Rome")
    assert (math.isnan(score.value), score.reason, ballot.read) == (True, "grader_failed", [])


def test_no_model_judges_itself_unless_allowed(ask):
    with pytest.raises(UsageError) as error:
        ask(["[[9]]"], question(), evaluated="openai-api/g0/m")
    assert str(error.value) == (
        "openai-api/g0/m would judge its own answers. Name another grader with --model-role grader=PROVIDER/MODEL, or "
        "allow it with -T allow_self_judge=true."
    )
    assert mean_of(ask(["[[9]]"], question(), evaluated="openai-api/g0/m", allow_self_judge=True)) == 9.0


def test_a_panel_has_a_grader():
    with pytest.raises(UsageError) as error:
        Panel.of([])
    assert str(error.value) == "models=[]: expected at least one grader, or None for the model of the role grader."


# Swapped positions


@pytest.mark.parametrize(
    ("as_a", "as_b", "outcome"),
    [
        ("win", "win", "win"),
        ("loss", "loss", "loss"),
        ("tie", "tie", "tie"),
        ("win", "loss", "tie"),
        ("win", "tie", "tie"),
        ("win", None, None),
        (None, None, None),
    ],
)
def test_verdicts_that_differ_in_both_orders_are_a_tie(as_a, as_b, outcome):
    assert swapped(as_a, as_b) == outcome


def match(answer, monkeypatch):
    monkeypatch.setenv("PAIR_API_KEY", "k")

    def asked(place):
        first, second = ("ours", "theirs") if place == "A" else ("theirs", "ours")
        return question(READ_PAIR, prompt=f"A says {first}. B says {second}.")

    async def run():
        with ChatServer(answer) as server:
            async with get_model("openai-api/pair/m", base_url=server.base_url, memoize=False) as grader:
                return await compare(Panel.of(grader), asked, evaluated="x/y")

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("answer", "outcome", "consistency"),
    [
        (lambda request: "[[A]]" if "A says ours" in request.prompt else "[[B]]", "win", 1.0),
        (lambda request: "[[B]]" if "A says ours" in request.prompt else "[[A]]", "loss", 1.0),
        ("[[A]]", "tie", 0.0),
        ("[[C]]", "tie", 1.0),
        (lambda request: "[[A]]" if "A says ours" in request.prompt else "neither", None, None),
    ],
)
def test_a_judge_that_decides_by_position_has_no_preference(answer, outcome, consistency, monkeypatch):
    found = match(answer, monkeypatch)
    assert (found.outcome, found.consistency()) == (outcome, consistency)


# Agreement


@given(st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from("xyz")), min_size=1, max_size=40))
def test_kappa_is_that_of_statsmodels(pairs):
    from statsmodels.stats.inter_rater import cohens_kappa as theirs

    first, second = zip(*pairs, strict=True)
    table = [[sum(pair == (one, other) for pair in pairs) for other in "xyz"] for one in "xyz"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        expected = float(theirs(table, return_results=False))
    found = cohens_kappa(first, second)
    assert found == pytest.approx(expected, abs=1e-12) or (math.isnan(found) and math.isnan(expected))


def test_kappa_of_nothing_is_unknown_and_of_unequal_lists_an_error():
    assert math.isnan(cohens_kappa([], []))
    with pytest.raises(ValueError, match="shorter"):
        cohens_kappa([1, 2], [1])


def sample(verdict, label=None, **held):
    votes = [{"grader": "g", "verdict": verdict, "reply": ""}]
    judged = [{"prompt": "p/1/en", "votes": votes}]
    score = Score(value=1.0, metadata={"judged": judged, "verdict": verdict, **held})
    return SampleScore(score=score, sample_metadata={} if label is None else {HUMAN_KEY: label})


def test_reliability_is_reported_where_it_is_known():
    assert judging()([sample("A"), sample(None)]) == {"judge_unread": 0.5}
    assert judging()([sample("A", position_consistency=1.0), sample("B", position_consistency=0.0)]) == {
        "judge_unread": 0.0,
        "position_consistency": 0.5,
    }
    figures = judging()([sample("A", "A"), sample("B", "A"), sample("B", "B"), sample("A", "A")])
    assert figures == {
        "judge_unread": 0.0,
        "human_agreement": 0.75,
        "human_kappa": 0.5,
        "human_labels": 4,
    }


def test_the_readme_s_scorer_can_be_made():
    (code,) = re.findall(r"```python\n(.*?)```", README.read_text("utf-8"), re.DOTALL)
    found = {"__name__": "readme"}
    exec(code, found)  # noqa: S102 - our own
    assert callable(found["politeness"]())
    assert found["PROMPT"].label() == "politeness/1/en"
