"""The direct engine's log is that of inspect's engine: sample for sample, score for score."""

from collections.abc import Callable
from typing import Any

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from inspect_ai import Epochs, Task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageAssistant, ChatMessageSystem, ChatMessageUser, GenerateConfig
from inspect_ai.scorer import (
    Score,
    Scorer,
    Target,
    accuracy,
    choice,
    exact,
    grouped,
    includes,
    match,
    mean,
    model_graded_qa,
    scorer,
    stderr,
)
from inspect_ai.solver import (
    TaskState,
    assistant_message,
    chain,
    chain_of_thought,
    generate,
    multiple_choice,
    prompt_template,
    self_critique,
    system_message,
    user_message,
)

from openbench.scorers.mcq import mcq_scorer
from openbench_authoring.cue import cue
from openbench_scorers.means import by_group


@scorer(metrics={"length": [mean()], "turns": [mean(), stderr()]})
def measured() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score | None:
        if "skip" in state.input_text:
            return None
        if "break" in state.input_text:
            raise ValueError("this cannot be scored")
        return Score(value={"length": len(state.output.completion), "turns": len(state.messages)}, answer=target.text)

    return score


@scorer(metrics=[accuracy()])
def undecided() -> Scorer:
    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - inspect's signature
        return Score.unscored() if "undecided" in state.input_text else Score(value="C", metadata={"n": None})

    return score


TEXTS = st.sampled_from(["one", "two {x}", "why\n\nA) a\nB) b", "skip", "undecided", "é 你", ""])
MESSAGES = st.lists(
    st.one_of(
        TEXTS.map(lambda text: ChatMessageUser(content=text)),
        TEXTS.map(lambda text: ChatMessageSystem(content=text)),
        TEXTS.map(lambda text: ChatMessageAssistant(content=text or "x")),
    ),
    max_size=2,
).map(lambda messages: [*messages, ChatMessageUser(content="and now?")])
METADATA = st.fixed_dictionaries(
    {"group": st.sampled_from(["a", "b"])}, optional={"cue": st.just("It is"), "deep": st.just({"list": [1, None]})}
)


@st.composite
def samples(draw: st.DrawFn) -> list[Sample]:
    count = draw(st.integers(1, 5))
    failing = draw(st.sets(st.integers(0, 4), max_size=1))
    broken = draw(st.sets(st.integers(0, 4), max_size=1))
    made = []
    for number in range(count):
        text: Any = draw(st.one_of(TEXTS, MESSAGES))
        text = "please fail" if number in failing else "break this" if number in broken else text
        target = draw(st.sampled_from(["A", "B", ["A", "C"], "1", ""]))
        metadata = draw(st.none() | METADATA) if number else {"group": "a"}
        made.append(
            Sample(
                id=draw(st.sampled_from([f"s{number}", number + 1])),
                input=text,
                target=target,
                choices=["x", "y", "z"],
                metadata=metadata or {"group": "none"},
            )
        )
    return made


SCORERS = st.lists(
    st.sampled_from([includes, exact, match, choice, mcq_scorer, measured, undecided, model_graded_qa]),
    min_size=1,
    max_size=3,
)


MADE: dict[str, Callable[[], Any]] = {
    "chain": lambda: chain(chain_of_thought(), generate()),
    "choice": lambda: multiple_choice(cot=True),
    "critique": lambda: [generate(), self_critique()],
    "cue": lambda: [cue(), generate()],
    "nested": lambda: chain(system_message("x"), chain(user_message("y"), generate())),
    "plain": generate,
    "system": lambda: [system_message("Be {group}."), generate(max_tokens=7)],
    "template": lambda: [prompt_template("Q: {prompt}"), generate(temperature=0.5)],
    "turns": lambda: [assistant_message("Hm."), user_message("Go on."), generate(), user_message("And?"), generate()],
}
OPTIONS = st.fixed_dictionaries(
    {"fail_on_error": st.sampled_from([False, 0.5, 2])},
    optional={
        "limit": st.sampled_from([1, 3, (0, 2)]),
        "retry_on_error": st.just(1),
        "score": st.just(False),
        "epochs": st.just(2),
    },
)


@settings(
    max_examples=8,
    derandomize=True,  # what it draws must not decide whether a change may land; more are drawn by hand
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],  # a smaller example is not worth minutes
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    samples(),
    st.sampled_from(sorted(MADE)),
    SCORERS,
    st.sampled_from([None, [accuracy(), stderr()], [accuracy(), grouped(accuracy(), "group")], [by_group("group")]]),
    st.sampled_from([None, 1, 2, Epochs(2, ["mean", "max"]), Epochs(3, "at_least_2")]),
    OPTIONS,
    st.sampled_from([GenerateConfig(), GenerateConfig(temperature=0.3, max_tokens=5, system_message="Short.")]),
)
def test_both_engines_write_the_same(tmp_path, engine_cases, rows, solver, scorers, metrics, epochs, options, config):
    def task() -> Task:
        return Task(
            dataset=MemoryDataset([row.model_copy(deep=True) for row in rows], name="made"),
            solver=MADE[solver](),
            scorer=[made() for made in scorers],
            metrics=metrics,
            epochs=epochs,
            config=config,
            name="made",
        )

    grader = {"grader": engine_cases.make_oracle("oracle/grader")}
    logs = {
        engine: engine_cases.run(engine, task(), str(tmp_path), roles=grader, **options)
        for engine in ("inspect", "direct")
    }
    mine, theirs = (engine_cases.told(logs[engine]) for engine in ("direct", "inspect"))
    if theirs["error"]:  # which samples had ended when the run was given up is chance
        mine, theirs = ({name: each[name] for name in ("status", "error", "results")} for each in (mine, theirs))
    assert mine == theirs
