"""Ranking by log-probability: the request, the values that come back, and every figure made of them."""

import asyncio
import math

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from inspect_ai import Task
from inspect_ai import eval as inspect_eval
from inspect_ai import score as inspect_score
from inspect_ai.dataset import Sample
from inspect_ai.log import read_eval_log, write_eval_log
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentImage,
    ContentText,
    ModelAPI,
    ModelName,
    get_model,
    modelapi,
)
from inspect_ai.scorer import SampleScore, Score
from inspect_ai.solver import TaskState, system_message
from inspect_ai.util import registry_info

from openbench.errors import DataError, OpenbenchError, UsageError
from openbench.tasks.solvers import declared_reference, refusal
from openbench_ranking.baselines import preferring, undecided
from openbench_ranking.continuation import ContinuationScore
from openbench_ranking.rankers import ranker_of
from openbench_ranking.request import (
    RANKING_KEY,
    Ranker,
    RankingRequest,
    is_ranked,
    most_probable,
    ranking_request,
    ranking_sample,
    record_loglikelihoods,
    recorded_scores,
)
from openbench_ranking.scorer import (
    FIGURES,
    argmax_accuracy,
    bits_per_byte,
    brier_score,
    continuation_perplexity,
    gains,
    per_byte,
    per_character,
    probability_mass,
    ranking,
    score_ranking,
    softmax,
)
from openbench_ranking.solver import is_ranking, rank, ranked_reference

QUESTION = [ChatMessageUser(content="Question: Capital?"), ChatMessageAssistant(content="Answer:")]


def sample(continuations=(" Paris", " Rome"), gold=(0,), **more):
    return ranking_sample(input=QUESTION, continuations=continuations, gold=gold, **more)


def state_of(made):
    messages = list(made.input) if isinstance(made.input, list) else [ChatMessageUser(content=made.input)]
    return TaskState(ModelName("baseline/empty"), "q1", 1, made.input, messages, metadata=dict(made.metadata or {}))


# --- the request ----------------------------------------------------------------------------------------------------


def test_what_a_sample_asks_is_read_from_it_and_from_its_state():
    made = sample([" Paris", " Rome", " Paris"], [0, 2], id="q1", metadata={"subject": "cities"})
    assert (made.id, made.target, made.metadata["subject"]) == ("q1", ["Paris", "Paris"], "cities")
    for holder in (made, state_of(made)):
        request = ranking_request(holder)
        assert list(request.continuations) == [" Paris", " Rome", " Paris"]
        assert list(request.gold) == [0, 2]
        assert list(request.messages) == QUESTION
        assert request.context == "Question: Capital?\nAnswer:"


def test_a_sample_that_ranks_nothing():
    assert ranking_request(Sample("?")) is None
    assert not is_ranked(Sample("?", metadata={"ranking": 1}))
    with pytest.raises(OpenbenchError, match=r"^sample 'q1' has nothing to rank. Create it with ranking_sample.$"):
        record_loglikelihoods(state_of(Sample("?")), [0.0])


def test_the_messages_of_a_state_are_those_that_solvers_left():
    state = state_of(sample())
    state.messages.insert(0, ChatMessageSystem(content="Be right."))
    assert ranking_request(state).context == "Be right.\n\nQuestion: Capital?\nAnswer:"


def test_more_options_than_letters():
    made = sample([f" {number}" for number in range(30)], [29])
    assert ranking_request(made).gold == [29]


@pytest.mark.parametrize(
    ("continuations", "gold", "message"),
    [
        ([], [0], "it has no continuations to rank"),
        ([" a", ""], [0], "continuation 1 is '', which is blank and cannot be ranked"),
        ([" ", " a"], [1], "continuation 0 is ' ', which is blank and cannot be ranked"),
        ([" a", " b"], [], "no continuation is marked as correct"),
        ([" a", " b"], [2], "the index 2 is outside the 2 continuations"),
        ([" a", " b"], [0, -1], "the index -1 is outside the 2 continuations"),
    ],
)
def test_requests_that_make_no_sense(continuations, gold, message):
    with pytest.raises(ValueError, match=f"^{message}$"):
        sample(continuations, gold)


def messages(*turns):
    kinds = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
    return [kinds[role](content=text) for role, text in turns]


@pytest.mark.parametrize(
    ("turns", "context"),
    [
        ([("user", "The cat sat on the")], "The cat sat on the"),
        ([("user", "Q?"), ("assistant", "A:")], "Q?\nA:"),
        ([("user", "Q?\n"), ("assistant", "A:")], "Q?\nA:"),
        ([("user", "Q?"), ("assistant", "A: ")], "Q?\nA: "),
        (
            [("system", "S."), ("user", "1?"), ("assistant", "A: x"), ("user", "2?"), ("assistant", "A:")],
            "S.\n\n1?\nA: x\n\n2?\nA:",
        ),
    ],
)
def test_the_context_of_a_base_model(turns, context):
    request = RankingRequest(messages=messages(*turns), continuations=[" a"], gold=[0])
    assert request.context == context


def test_a_context_of_parts():
    text = ChatMessageUser(content=[ContentText(text="Which?")])
    assert RankingRequest(messages=[text], continuations=[" a"], gold=[0]).context == "Which?"
    image = ChatMessageUser(content=[ContentText(text="Which?"), ContentImage(image="a.png")])
    with pytest.raises(DataError, match=r"^the context has content of type 'image'; only text"):
        _ = RankingRequest(messages=[image], continuations=[" a"], gold=[0]).context


# --- the values -----------------------------------------------------------------------------------------------------


def test_values_are_kept_in_the_output():
    state = state_of(sample())
    assert recorded_scores(state) is None
    record_loglikelihoods(state, (-3, -1.5))
    assert (state.output.completion, state.output.metadata) == ("Rome", {"loglikelihoods": [-3.0, -1.5]})
    assert recorded_scores(state).loglikelihoods == [-3.0, -1.5]
    assert state.messages == QUESTION


@pytest.mark.parametrize(
    ("values", "completion"), [([-1, -1], ""), ([0, 0], ""), ([-math.inf, -math.inf], ""), ([-math.inf, -900], "Rome")]
)
def test_the_completion_is_the_most_probable_continuation(values, completion):
    state = state_of(sample())
    record_loglikelihoods(state, values)
    assert state.output.completion == completion


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], "sample 'q1': 0 log-probabilities for 2 continuations; expected one for each, in order."),
        ([-1, -2, -3], "sample 'q1': 3 log-probabilities for 2 continuations; expected one for each, in order."),
        (
            [-1, math.nan],
            ("sample 'q1': the log-probability of continuation 1 (' Rome') is nan; expected a finite number or -inf."),
        ),
        (
            [math.inf, -1],
            ("sample 'q1': the log-probability of continuation 0 (' Paris') is inf; expected a finite number or -inf."),
        ),
    ],
)
def test_values_that_an_engine_must_not_hand_over(values, message):
    state = state_of(sample())
    with pytest.raises(OpenbenchError) as caught:
        record_loglikelihoods(state, values)
    assert str(caught.value) == message
    assert recorded_scores(state) is None


# --- the figures ----------------------------------------------------------------------------------------------------


def test_figures_worked_out_by_hand():
    # "Zürich" has 6 characters and 7 bytes, "Bern" 4 of both.
    score = score_ranking([-6.0, -5.0], [" Zürich", " Bern"], [0])
    odds = [math.exp(-1.0), math.exp(-1.25)]
    assert score.value == {
        "acc": 0.0,
        "acc_norm": 1.0,  # -1 against -1.25
        "acc_bytes": 1.0,  # -0.857 against -1.25
        "prob_mass": pytest.approx(1 / (1 + math.e)),
        "prob_mass_norm": pytest.approx(odds[0] / sum(odds)),
        "loglikelihood": -6.0,
        "brier": pytest.approx(2 * (math.e / (1 + math.e)) ** 2),
        "bits_per_byte": pytest.approx(6 / (7 * math.log(2))),
    }
    confidence = pytest.approx(math.e / (1 + math.e))
    assert (score.answer, score.reason) == ("Bern", None)
    assert score.metadata == {"most_probable": [1], "confidence": confidence}
    assert set(FIGURES) < set(score.value)


def test_characters_and_bytes_can_disagree():
    options, values = [" ää", " abc"], [-2.5, -3.3]  # 2 characters in 4 bytes against 3 in 3
    assert argmax_accuracy(per_character(values, options), [1]) == 1
    assert argmax_accuracy(per_byte(values, options), [0]) == 1


def test_only_the_one_leading_space_is_left_out():
    assert per_character([-6.0] * 4, [" ab", "ab", "  ab", " ab "]) == [-3, -3, -2, -2]


def test_probabilities_too_small_for_a_float():
    score = score_ranking([-800.0, -900.0], [" a", " b"], [0])
    assert score.value["prob_mass"] == 1.0
    assert probability_mass([-900.0, -800.0], [0]) == pytest.approx(math.exp(-100))
    assert softmax([-math.inf, -1.0]) == [0.0, 1.0]
    assert softmax([-math.inf, -math.inf]) == [0.5, 0.5]


@pytest.mark.parametrize(
    ("values", "gold", "accuracy"),
    [
        ([-1, -2, -3], [0], 1),
        ([-1, -2, -3], [1], 0),
        ([-1, -1, -3], [0], 0.5),
        ([-1, -1, -3], [1], 0.5),
        ([-1, -1, -3], [2], 0),
        ([-1, -1, -3], [0, 1], 1),
        ([-1, -1, -1], [0], 0),
        ([-1, -1, -1], [0, 1, 2], 0),
        ([-1], [0], 1),
    ],
)
def test_ties(values, gold, accuracy):
    assert argmax_accuracy(values, gold) == accuracy


def test_a_model_that_cannot_tell_has_not_answered():
    score = score_ranking([-2.0, -2.0], [" a", " b"], [0])
    assert (score.value["acc"], score.answer, score.reason) == (0.0, None, "no_response")
    assert score.value["prob_mass"] == 0.5


def test_equal_texts_are_options_of_their_own():
    score = score_ranking([-1.0, -1.0, -2.0], [" yes", " yes", " no"], [1])
    assert (score.value["acc"], score.answer, score.metadata["most_probable"]) == (0.5, "yes", [0, 1])
    assert score.value["prob_mass"] == pytest.approx(1 / (2 + math.exp(-1)))


def test_bits_per_byte_of_several_right_options_is_the_lowest():
    assert bits_per_byte([-4.0, -2.0, -1.0], [" ab", " cd", " ef"], [0, 1]) == pytest.approx(1 / math.log(2))
    assert bits_per_byte([-4.0, -math.inf], [" ab", " cd"], [0, 1]) == pytest.approx(2 / math.log(2))
    assert math.copysign(1, bits_per_byte([0.0], [" a"], [0])) == 1
    assert math.isnan(bits_per_byte([-math.inf, -1.0], [" ab", " cd"], [0]))


TEXT = st.text(min_size=1, max_size=8).map(" ".__add__)
# Sums of thousands of tokens, but not so small that dividing them makes them equal.
VALUE = st.floats(min_value=-1e5, max_value=0).map(lambda value: round(value, 6) + 0.0)


@st.composite
def rankings(draw):
    options = draw(st.lists(st.tuples(VALUE, TEXT), min_size=2, max_size=30))
    gold = draw(st.sets(st.integers(0, len(options) - 1), min_size=1))
    return [value for value, _ in options], [text for _, text in options], sorted(gold)


@given(rankings())
def test_finite_values_have_finite_figures(ranked):
    value = score_ranking(*ranked).value
    assert all(0 <= value[name] <= 1 for name in FIGURES if name != "bits_per_byte")
    assert 0 <= value["bits_per_byte"] < math.inf


@given(rankings(), st.randoms(use_true_random=False))
def test_the_order_of_options_does_not_matter(ranked, chance):
    values, texts, gold = ranked
    order = list(range(len(values)))
    chance.shuffle(order)
    moved = score_ranking(
        [values[index] for index in order], [texts[index] for index in order], [order.index(index) for index in gold]
    )
    assert moved.value == score_ranking(*ranked).value


@given(rankings(), st.integers(-1000, 1000))
def test_what_all_options_share_does_not_matter(ranked, constant):
    values, _, gold = ranked
    values = [float(round(value)) for value in values]
    shifted = [value + constant for value in values]
    assert argmax_accuracy(shifted, gold) == argmax_accuracy(values, gold)
    assert probability_mass(shifted, gold) == pytest.approx(probability_mass(values, gold))


@given(st.lists(VALUE, min_size=1, max_size=30))
def test_probabilities_sum_to_one_and_keep_the_order(values):
    probabilities = softmax(values)
    assert math.fsum(probabilities) == pytest.approx(1)
    best = most_probable(values)
    assert all(probabilities[index] == max(probabilities) for index in best)


@given(rankings())
def test_the_right_and_the_wrong_share_all_probability(ranked):
    values, _, gold = ranked
    wrong = [index for index in range(len(values)) if index not in gold]
    assume(wrong)
    assert probability_mass(values, gold) + probability_mass(values, wrong) == pytest.approx(1)


# --- a context for each option ---------------------------------------------------------------------------------------

BLANK = "The cup does not fit, since the _ is too small."
FILLED = ["The cup does not fit, since the cup", "The cup does not fit, since the trunk"]


def partial():
    return ranking_sample(input=BLANK, continuations=[" is too small."] * 2, gold=[1], contexts=FILLED)


def test_each_continuation_follows_its_own_context():
    request = ranking_request(partial())
    assert partial().target == ["The cup does not fit, since the trunk is too small."]
    assert [(each.context, each.continuations) for each in request.separate()] == [
        (context, [" is too small."]) for context in FILLED
    ]
    with pytest.raises(DataError, match=r"^each continuation has a context of its own\. Rank the requests of "):
        _ = request.context


def test_what_precedes_the_last_message_stays():
    request = RankingRequest(messages=[*QUESTION, *QUESTION], continuations=[" a"], gold=[0], contexts=["Answer so:"])
    [alone] = request.separate()
    assert alone.context == "Question: Capital?\nAnswer:\n\nQuestion: Capital?\nAnswer so:"


def test_contexts_are_as_many_as_continuations():
    with pytest.raises(ValueError, match=r"^1 contexts for 2 continuations of 1 messages: expected one for each"):
        ranking_sample(input=BLANK, continuations=[" a", " b"], gold=[0], contexts=["c"])


@modelapi(name="shortest")
class OnlyContexts(ModelAPI):
    """Prefers the shortest context."""

    async def generate(self, *_, **__):
        raise NotImplementedError

    async def loglikelihoods(self, request):
        return [ContinuationScore(float(-len(request.context)), tokens=3, greedy=False) for _ in request.continuations]


def test_a_provider_receives_a_request_for_each_context(tmp_path):
    model = get_model("shortest/context", memoize=False)
    task = Task([partial(), sample()], solver=rank(), scorer=ranking())
    [log] = inspect_eval(task, model=model, log_dir=str(tmp_path), display="none")
    assert log.status == "success", log.error
    first, second = log.samples
    assert first.output.metadata["loglikelihoods"] == [-len(context) for context in FILLED]
    assert first.output.completion == first.scores["ranking"].answer == FILLED[0] + " is too small."
    assert second.output.metadata["loglikelihoods"] == [-len("Question: Capital?\nAnswer:")] * 2


# --- one continuation, as in LAMBADA --------------------------------------------------------------------------------


def test_perplexity_of_continuations():
    metric = continuation_perplexity()
    scores = [SampleScore(score=Score(value=value)) for value in (-1.0, -3.0)]
    assert metric(scores) == pytest.approx(math.exp(2))
    assert metric([SampleScore(score=Score(value=-1e4))]) == math.inf


# --- the baselines --------------------------------------------------------------------------------------------------


def ranked_by(name, made, **arguments):
    model = get_model(f"baseline/{name}", memoize=False, **arguments)
    return [each.loglikelihood for each in asyncio.run(ranker_of(model).loglikelihoods(ranking_request(made)))]


@given(rankings())
def test_what_a_baseline_prefers_is_highest_under_every_normalisation(ranked):
    _, texts, gold = ranked
    value = score_ranking(preferring(gold[0], texts), texts, gold).value
    assert [value[name] for name in ("acc", "acc_norm", "acc_bytes", "bits_per_byte")] == [1, 1, 1, 0]
    one = gold[:1]
    value = score_ranking(preferring(gold[0], texts, byte=8 * math.log(2)), texts, one).value
    assert [value[name] for name in ("acc", "acc_norm", "acc_bytes")] == [1, 1, 1]
    assert value["bits_per_byte"] == pytest.approx(8)


def test_random_draws_by_the_question_and_the_seed():
    def drawn(number, **arguments):
        made = ranking_sample(input=f"Question {number}?", continuations=[" a", " bc", " defg", " a"], gold=[0])
        return most_probable(ranked_by("random", made, **arguments))[0]

    counts = [[drawn(number) for number in range(200)].count(index) for index in range(4)]
    assert min(counts) > 30
    assert (
        [drawn(n) for n in range(20)] == [drawn(n, seed=0) for n in range(20)] != [drawn(n, seed=1) for n in range(20)]
    )


def test_only_what_is_certain_is_what_a_baseline_would_write():
    assert [each.greedy for each in preferring(1, [" Paris", " Rome"])] == [False, True]
    assert [each.greedy for each in preferring(1, [" Paris", " Rome"], byte=1.0)] == [False, False]
    assert [each.greedy for each in undecided([" Paris"])] == [False]


@pytest.mark.parametrize("name", ["empty", "echo"])
def test_some_baselines_cannot_tell(name):
    values = ranked_by(name, sample())
    assert values == [each.loglikelihood for each in undecided([" Paris", " Rome"])]
    assert most_probable(values) == []


@pytest.mark.parametrize(
    ("answer", "index"), [("B", 1), ("Answer: A", 0), ("Rome", 1), ("rome.", 1), ("C", None), ("", None)]
)
def test_constant_prefers_what_its_answer_names(answer, index):
    best = most_probable(ranked_by("constant", sample(), answer=answer))
    assert best == ([] if index is None else [index])


def test_one_continuation_alone_costs_what_chance_costs():
    for name in ("random", "empty", "constant"):
        values = ranked_by(name, sample([" Zürich"], [0]))
        assert bits_per_byte(values, [" Zürich"], [0]) == pytest.approx(8)


def test_baselines_that_are_no_model_to_ask():
    with pytest.raises(UsageError, match=r"^baseline/reference does not answer requests"):
        ranked_by("reference", sample())


# --- tasks ----------------------------------------------------------------------------------------------------------


class Preset:
    """A provider's way to rank: any object with the method of a `Ranker`."""

    async def loglikelihoods(self, request):
        return [-float(index) for index, _ in enumerate(request.continuations)]


def test_a_provider_needs_nothing_but_the_method():
    assert isinstance(Preset(), Ranker)
    assert not isinstance(get_model("mockllm/model").api, Ranker)


SAMPLES = [
    ranking_sample(input=f"Question {n}?", continuations=[" a", " b", " c"], gold=[n % 3], id=n) for n in range(6)
]


def run(tmp_path, model, solver=None, samples=SAMPLES):
    task = Task(samples, solver=[system_message("Be right."), rank()], scorer=ranking())
    [log] = inspect_eval(task, model=model, solver=solver, log_dir=str(tmp_path), display="none", log_format="json")
    return log


def figures_of(log):
    return {each.name: each.metrics["mean"].value for each in log.results.scores}


def test_a_run_without_an_engine(tmp_path):
    log = run(tmp_path, "baseline/empty")
    assert log.status == "success", log.error
    assert figures_of(log)["acc"] == 0
    assert {sample.scores["ranking"].reason for sample in log.samples} == {"no_response"}
    assert log.results.scores[0].name == "acc"
    assert list(log.results.scores[0].metrics) == ["mean", "stderr"]
    log = run(tmp_path, "baseline/random", solver=ranked_reference())
    assert [figures_of(log)[name] for name in FIGURES] == [1, 1, 1, pytest.approx(1), pytest.approx(1), 0]


def test_values_survive_the_log_and_are_scored_again(tmp_path):
    async def impossible(_):
        return [-1.0, -math.inf, -2.0]

    model = get_model("baseline/empty", memoize=False)
    model.api.loglikelihoods = impossible
    log = run(tmp_path, model)
    assert figures_of(log)["acc"] == pytest.approx(1 / 3)
    by_name = {each.name: each for each in log.results.scores}
    assert (by_name["bits_per_byte"].scored_samples, by_name["bits_per_byte"].unscored_samples) == (4, 2)
    for suffix in ("json", "eval"):
        path = tmp_path / f"again.{suffix}"
        write_eval_log(log, str(path))
        read = read_eval_log(str(path))
        assert read.samples[0].metadata[RANKING_KEY] == {"continuations": [" a", " b", " c"], "gold": [0]}
        again = inspect_score(read, ranking(), model="none", action="overwrite", display="none")
        assert figures_of(again) == figures_of(log)


def test_a_sample_without_values_is_unscored(tmp_path):
    log = run(tmp_path, "baseline/constant", solver=system_message("No ranking."))
    [first, *_] = log.results.scores
    assert (first.unscored_samples, first.scored_samples) == (6, 0)
    assert log.samples[0].scores["ranking"].reason == "scoring_failed"


def test_models_that_cannot_rank_are_refused():
    task = Task(SAMPLES, solver=[system_message("Be right."), rank()], scorer=ranking())
    assert is_ranking(task)
    assert refusal(task, get_model("baseline/random")) is None
    assert refusal(Task([Sample("?")]), get_model("mockllm/model")) is None
    assert refusal(task, get_model("mockllm/model")) == (
        "it ranks options by log-probability, which mockllm/model does not provide. Use a model whose provider does "
        "(openbench-loglikelihood), or check the benchmark without a model: --baseline reference or random"
    )


def test_the_reference_is_that_of_the_solver():
    assert registry_info(declared_reference(Task(SAMPLES, solver=rank()))).name == "openbench_ranking/ranked_reference"
    assert declared_reference(Task(SAMPLES)) is None


def test_rank_needs_something_to_rank(tmp_path):
    log = run(tmp_path, "baseline/random", samples=[Sample("?", id="q1")])
    assert log.status == "error"
    assert "sample 'q1' has nothing to rank" in log.error.message


# --- what further figures need of a model ---------------------------------------------------------------------------


def test_figures_of_what_a_model_reports():
    scores = [ContinuationScore(-6.0, tokens=4, greedy=False), ContinuationScore(-2.0, tokens=1, greedy=True)]
    value = score_ranking(scores, [" a long text", " b"], [0], unconditional=[-9.0, -2.5]).value
    assert value["acc"] == 0
    assert value["acc_tokens"] == 1  # -1.5 against -2
    assert value["acc_uncond"] == 1  # 3 against 0.5
    assert value["greedy"] == 0
    assert score_ranking(scores, [" a long text", " b"], [1]).value["greedy"] == 1


def test_what_is_impossible_without_its_context_too_gains_nothing():
    assert gains([-math.inf, -1.0, -1.0], [-math.inf, -math.inf, -3.0]) == [-math.inf, math.inf, 2.0]


@given(rankings())
def test_a_brier_score_is_between_none_and_all_on_another_option(ranked):
    values, _, gold = ranked
    shares = [1 / len(set(gold)) if index in gold else 0 for index in range(len(values))]
    expected = sum((held - share) ** 2 for held, share in zip(softmax(values), shares, strict=True))
    assert brier_score(values, gold) == pytest.approx(expected)
    assert 0 <= brier_score(values, gold) <= 2


def test_what_a_model_reports_is_in_the_log():
    state = state_of(sample())
    scores = [ContinuationScore(-3.0, 2, False, 5), ContinuationScore(-1.0, 1, True)]
    record_loglikelihoods(state, scores, [-4.0, -2.0])
    assert state.output.metadata == {
        "loglikelihoods": [-3.0, -1.0],
        "tokens": [2, 1],
        "greedy": [False, True],
        "truncated": [5, 0],
        "unconditional": [-4.0, -2.0],
    }
    assert recorded_scores(state).scores == scores
    assert recorded_scores(state).unconditional == [-4.0, -2.0]


def test_options_are_ranked_without_the_question_too(tmp_path):
    contexts = []

    async def by_context(request):
        contexts.append(request.context)
        return [-1.0, -2.0, -3.0] if request.messages[-1].role == "user" else [-0.5, -2.5, -3.0]

    model = get_model("baseline/empty", memoize=False)
    model.api.loglikelihoods = by_context
    task = Task(SAMPLES[:1], solver=rank(unconditional="Answer:"), scorer=ranking())
    [log] = inspect_eval(task, model=model, log_dir=str(tmp_path), display="none")
    assert contexts == ["Answer:", "Question 0?"]
    assert log.samples[0].scores["ranking"].value["acc"] == 1
    assert log.samples[0].scores["ranking"].value["acc_uncond"] == 0  # -0.5 against 0.5
