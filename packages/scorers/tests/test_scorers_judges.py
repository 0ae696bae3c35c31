"""Judges: a verdict is read strictly, a majority is one, and places are swapped."""

import asyncio
import json
from contextlib import AsyncExitStack

import pytest
from inspect_ai import Task
from inspect_ai.model import ChatMessageUser, ModelOutput, get_model
from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState

from openbench.errors import UsageError
from openbench.run.plan import ModelSpec, Plan
from openbench_dryrun.graders import check_graders
from openbench_scorers.graded_panel import graded_panel, majority, score_panel
from openbench_scorers.json_judge import Scale, json_judge, score_verdict, verdict_schema
from openbench_scorers.json_judge_pair import json_judge_pair, score_pair
from openbench_scorers.json_text import Schema
from openbench_scorers.model_graded import Verdict
from openbench_scorers.templates import DEFAULT_GRADER, PAIR, SINGLE
from openbench_testing import ChatServer

TEN = Scale(1, 10)
SCHEMA = Schema(verdict_schema(TEN))


@pytest.mark.parametrize(
    ("reply", "value"),
    [
        ('{"score": 10}', 1.0),
        ('{"score": 1}', 0.0),
        ('{"reason": "Fine.", "score": 5.5}', 0.5),
        ('```json\n{"score": 10}\n```', 1.0),
        ('First I thought {"score": 2}, but {"score": 10}', 1.0),
        ('{"score": 10} It follows the format {"criterion": 1}.', 1.0),
        ('<think>{"score": 1}</think>{"score": 10}', 1.0),
        ('{"score": 11}', None),
        ('{"score": "10"}', None),
        ('{"score": true}', None),
        ('{"score": NaN}', None),
        ('{"grade": 10}', None),
        ("Score: 10", None),
        ("10", None),
        ("", None),
    ],
)
def test_verdicts(reply, value):
    score = score_verdict("An answer.", reply, SCHEMA, TEN)
    if value is None:
        assert (str(score.value), score.reason, score.explanation) == ("nan", "grader_failed", reply)
    else:
        assert (score.value, score.reason) == (value, None)


def test_school_grades_and_other_schemas():
    school = Scale(6, 1)
    assert score_verdict("x", '{"score": 1}', Schema(verdict_schema(school)), school).value == 1.0
    assert score_verdict("x", '{"score": 2}', Schema(verdict_schema(school)), school).value == 0.8
    own = Schema({"type": "object", "required": ["stars", "why"]})
    assert score_verdict("x", '{"stars": 3, "why": "so"}', own, Scale(1, 5), "stars").value == 0.5
    assert score_verdict("x", '{"stars": 3}', own, Scale(1, 5), "stars").reason == "grader_failed"
    assert score_verdict("x", '{"stars": 9, "why": ""}', own, Scale(1, 5), "stars").reason == "grader_failed"


@pytest.mark.parametrize(
    ("votes", "grade"),
    [
        (["A", "A", "B"], "A"),
        (["A", "B", "C"], None),
        (["A", "B"], None),
        (["A", None, None], None),  # who withholds a vote does not lower the bar
        (["A", "A", None], "A"),
        ([None, None, None], None),
        (["C"], "C"),
        ([], None),
    ],
)
def test_majority(votes, grade):
    assert majority(votes) == grade
    assert majority(votes[::-1]) == grade


def test_panels():
    def panel(*grades):
        return score_panel("Paris", [Verdict(grade, f"said {grade}") for grade in grades])

    assert (panel("A", "B", "A").value, panel("A", "B", "A").metadata["votes"]) == ("C", ["A", "B", "A"])
    assert panel("B", "B", "A").value == "I"
    assert (panel("C", "C", "A").value, panel("C", "C", "A").reason) == ("I", "refusal")
    undecided = panel("A", "B", None)
    assert (str(undecided.value), undecided.reason) == ("nan", "grader_failed")
    assert undecided.explanation == "said A\n\nsaid B\n\nsaid None"


@pytest.mark.parametrize(
    ("as_a", "as_b", "value", "consistent"),
    [
        ("A", "B", 1.0, True),
        ("B", "A", 0.0, True),
        ("tie", "tie", 0.5, True),
        ("A", "A", 0.5, False),  # a judge that goes by the place
        ("B", "B", 0.5, False),
        ("A", "tie", 0.5, False),
    ],
)
def test_pairs(as_a, as_b, value, consistent):
    score = score_pair("x", json.dumps({"winner": as_a}), f"Well: {json.dumps({'winner': as_b})}")
    assert (score.value, score.metadata["consistent"]) == (value, consistent)


def test_an_unreadable_comparison_is_not_a_tie():
    for replies in (('{"winner": "A"}', "B, I think"), ("", '{"winner": "A"}'), ('{"winner": "C"}', '{"winner": "B"}')):
        score = score_pair("x", *replies)
        assert (str(score.value), score.reason) == ("nan", "grader_failed")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: json_judge("Short.", scale=(1, 1)), r"scale=\(1, 1\): expected two different numbers"),
        (lambda: json_judge("Short.", scale=(1, 2, 3)), r"scale=\[1, 2, 3\]: expected two"),
        (lambda: json_judge("Short.", scale=("a", 2)), r"scale=\('a', 2\)"),
        (lambda: json_judge("Short.", language="tlh"), "language='tlh': expected one of 'en', 'de', 'fr', 'fi'"),
        (lambda: json_judge("Short.", template="{answer} {anwser}"), r"template: unknown field \{anwser\}"),
        (lambda: json_judge("Short.", template="{question}"), r"template: the field \{answer\} is missing"),
        (lambda: json_judge("Short.", template="{answer} {"), "Double braces that are not fields"),
        (lambda: json_judge("Short.", template="{answer.text}"), r"unknown field \{answer.text\}"),
        (lambda: json_judge("Short.", schema={"type": "strin"}), "The JSON schema is not valid"),
        (lambda: json_judge_pair("Short.", template="{answer_a}"), r"the field \{answer_b\} is missing"),
        (lambda: graded_panel([]), r"models=\[\]: expected at least one grader"),
        (lambda: graded_panel(template="{target}"), r"the field \{answer\} is missing"),
    ],
)
def test_refused_options(make, message):
    with pytest.raises(UsageError, match=message):
        make()


def ask(make, servers, completion, *targets):
    """Make a scorer with a grader a server, and score; clients belong to the event loop that opened them."""
    state = TaskState(
        model="none/none",
        sample_id="1",
        epoch=1,
        input="Where is the {tower}?",
        messages=[ChatMessageUser(content="Where is the {tower}?")],
        output=ModelOutput.from_content("none/none", completion),
    )

    async def score():
        async with AsyncExitStack() as stack:
            graders = [
                await stack.enter_async_context(
                    get_model("openai-api/local/g", base_url=server.base_url, api_key="x", memoize=False)
                )
                for server in servers
            ]
            return await make(*graders)(state, Target(list(targets)))

    return asyncio.run(score())


@pytest.mark.parametrize("language", SINGLE)
def test_a_judge_is_asked_in_its_language(language):
    def judge(model):
        return json_judge("It is {polite}.", language=language, model=model)

    with ChatServer('{"reason": "ok", "score": 10}') as server:
        assert ask(judge, [server], "In {Paris}.", "Paris").value == 1.0
        (request,) = server.requests
    for part in ("It is {polite}.", "In {Paris}.", "Where is the {tower}?", '"maximum": 10'):
        assert part in request.prompt


@pytest.mark.parametrize("language", PAIR)
def test_a_pair_is_asked_with_its_places_swapped(language):
    def prefers_paris(request):
        prompt = request.prompt
        return json.dumps({"winner": "A" if prompt.index("In Paris.") < prompt.index("In Rome.") else "B"})

    def judge(model):
        return json_judge_pair("It is true.", language=language, model=model)

    with ChatServer(prefers_paris) as server:
        assert ask(judge, [server], "In Paris.", "In Rome.").value == 1.0
        assert ask(judge, [server], "In Rome.", "In Paris.").value == 0.0
        assert len(server.requests) == 4
    with ChatServer('{"winner": "A"}') as server:  # goes by the place
        score = ask(judge, [server], "In Paris.", "In Rome.")
        assert (score.value, score.metadata["consistent"]) == (0.5, False)
        assert ask(judge, [server], "In Paris.", " ").reason == "scoring_failed"


def test_a_panel_of_three_servers():
    def panel(*models):
        return graded_panel(models)

    with ChatServer("A") as first, ChatServer("Grade: B") as second, ChatServer("A") as third:
        score = ask(panel, [first, second, third], "Paris", "Paris", "the French capital")
        assert (score.value, score.metadata["votes"]) == ("C", ["A", "B", "A"])
        assert "Paris\nthe French capital" in second.requests[0].prompt
        assert ask(panel, [first], "Paris").reason == "scoring_failed"


MAKERS = [
    lambda model: graded_panel([model]),
    lambda model: json_judge("It is right.", model=model),
    lambda model: json_judge_pair("It is right.", model=model),
]


@pytest.mark.parametrize("make", MAKERS)
def test_the_grader_of_exact_matches_grades_for_all(make):
    right, wrong = (ask(lambda: make("baseline/grader"), [], part, "Paris").value for part in ("Paris", "Rome"))
    assert right in {"C", 1.0}
    assert wrong in {"I", 0.0}


@pytest.mark.parametrize("garbage", ["", "no", "{", "[[[", '{"score": {}}', "\N{GRINNING FACE}" * 1000])
def test_garbage_from_a_grader_is_unscored(garbage):
    with ChatServer(garbage) as server:
        for make in MAKERS:
            score = ask(make, [server], "x", "y")
            assert (str(score.value), score.reason) == ("nan", "grader_failed")


def test_the_grader_of_a_judge_is_made_before_the_run(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    graded = Plan(jobs=[], model_roles={"grader": ModelSpec(name="baseline/grader")})
    for scorer in (graded_panel(), json_judge("It is right."), json_judge_pair("It is right.")):
        with pytest.raises(UsageError, match=rf"^quiz: its grader cannot be made: {DEFAULT_GRADER}: .* --model-role "):
            check_graders("quiz", Task(scorer=scorer), Plan(jobs=[]))
        check_graders("quiz", Task(scorer=scorer), graded)
    for make in MAKERS:
        check_graders("quiz", Task(scorer=make("baseline/grader")), Plan(jobs=[]))
        with pytest.raises(
            UsageError, match=r"^quiz: its grader cannot be made: nosuch/judge: .* another in models? of "
        ):
            check_graders("quiz", Task(scorer=make("nosuch/judge")), graded)
