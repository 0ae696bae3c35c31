"""Goldens: how prompts are written, kept and compared, and what `bench check --update-goldens` does with them."""

import base64
import json
import re
import sys
from dataclasses import replace
from types import SimpleNamespace

import pytest
import typer
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ContentAudio,
    ContentData,
    ContentImage,
    ContentText,
)
from inspect_ai.tool import ToolCall
from typer.testing import CliRunner

from openbench.errors import OpenbenchError
from openbench.metadata import BenchmarkMetadata
from openbench.registry.catalog import Catalog
from openbench_dryrun.messages import visible
from openbench_local.evals import LocalEval
from openbench_ranking.request import RankingRequest
from openbench_testing.check.command import command
from openbench_testing.check.table import table
from openbench_testing.conformance import Evidence, Goldens, Prompts, Run
from openbench_testing.conformance.goldens import read_goldens, write_goldens
from openbench_testing.conformance.outcome import InapplicableError, Outcome
from openbench_testing.conformance.probes.prompts import variants_of
from openbench_testing.conformance.probes.rendering import Request, SampleRequests, chat, golden, plain
from openbench_testing.conformance.rules.prompts import prompts, unrendered

METADATA = BenchmarkMetadata("Quiz", "Questions.", "knowledge", ["trivia"], "quiz", "quiz")
MARKS = {"tab": "\t", "CR": "\r", "space": " ", "newline": "\n", "⟦": "⟦", "=": "="}


def text_of(written):
    """Read back what `visible` wrote."""
    if written == "⟦empty⟧":
        return ""
    ended = re.sub(r"⟦newline⟧\n", "⟦newline⟧", written)
    return re.sub(
        r"⟦(tab|CR|space|newline|⟦|=|U\+([0-9A-F]+))⟧",
        lambda found: chr(int(found[2], 16)) if found[2] else MARKS[found[1]],
        ended,
    )


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("", "⟦empty⟧"),
        ("Answer:", "Answer:"),
        ("Answer: ", "Answer:⟦space⟧"),
        ("a  \n  b", "a⟦space⟧⟦space⟧\n  b"),
        ("a\r\n\tb", "a⟦CR⟧\n⟦tab⟧b"),
        ("a\n", "a⟦newline⟧"),
        ("a\n\n\n", "a⟦newline⟧\n⟦newline⟧\n⟦newline⟧"),
        ("\n\na", "\n\na"),
        ("a\u00a0b\u200b\u2028\ud800\0", "a⟦U+00A0⟧b⟦U+200B⟧⟦U+2028⟧⟦U+D800⟧⟦U+0000⟧"),
        ("⟦tab⟧", "⟦⟦⟧tab⟧"),
        ("=== sample 1 ===\n=====\n= b", "⟦=⟧== sample 1 ===\n=====\n= b"),
        ("größer 东 😀 é", "größer 东 😀 é"),
    ],
)
def test_what_cannot_be_seen_is_marked(text, written):
    assert visible(text) == written


@given(st.text(st.sampled_from(" \n\r\t=⟦⟧a\u00a0\ud800") | st.characters()))
def test_a_written_text_can_be_read_back_and_survives_editors(text):
    written = visible(text)
    assert text_of(written) == text
    assert written.encode().decode() == written
    assert written == "\n".join(line.rstrip() for line in written.split("\n")).rstrip("\n")
    assert not re.search(r"^=== ", written, re.MULTILINE)
    assert "\r" not in written


TURNS = [
    ChatMessageSystem(content="Be brief."),
    ChatMessageUser(content="2+2?"),
    ChatMessageAssistant(content="4"),
    ChatMessageUser(content="3+3?"),
]


def test_both_templates():
    assert plain(TURNS) == "Be brief.\n\n2+2?\n4\n\n3+3?"
    assert chat(TURNS) == (
        "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\n2+2?<|im_end|>\n"
        "<|im_start|>assistant\n4<|im_end|>\n<|im_start|>user\n3+3?<|im_end|>"
    )


def test_a_prefill_stays_open():
    messages = [ChatMessageUser(content="3+3?"), ChatMessageAssistant(content="Answer:")]
    assert plain(messages) == "3+3?\nAnswer:"
    assert chat(messages).endswith("3+3?<|im_end|>\n<|im_start|>assistant\nAnswer:")


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text()), min_size=1))
def test_plain_is_the_context_of_a_ranking(turns):
    kinds = {"user": ChatMessageUser, "assistant": ChatMessageAssistant}
    messages = [kinds[role](content=text) for role, text in turns]
    assert plain(messages) == RankingRequest(messages=messages, continuations=[" 6"], gold=[0]).context


def test_the_model_s_own_answer_has_a_place():
    answer = ChatMessageAssistant(content="", source="generate")
    assert plain([*TURNS[1:2], answer, *TURNS[3:]]) == "2+2?\n[the model's answer]\n\n3+3?"
    calls = ChatMessageAssistant(content="", source="generate", tool_calls=[ToolCall("1", "add", {"b": 2, "a": 1})])
    reply = ChatMessageTool(content="3", tool_call_id="1")
    assert chat([calls, reply]) == (
        '<|im_start|>assistant\n[the model\'s answer]\n[calls add with {"a": 1, "b": 2}]<|im_end|>\n'
        "<|im_start|>tool\n3<|im_end|>"
    )


def test_the_digest_of_media_does_not_depend_on_their_location(tmp_path):
    (tmp_path / "cat.png").write_bytes(b"cat")
    digest = "[image sha256=77af778b51ab]"
    data = "data:image/png;base64," + base64.b64encode(b"cat").decode()
    images = [str(tmp_path / "cat.png"), data, "https://example.org/cat.png", "x" * 5000, "data:;base64,ab"]
    contents = [ContentText(text="See:"), *(ContentImage(image=image) for image in images)]
    lines = plain([ChatMessageUser(content=contents)]).split("\n")
    assert lines[:4] == ["See:", digest, digest, "[image https://example.org/cat.png]"]
    assert all(re.fullmatch(r"\[image sha256=[0-9a-f]{12}\]", line) for line in lines[4:])
    others = [ContentAudio(audio=data, format="wav"), ContentData(data={"a": 1})]
    assert re.fullmatch(
        r"\[audio sha256=77af778b51ab\]\n\[data sha256=[0-9a-f]{12}\]", plain([ChatMessageUser(content=others)])
    )


def user(text):
    return [ChatMessageUser(content=text)]


def test_a_golden_as_a_whole():
    samples = [
        SampleRequests("1", [Request(user("2+2? "), {"temperature": 0.0, "stop_seqs": ["\n\n"]})]),
        SampleRequests("two", []),
    ]
    assert golden("quiz", "plain", {"style": "cloze"}, [*samples[:1], SampleRequests("two", samples[0].requests)]) == (
        "# Written by bench check quiz --update-goldens; ⟦⟧ marks a character that cannot be seen.\n"
        "benchmark: quiz\n"
        "template: plain\n"
        'arguments: style="cloze"\n'
        'generation: stop_seqs=["\\n\\n"], temperature=0.0\n'
        "\n=== sample 1 ===\n2+2?⟦space⟧\n"
        "\n=== sample two ===\n2+2?⟦space⟧\n"
    )
    assert golden("quiz", "plain", {}, samples).endswith("\n\n=== sample two, nothing is asked ===\n")


def test_requests_that_differ_in_their_settings_each_say_so():
    sample = SampleRequests("1", [Request(user("a"), {"max_tokens": 5}), Request(user("b"))])
    head, *sections = golden("quiz", "plain", {}, [sample]).split("\n\n")
    assert head.endswith("\narguments: defaults\ngeneration: as each request says")
    assert sections == [
        "=== sample 1, request 1 of 2 ===\ngeneration: max_tokens=5\na",
        "=== sample 1, request 2 of 2 ===\ngeneration: defaults\nb\n",
    ]


def test_no_more_than_ten_requests_of_a_sample_are_shown():
    written = golden("quiz", "plain", {}, [SampleRequests("1", [Request(user("a"))] * 12)])
    assert written.count("=== sample") == 11
    assert written.endswith("=== sample 1, request 10 of 12 ===\na\n\n=== sample 1, 2 more requests ===\n")


def test_ranked_continuations_stand_below_their_context():
    messages = [*user("Question: 2+2?"), ChatMessageAssistant(content="Answer:")]
    ranking = {"continuations": [" 4", " 5 "], "gold": [0]}
    written = golden("quiz", "plain", {}, [SampleRequests("1", [Request(messages, ranking=ranking)])])
    assert written.endswith(
        '\n\n=== sample 1 ===\nQuestion: 2+2?\nAnswer:\n\n=== sample 1, continuations ===\nright: " 4"\nwrong: " 5 "\n'
    )


@pytest.mark.parametrize("given_", [["fewshot"], {"../x": {}}, {"a.b": {}}, {"fewshot": 5}, {1: {}}, {"": {}}])
def test_variants_that_are_none(given_, monkeypatch):
    monkeypatch.setitem(sys.modules, user.__module__, SimpleNamespace(GOLDENS=given_))
    with pytest.raises(
        ValueError, match=re.escape(f"GOLDENS is {given_!r}; expected a mapping of names (lower-case letters, digits")
    ):
        variants_of(user)


def written(*texts, settings=None):
    samples = [SampleRequests(f"q{number}", [Request(user(text), settings or {})]) for number, text in enumerate(texts)]
    return {f"{name}.txt": golden("quiz", name, {}, samples) for name in ("chat", "plain")}


KEPT = written("Two?", "Three?")
EVIDENCE = Evidence(
    benchmark="quiz@acme-quiz",
    key="quiz",
    metadata=METADATA,
    distribution="acme-quiz",
    prompts=Prompts(files=KEPT),
    goldens=Goldens(folder="goldens/quiz", files=KEPT),
)
REMEDY = (
    "If the change is intended, it changes scores: raise the major version, and run bench check quiz@acme-quiz "
    "--update-goldens."
)


def now(files):
    return replace(EVIDENCE, prompts=Prompts(files=files))


def test_nothing_has_changed():
    assert prompts(EVIDENCE) is None


def test_a_changed_prompt():
    assert prompts(now(written("Two?", "Four?"))) == (
        f"the prompt of sample q1 differs from goldens/quiz/chat.txt, line 13 (and plain.txt). {REMEDY}\n"
        "--- kept\n+++ now\n@@ -12,3 +12,3 @@\n"
        " <|im_start|>user\n-Three?<|im_end|>\n+Four?<|im_end|>\n "
    )


def test_the_table_shows_a_difference_as_it_is(monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    complaint = prompts(now(written("Two?", "Four?   Five?")))
    lines = table([Outcome("quiz", "prompts", "failed", complaint)])
    assert lines[2].startswith("  prompts: the prompt of sample q1 differs from")
    assert lines[-9:-2] == [
        "    --- kept",
        "    +++ now",
        "    @@ -12,3 +12,3 @@",
        "     <|im_start|>user",
        "    -Three?<|im_end|>",
        "    +Four?   Five?<|im_end|>",
        "     ",
    ]


def test_a_trailing_blank_and_nothing_else():
    complaint = prompts(now(written("Two? ", "Three?")))
    assert "+Two? <|im_end|>" in complaint
    only_plain = {**KEPT, "plain.txt": written("Two? ", "Three?")["plain.txt"]}
    complaint = prompts(now(only_plain))
    assert complaint.startswith("the prompt of sample q0 differs from goldens/quiz/plain.txt, line 8. If")
    assert complaint.endswith("-Two?\n+Two?⟦space⟧\n ")


def test_a_changed_setting():
    complaint = prompts(now(written("Two?", "Three?", settings={"temperature": 0.5})))
    assert complaint.startswith("the part before the samples (settings) differs from goldens/quiz/chat.txt, line 5")
    assert "-generation: defaults\n+generation: temperature=0.5" in complaint


def test_a_sample_more_and_a_sample_less():
    assert "sample q2 ===" in prompts(now(written("Two?", "Three?", "Four?")))
    assert "-=== sample q1 ===" in prompts(now(written("Two?")))


def test_a_long_line_is_shown_where_it_differs_and_a_long_diff_in_part():
    line = "the quick brown fox " * 50
    kept = replace(EVIDENCE, goldens=Goldens(folder="goldens/quiz", files=written(f"{line}jumps", "Three?")))
    complaint = prompts(replace(kept, prompts=Prompts(files=written(f"{line}leaps", "Three?"))))
    minus, plus = [text for text in complaint.split("\n") if text[:2] in {"-…", "+…"}]
    assert (minus[-16:], plus[-16:]) == ("jumps<|im_end|>"[-16:].rjust(16), "leaps<|im_end|>"[-16:].rjust(16))
    assert max(len(minus), len(plus)) <= 120
    complaint = prompts(now(written(*map(str, range(30)))))
    assert len(complaint.split("\n")) == 14
    assert re.search(r"\(\d+ more lines\)\Z", complaint)


def test_files_that_are_missing_or_too_many():
    assert prompts(now({**KEPT, "fewshot.chat.txt": "", "fewshot.plain.txt": ""})) == (
        "goldens/quiz has no fewshot.chat.txt, fewshot.plain.txt. Run bench check quiz@acme-quiz --update-goldens."
    )
    assert prompts(now({"chat.txt": KEPT["chat.txt"]})) == (
        "goldens/quiz has plain.txt, which belongs to no template or variant (expected chat.txt). Run bench check "
        "quiz@acme-quiz --update-goldens, which removes it."
    )


def test_goldens_of_a_benchmark_that_is_gone():
    gone = replace(EVIDENCE, goldens=Goldens(folder="goldens/quiz", orphans=["old_quiz", "older"]))
    assert prompts(gone) == (
        "goldens/ has prompts of old_quiz, older, but acme-quiz provides no such benchmark. Remove or rename the "
        "folder."
    )


def test_a_package_without_goldens_learns_how_to_write_them():
    with pytest.raises(InapplicableError, match="it has no goldens; --update-goldens writes them"):
        prompts(replace(EVIDENCE, goldens=Goldens(folder="goldens/quiz")))


def test_prompts_that_are_unknown():
    assert prompts(replace(EVIDENCE, prompts=Prompts(error="KeyError: 'x'", files=KEPT))) == (
        "its prompts are unknown: KeyError: 'x'"
    )
    nothing = replace(EVIDENCE, prompts=Prompts())
    assert unrendered(nothing) == "its prompts are unknown: the run 'empty' is missing"
    failed = replace(nothing, runs={"empty": Run(error="TypeError: no")})
    assert unrendered(failed) == "its prompts are unknown: TypeError: no"


@pytest.fixture
def quiz(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "quiz.py").touch()
    return LocalEval("quiz-1", METADATA, path=tmp_path / "quiz.py")


NOTHING = Catalog([])


def test_files_are_written_once_changed_and_removed(quiz, tmp_path):
    folder = tmp_path / "goldens" / "quiz_1"
    assert list(write_goldens(quiz, KEPT)) == [
        "wrote goldens/quiz_1/chat.txt",
        "wrote goldens/quiz_1/plain.txt",
    ]
    kept = read_goldens(quiz, NOTHING)
    assert (kept.folder, kept.files, kept.orphans) == ("goldens/quiz_1", KEPT, ())
    assert list(write_goldens(quiz, KEPT)) == []
    (folder / "notes.md").touch()
    (folder / "chat.txt").write_bytes(KEPT["chat.txt"].replace("\n", "\r\n").encode())  # as git may check it out
    (folder / "plain.txt").write_text(KEPT["plain.txt"].rstrip("\n"), "utf-8")  # as an editor may keep it
    assert read_goldens(quiz, NOTHING).files == KEPT
    assert list(write_goldens(quiz, {"chat.txt": KEPT["chat.txt"]})) == [
        "changed goldens/quiz_1/chat.txt",
        "removed goldens/quiz_1/plain.txt",
    ]
    assert sorted(path.name for path in folder.iterdir()) == ["chat.txt", "notes.md"]
    assert (folder / "chat.txt").read_bytes() == KEPT["chat.txt"].encode()


def test_a_golden_that_is_not_utf_8_differs(quiz, tmp_path):
    list(write_goldens(quiz, KEPT))
    (tmp_path / "goldens" / "quiz_1" / "chat.txt").write_bytes(b"\xff")
    assert read_goldens(quiz, NOTHING).files["chat.txt"] == "\\xff\n"


def test_a_folder_that_cannot_be_written(quiz, tmp_path):
    (tmp_path / "goldens").touch()
    with pytest.raises(OpenbenchError) as refusal:
        list(write_goldens(quiz, KEPT))
    assert str(refusal.value) == (
        "goldens/quiz_1 cannot be written: Not a directory. Install the package in editable mode from your own copy."
    )


@pytest.mark.parametrize("link", ["goldens", "goldens/quiz_1", "goldens/quiz_1/chat.txt"])
def test_nothing_is_written_outside_the_package(quiz, tmp_path, tmp_path_factory, link):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (tmp_path / link).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / link).symlink_to(elsewhere)
    with pytest.raises(OpenbenchError, match=r"chat\.txt is a link to a path outside its package\. Remove it\."):
        list(write_goldens(quiz, KEPT))
    assert list(elsewhere.iterdir()) == []


TALK = '''
from inspect_ai import Task, task
from inspect_ai.model import ChatMessageAssistant, GenerateConfig
from inspect_ai.scorer import match
from inspect_ai.dataset import Sample
from inspect_ai.solver import generate, solver, system_message, user_message
from openbench.datasets import load_samples, read_rows
from openbench.metadata import BenchmarkMetadata, DatasetSource

SOURCE = DatasetSource(source="acme/talk", split="test", revision="0123456789abcdef0123456789abcdef01234567")
__metadata__ = BenchmarkMetadata(
    "Talk", "Two turns.", "knowledge", ["trivia"], "talk", "talk", dataset=SOURCE, samples=4,
    languages=["en"], homepage="https://example.org",
)
GOLDENS = {"prefill": {"cue": "Answer:"}}

@solver
def begin(cue):
    async def solve(state, generate):
        if cue:
            state.messages.append(ChatMessageAssistant(content=cue))
        return state
    return solve

def to_sample(row):
    return Sample(input=row["question"], target=row["answer"], id=row["id"])

@task
def talk(cue: str = ""):
    """Ask twice."""
    turns = [system_message("Be brief."), generate(max_tokens=64), user_message("SURE"), begin(cue), generate()]
    return Task(load_samples(read_rows(SOURCE), to_sample, name="talk"), solver=turns, scorer=match(),
                config=GenerateConfig(temperature=0.0), name="talk")
'''
SECOND = """=== sample q0, request 2 of 2 ===
generation: temperature=0.0
<|im_start|>system
Be brief.<|im_end|>
<|im_start|>user
Question 0?<|im_end|>
<|im_start|>assistant
[the model's answer]<|im_end|>
<|im_start|>user
Are you sure?
<|im_end|>"""


def check(*arguments):
    """Run the command in this process; what it checks runs in others."""
    app = typer.Typer()
    app.command()(command)
    return CliRunner().invoke(app, [*map(str, arguments)], standalone_mode=False)


def make(folder, text=TALK):
    (folder / "samples" / "talk").mkdir(parents=True)
    (folder / "talk.py").write_text(text.replace("SURE", "Are you sure?\\n"), "utf-8")
    rows = [{"id": f"q{n}", "question": f"Question {n}?", "answer": answer} for n, answer in enumerate("wxyz")]
    (folder / "samples/talk/test.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return folder / "talk.py"


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_prompts_are_kept_and_the_same_every_time(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    path, goldens = make(tmp_path), tmp_path / "goldens" / "talk"
    done = check(path, "--update-goldens")
    assert done.return_value == 0, done.output
    names = ["chat.txt", "plain.txt", "prefill.chat.txt", "prefill.plain.txt"]
    assert done.stdout.splitlines()[:4] == [f"wrote goldens/talk/{name}" for name in names]
    assert "  prompts    passed  Prompts match those in goldens/." in done.stdout.splitlines()
    first = contents(goldens)
    assert sorted(first) == names
    assert SECOND in first["chat.txt"].decode()
    assert "generation: max_tokens=64, temperature=0.0\n<|im_start|>system" in first["chat.txt"].decode()
    prefilled = first["prefill.chat.txt"].decode()
    assert 'arguments: cue="Answer:"\n' in prefilled
    assert prefilled.endswith("Are you sure?\n<|im_end|>\n<|im_start|>assistant\nAnswer:\n")
    assert first["chat.txt"].count(b"request 1 of 2 ===") == 3

    # A second run renders the same; what cannot be kept is refused, and costs nothing else.
    blocked, broken = tmp_path / "blocked", tmp_path / "broken"
    refused = [make(blocked), make(broken, TALK.replace("turns =", "raise RuntimeError('no licence')\n    turns ="))]
    (blocked / "goldens").touch()
    done = check(path, *refused, "--update-goldens", "--json")
    assert done.return_value == 1
    assert [of["conforms"] for of in json.loads(done.stdout)] == [True, True, False]
    assert done.stderr == (
        f"{path}: its goldens are unchanged\n"
        f"bench: {refused[0]}: its goldens cannot be written: blocked/goldens/talk cannot be written: Not a "
        "directory. Install the package in editable mode from your own copy.\n"
        f"bench: {refused[1]}: its goldens cannot be written: its prompts are unknown: OpenbenchError: talk: its "
        "task function failed: RuntimeError: no licence\n"
    )
    assert contents(goldens) == first
