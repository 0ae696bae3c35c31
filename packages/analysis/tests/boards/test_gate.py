"""Gates: what each rule decides, what would settle it, JUnit XML, Markdown, and the action of the page."""

import re
import shlex
import tomllib
from pathlib import Path
from string import Template
from xml.etree import ElementTree as ET

import pytest
import yaml

from openbench.errors import UsageError
from openbench_analysis.gate import rendering
from openbench_analysis.gate.config import GateSettings, needs_baseline, read_gate
from openbench_analysis.gate.judge import Decision, Verdict, judge
from openbench_analysis.gate.places import read_system
from openbench_analysis.statistics import paired_interval

PAGE = Path(__file__).parents[4] / "docs" / "gate-a-model.md"


def settings(text):
    return GateSettings.model_validate(tomllib.loads(text))


@pytest.fixture
def decide(write_run):
    """A function that judges a candidate's scores by rules, against a baseline's."""
    count = iter(range(100))

    def decided(rules, scores, baseline=None, **options):
        common = {name: options.pop(name) for name in ("source", "value") if name in options}
        number = next(count)
        after = write_run(f"{number}-after.eval", scores, model="b", **common, **options)
        before = write_run(f"{number}-before.eval", baseline, model="a", **common) if baseline else None
        return judge(
            settings(f"[benchmarks.quiz]\n{rules}"),
            read_system([str(after)], "candidate")[0],
            read_system([str(before)], "baseline")[0] if before else None,
        )

    return decided


def only(decision):
    [verdict] = decision.verdicts
    return verdict


HALF = [1, 0] * 100


def source(version="1.0.0", **changes):
    return {"benchmark": "quiz", "distribution": "openbench-quiz", "version": version, **changes}


LOWER = source(higher_is_better=False)


def test_a_margin_passes_where_the_interval_lies_above_it(decide):
    same = only(decide("margin = 0.03", [1] * 88, [1] * 88))
    assert (same.outcome, same.required, same.reason) == ("pass", "> -0.03", "")
    one_less = only(decide("margin = 0.03", [1] * 87, [1] * 87))
    assert one_less.outcome == "inconclusive"
    assert one_less.reason == "88 samples would settle it if the difference stays at 0.000; there are 87"


def test_a_margin_fails_where_the_interval_lies_below_it(decide):
    worse = only(decide("margin = 0.1", [0] * 60 + HALF, [1] * 60 + HALF))
    assert worse.outcome == "fail"
    low, high = (f"{each:+.3f}" for each in interval([1] * 60 + HALF, [0] * 60 + HALF))
    assert worse.observed == f"-0.231 ({low} to {high})"


def interval(before, after):
    found = paired_interval(before, after, level=0.9)
    return found.low, found.high


def test_a_margin_regards_the_direction_of_the_metric(decide):
    before, after = HALF, [1] * 60 + HALF[60:]
    assert only(decide("margin = 0.05", after, before)).outcome == "pass"
    lower = only(decide("margin = 0.05", after, before, source=LOWER))
    assert (lower.outcome, lower.required) == ("fail", "< 0.05")
    assert only(decide("margin = 0.05", before, after, source=LOWER)).outcome == "pass"


def test_epochs_are_said_where_they_would_settle_it(decide):
    before = [[1, 0], [0, 1], [1, 1], [0, 0]] * 20
    after = [[0, 1], [1, 0], [0, 1], [0, 0]] * 20
    verdict = only(decide("margin = 0.15", after, before))
    assert verdict.outcome == "inconclusive"
    assert re.fullmatch(
        r"[\d,]+ samples would settle it if the difference stays at -0\.125; there are 80, or \d+ epochs|"
        r"[\d,]+ samples would settle it if the difference stays at -0\.125; there are 80",
        verdict.reason,
    )


def test_a_floor_is_held_against_the_interval(decide):
    assert only(decide("floor = 0.43", HALF)).outcome == "pass"
    assert only(decide("floor = 0.6", HALF)).outcome == "fail"
    near = only(decide("floor = 0.48", HALF))
    assert (near.outcome, near.required) == ("inconclusive", "> 0.48")
    assert near.reason == "3,884 samples would settle it if the score stays at 0.500; there are 200"
    exact = only(decide("floor = 0.48\nexact = true", HALF))
    assert (exact.outcome, exact.required, exact.observed) == ("pass", ">= 0.48", "0.500")
    assert only(decide("floor = 0.51\nexact = true", HALF)).outcome == "fail"


def test_a_ceiling_is_for_metrics_where_lower_is_better(decide):
    assert only(decide("ceiling = 0.6", HALF, source=LOWER)).outcome == "pass"
    assert only(decide("ceiling = 0.4", HALF, source=LOWER)).outcome == "fail"
    with pytest.raises(UsageError) as error:
        decide("floor = 0.4", HALF, source=LOWER)
    assert str(error.value) == "quiz: lower is better in its metric: set a ceiling in place of the floor."


def test_plain_figures(decide):
    text = "min_answered = 0.9\nmax_truncated = 0.1\nmax_cost = 1\nmax_seconds = 12"
    decision = decide(text, [1, 0, 1, 1], truncated=[0])
    assert [(each.rule, each.outcome, each.required, each.observed) for each in decision.verdicts] == [
        ("min_answered", "pass", ">= 90.0%", "100.0%"),
        ("max_truncated", "fail", "<= 10.0%", "25.0%"),
        ("max_cost", "inconclusive", "<= 1.00", "-"),
        ("max_seconds", "fail", "<= 12.0 s", "12.5 s"),
    ]
    assert decision.outcome == "fail"


def test_what_cannot_be_judged_is_inconclusive_and_says_the_way_out(decide, write_run):
    incomplete = only(decide("floor = 0.1", HALF, status="error"))
    assert incomplete.reason.startswith("the run is not complete, its status is error: resume it")
    majors = [source(version) for version in ("1.0.0", "2.0.0")]
    paths = [write_run(f"major-{at}.eval", HALF, source=made) for at, made in enumerate(majors)]
    systems = [read_system([str(path)], "candidate")[0] for path in paths]
    verdict = only(judge(settings("[benchmarks.quiz]\nmargin = 0.1"), *systems))
    assert (verdict.outcome, verdict.reason) == (
        "inconclusive",
        "openbench-quiz 2.0.0 and 1.0.0 differ in the major version: scores changed",
    )
    other = only(judge(settings("[benchmarks.quizz]\nfloor = 0.1"), systems[0]))
    assert other.reason == "local/a has no run of it (did you mean 'quiz'?): run it with bench eval"


def test_missing_scores_do_not_pass(decide):
    assert only(decide("floor = 0.2", [*HALF, None])).outcome == "pass"  # 1 of 201
    few = decide("floor = 0.2", [*HALF, None, None, None])
    assert (only(few).outcome, few.notes) == ("inconclusive", ["quiz: 3 of 203 samples have no score"])
    assert only(few).reason.startswith("3 of 203 samples have no score, more than 1%: run them with bench eval-retry")
    half = decide("margin = 0.1", HALF[:100], HALF)
    assert only(half).reason.startswith("100 of 200 samples have no score")
    assert only(decide("floor = 0.9", [*HALF, None, None, None])).outcome == "fail"


def verdicts(*outcomes):
    return Decision("c", None, [Verdict("quiz", "floor", "> 0", "1", outcome) for outcome in outcomes], [])


def test_a_gate_passes_if_all_rules_do():
    assert verdicts("pass", "pass").outcome == "pass"
    assert verdicts("pass", "inconclusive").outcome == "inconclusive"
    assert verdicts("pass", "inconclusive", "fail").outcome == "fail"


def test_junit_and_markdown_hold_hostile_texts():
    text = '<b>"&\x00\x1b[31m\u202e\ufffe|]]>'
    decision = Decision(text, text, [Verdict(text, "floor", "> 0.5", "0.1", "inconclusive", text)], [text])
    root = ET.fromstring(rendering.as_junit(decision))  # noqa: S314 - our own
    assert root.attrib == {"name": "bench gate", "tests": "1", "failures": "0", "errors": "1"}
    assert root.find("testsuite/testcase/error").text == '<b>"&\\x00\\x1b[31m\\u202e|]]>'
    for shown in (rendering.as_markdown(decision), "\n".join(rendering.as_lines(decision))):
        assert not {"\x00", "\x1b", "\u202e"} & set(shown)
    assert "<b>" not in rendering.as_markdown(decision)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "benchmarks: Field required"),
        ("[benchmarks.quiz]\nmargn = 0.1", ("benchmarks.quiz: unknown key 'margn' (did you mean 'margin'?). Keys: "
         "margin, floor, ceiling, exact, min_answered, max_truncated, max_cost, max_seconds")),
        ("[benchmarks.quiz]", "benchmarks.quiz: it has no rule"),
        ("[benchmarks.quiz]\nmargin = 0", "benchmarks.quiz.margin: should be greater than 0; received 0"),
        ("[benchmarks.quiz]\nmin_answered = 95", ("benchmarks.quiz.min_answered: should be less than or equal to 1; "
         "received 95")),
        ("[benchmarks.quiz]\nexact = true\nmargin = 1", ("benchmarks.quiz: exact is of a floor or a ceiling, and there "
         "is neither")),
        ("[benchmarks.quiz]\nfloor = 0.1\nceiling = 1", ("benchmarks.quiz: expected a floor where higher is better, or "
         "a ceiling where lower is; received both")),
    ],
)  # fmt: skip
def test_mistakes_in_the_file_say_where_they_are(tmp_path, text, message):
    path = tmp_path / "gate.toml"
    path.write_text(text)
    with pytest.raises(UsageError) as error:
        read_gate(path)
    assert str(error.value) == f"{path}: {message}."


def test_a_margin_needs_a_baseline():
    with pytest.raises(UsageError, match=r"^quiz: margin is of a baseline, and none is named\. Use --baseline LOGS"):
        needs_baseline(settings("[benchmarks.quiz]\nmargin = 0.1"), None)
    assert needs_baseline(settings("baseline = 'x'\n[benchmarks.quiz]\nfloor = 0.1"), None) == []


def test_the_command_and_the_action_of_the_page(bench, write_run, tmp_path):
    write_run("baseline/2026-01-01T00-00-00_quiz.eval", HALF)
    write_run("logs/2026-01-02T00-00-00_quiz.eval", [1] * 30 + HALF[30:], model="local/b")
    (tmp_path / "gate.toml").write_text("[benchmarks.quiz]\nmargin = 0.05\n")
    [action] = re.findall(r"^```yaml title=action.yml\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    [script] = [step["run"] for step in yaml.safe_load(action)["runs"]["steps"] if "bench gate" in step["run"]]
    [line] = [each.partition(" ||")[0] for each in script.splitlines() if each.startswith("bench gate")]
    inputs = {"RULES": "gate.toml", "LOGS": "logs", "BASELINE": "baseline"}
    done = bench(*shlex.split(Template(line).substitute(inputs))[1:], cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines() == [
        "benchmark  rule    verdict  required  observed",
        "quiz       margin  pass     > -0.05   +0.075 (+0.050 to +0.112)",
        "",
        "Gate passed: local/b against local/a; rules: 1 passed.",
    ]
    assert ET.parse(tmp_path / "gate.xml").getroot().get("tests") == "1"  # noqa: S314 - our own
    assert (tmp_path / "gate.md").read_text("utf-8").startswith("### Gate passed")
    (tmp_path / "gate.toml").write_text("[benchmarks.quiz]\nfloor = 0.9\n")
    assert bench("gate", "gate.toml", "logs", "--json", cwd=tmp_path).json()["outcome"] == "fail"
    assert bench("gate", "gate.toml", "logs", cwd=tmp_path).code == 1
    (tmp_path / "gate.toml").write_text("[benchmarks.quiz]\nfloor = 0.55\n")
    assert bench("gate", "gate.toml", "logs", cwd=tmp_path).code == 3
    assert bench("results", "add", "logs", cwd=tmp_path).code == 0
    done = bench("gate", "gate.toml", "results", cwd=tmp_path)
    assert (done.code, done.err) == (
        2,
        "bench: results holds results, without samples: a gate compares sample by sample. Name the candidate's logs.\n",
    )
