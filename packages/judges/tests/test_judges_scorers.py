"""The judges as scorers, in whole runs with graders behind HTTP."""

import asyncio
import json
import math
from functools import partial
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai import Task, eval_async
from inspect_ai.dataset import Sample
from inspect_ai.model import get_model
from inspect_ai.solver import generate

from openbench.datasets import bundled_rows
from openbench.errors import UsageError
from openbench.run.plan import ModelSpec, Plan
from openbench_components.components import find_component
from openbench_dryrun.graders import check_graders, grader_requests
from openbench_judges.hallulens import hallulens_qa_scorer, hallulens_refusal_scorer
from openbench_judges.hle import calibration_error, final_answer, hle_grader
from openbench_judges.mt_bench import mtbench_pair_scorer, mtbench_scorer, mtbench_solver
from openbench_testing import ChatServer

TURNS = ["What is 2 + 2?", "And 2 + 3?"]
MATHS = {"turns": TURNS, "category": "math", "reference": ["It is 4.", "It is 5."]}
PROSE = {"turns": ["Write a poem.", "Shorter."], "category": "writing"}


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run samples with a scorer and graders that reply as given; return the log and all requests to the graders."""
    monkeypatch.setenv("GRADER_API_KEY", "k")

    def made(scorer, samples, reply, *, answer="Answer: four", solver=None, **options):
        async def evaluated(grader, server):
            made = partial(get_model, memoize=False)
            judge = made("openai-api/grader/m", base_url=grader.base_url)
            model = made("openai-api/grader/evaluated", base_url=server.base_url)
            task = Task(dataset=samples, solver=solver or generate(), scorer=scorer(**options))
            async with judge, model:
                return await eval_async(task, model=model, model_roles={"grader": judge}, log_dir=str(tmp_path))

        with ChatServer(reply) as grader, ChatServer(answer) as server:
            (log,) = asyncio.run(evaluated(grader, server))
            assert log.status == "success", log.error
            return log, grader.requests

    return made


def figures(log):
    (scores,) = log.results.scores
    return {name.rpartition("/")[2]: metric.value for name, metric in scores.metrics.items()}


def score_of(log):
    (score,) = log.samples[0].scores.values()
    return score


def conversation(metadata, **further):
    return Sample(id="1", input=metadata["turns"][0], metadata={**metadata, **further})


# MT-Bench


def by_turn(first, second):
    def reply(request):
        return f"Rating: [[{second if 'And 2 + 3?' in request.prompt or 'Shorter.' in request.prompt else first}]]"

    return reply


def test_every_turn_is_rated_and_the_first_is_seen_with_the_second(run):
    samples = [conversation(MATHS), conversation(PROSE).model_copy(update={"id": "2"})]
    log, requests = run(mtbench_scorer, samples, by_turn(10, 4), solver=mtbench_solver(), answer="four")
    assert len(requests) == 4
    assert figures(log) == {
        "mean": pytest.approx(fmean([9 / 9, 3 / 9])),
        "stderr": 0.0,
        "judge_unread": 0.0,
        "rating": 7.0,
        "rating_math": 7.0,
        "rating_turn_1": 10.0,
        "rating_turn_2": 4.0,
        "rating_writing": 7.0,
    }
    guided = [request.prompt for request in requests if "[Reference answer 1]\nIt is 4." in request.prompt]
    assert len(guided) == 1
    assert "[Reference answer 2]\nIt is 5." in guided[0]
    assert guided[0].index("[User]\nWhat is 2 + 2?") < guided[0].index("[User]\nAnd 2 + 3?")


def test_the_model_sees_its_own_first_answer(run):
    def answer(request):
        return "second" if len(request.messages) == 3 and request.messages[1]["content"] == "first" else "first"

    log, _ = run(mtbench_scorer, [conversation(PROSE)], "[[5]]", solver=mtbench_solver(), answer=answer)
    assert log.samples[0].metadata["replies"] == ["first", "second"]
    assert score_of(log).answer == "first\n\nsecond"


def test_the_second_question_of_other_rows_is_turn2(run):
    sample = Sample(input="Erste Frage", metadata={"turn2": "Zweite Frage"})
    _, requests = run(mtbench_scorer, [sample], "[[5]]", solver=mtbench_solver(), language="de")
    assert sorted("[Nutzer]\nZweite Frage" in request.prompt for request in requests) == [False, True]


def test_a_turn_that_cannot_be_rated_leaves_the_sample_unscored(run):
    log, _ = run(mtbench_scorer, [conversation(PROSE)], by_turn(10, "?"), solver=mtbench_solver())
    assert math.isnan(score_of(log).value)
    assert (score_of(log).reason, score_of(log).metadata["ratings"]) == ("grader_failed", [10.0, None])
    assert log.results.scores[0].unscored_samples == 1


def test_an_empty_answer_gets_the_least_and_is_not_judged(run):
    log, requests = run(mtbench_scorer, [conversation(PROSE)], "[[10]]", solver=mtbench_solver(), answer=" ")
    assert (score_of(log).value, score_of(log).reason, requests) == (0.0, "no_response", [])


@pytest.mark.parametrize(
    ("reply", "value", "consistency"),
    [
        ("[[A]]", 0.5, 0.0),
        ("[[C]]", 0.5, 1.0),
        (
            lambda request: "[[A]]" if request.prompt.index("mine") < request.prompt.index("theirs") else "[[B]]",
            1.0,
            1.0,
        ),
    ],
)
def test_pairs_are_compared_in_both_orders(run, reply, value, consistency):
    sample = conversation(PROSE, rival=["theirs", "theirs"])
    log, requests = run(mtbench_pair_scorer, [sample], reply, solver=mtbench_solver(), answer="mine")
    assert (score_of(log).value, len(requests)) == (value, 4)
    assert figures(log)["position_consistency"] == consistency


def test_a_pair_needs_a_rival(run):
    log, requests = run(mtbench_pair_scorer, [conversation(PROSE)], "[[A]]", solver=mtbench_solver())
    assert requests == []
    assert score_of(log).explanation == "Not scored: the sample's metadata lacks a rival's answer to each turn"


OFFICIAL = [
    {
        "name": name,
        "system_prompt": f"You are {name}.",
        "prompt_template": "{question_1}/{answer_1}/{question_2}/{answer_2}"
        if "multi" in name
        else "{question}/{answer}",
    }
    for name in ("single-v1", "single-v1-multi-turn")
]


def test_the_official_prompts_are_fetched(run, tmp_path):
    (tmp_path / "judge_prompts.jsonl").write_text("\n".join(map(json.dumps, OFFICIAL)), "utf-8")
    with bundled_rows(tmp_path):
        _, requests = run(
            mtbench_scorer, [conversation(PROSE)], "[[5]]", solver=mtbench_solver(), answer="a", prompts="official"
        )
    assert sorted((request.system, request.prompt) for request in requests) == [  # both turns are judged at once
        ("You are single-v1-multi-turn.", "Write a poem./a/Shorter./a"),
        ("You are single-v1.", "Write a poem./a"),
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"language": "fr"}, "language='fr': the judge mt_bench_single has prompts in 'de', 'en', 'fi', 'ko'."),
        ({"prompts": "theirs"}, "prompts='theirs': expected one of 'ours', 'official'."),
        ({"prompts": "official", "language": "de"}, "language='de': expected one of 'en'."),
        ({"models": []}, "models=[]: expected at least one grader, or None for the model of the role grader."),
    ],
)
def test_options_are_checked(options, message):
    with pytest.raises(UsageError) as error:
        mtbench_scorer(**options)
    assert str(error.value) == message


def test_requests_to_graders_are_counted_before_a_run():
    samples = [conversation(PROSE), Sample(input="One turn")]
    scorers = [mtbench_scorer(), mtbench_pair_scorer("x/judge"), hle_grader(["x/judge", "y/judge"])]
    assert grader_requests(scorers, {"grader": "z/judge"}, "m/m", samples) == {
        "z/judge": 3,
        "x/judge": 6 + 2,
        "y/judge": 2,
    }


def test_a_model_that_would_judge_itself_is_refused_before_a_run():
    def check(scorer, grader):
        task = Task(scorer=scorer, model=get_model("baseline/echo"))
        check_graders("quiz", task, Plan(jobs=[], model_roles={"grader": ModelSpec(name=grader)}))

    with pytest.raises(UsageError) as error:
        check(hle_grader(), "baseline/echo")
    assert str(error.value).startswith("quiz: baseline/echo would judge its own answers. Name another grader with ")
    check(hle_grader(allow_self_judge=True), "baseline/echo")
    check(hle_grader(), "baseline/empty")


# HLE


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("Explanation: so.\nAnswer: 42\nConfidence: 9%", "42"),
        ("**Final Answer:** x^2 **", "x^2"),
        ("정답: 사과\n확신도: 80%", "사과"),
        ("It is 42.", "It is 42."),
    ],
)
def test_final_answers(text, answer):
    assert final_answer(text) == answer


def test_accuracy_and_calibration(run):
    samples = [Sample(id=str(number), input=f"Q{number}", target="42") for number in range(4)]

    def answer(request):
        return {"Q0": "Answer: 42\nConfidence: 90%", "Q1": "Answer: 7\nConfidence: 70%"}.get(request.prompt, "42")

    def reply(request):
        return "It differs.\nB" if "Answer: 7" in request.prompt else "Same.\nA"

    log, requests = run(hle_grader, samples, reply, answer=answer)
    assert len(requests) == 4
    found = figures(log)
    assert found["accuracy"] == 0.75
    assert found["mean_confidence"] == pytest.approx(0.8)
    assert found["calibration_error"] == pytest.approx(0.3)  # one bin: 0.8 said, 0.5 right
    assert found["confidence_read"] == 0.5
    assert log.samples[2].scores["hle_grader"].metadata["confidence"] is None


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=350))
def test_the_calibration_error_is_between_0_and_1(pairs):
    confidences, correct = zip(*pairs, strict=True)
    error = calibration_error(confidences, correct)
    assert 0 <= error <= 1
    assert calibration_error([float(each) for each in correct], correct) == 0


def test_the_last_bin_takes_the_rest():
    confidences = [0.0] * 100 + [1.0] * 150
    assert calibration_error(confidences, [False] * 100 + [False] * 150) == pytest.approx(math.sqrt(150 / 250))
    assert math.isnan(calibration_error([], []))


# HalluLens


def test_answers_are_right_hallucinated_or_refused(run):
    samples = [
        Sample(id=str(number), input=f"Q{number}", target="Rome", metadata={"reference": "A text."} if number else {})
        for number in range(4)
    ]
    grades = {"[Question]\nQ0": "A", "[Question]\nQ1": "B", "[Question]\nQ2": "C", "[Question]\nQ3": "A or B"}

    def reply(request):
        return next(grade for question, grade in grades.items() if question in request.prompt)

    log, requests = run(hallulens_qa_scorer, samples, reply)
    found = figures(log)
    assert found["correct_rate"] == found["refusal_rate"] == pytest.approx(1 / 3)
    assert found["hallucination_rate"] == 0.5
    assert log.results.scores[0].unscored_samples == 1
    assert sum("[Text]\nA text." in request.prompt for request in requests) == 3


def test_belief_in_what_does_not_exist_is_wrong(run):
    samples = [Sample(id=str(number), input=f"Q{number}") for number in range(2)]
    log, _ = run(
        hallulens_refusal_scorer, samples, lambda request: "B" if "Q1" in request.prompt else "A", language="ko"
    )
    found = figures(log)
    assert (found["accuracy"], found["refusal_rate"], found["false_acceptance_rate"]) == (0.5, 0.5, 0.5)


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("solver", "mtbench_solver"),
        ("scorer", "mtbench_scorer"),
        ("scorer", "hle_grader"),
        ("scorer", "hallulens_qa_scorer"),
        ("scorer", "refusal_scorer"),
    ],
)
def test_names_of_the_horangi_guide_resolve(kind, name):
    assert find_component(kind, name).create() is not None
