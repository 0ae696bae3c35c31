"""Compare the requests of log-probability benchmarks with those of lm-evaluation-harness, character by character.

Both build their requests from the same rows: real ones where a folder has them (`OPENBENCH_REAL_DATA`, laid out as
`hub/<org>/<name>/<config>/<split>.jsonl`), and made ones with white space, quotes, brackets, marks of tokenisation and
other scripts in all places.
"""

import argparse
import json
import os
import random
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from inspect_ai.dataset import Sample

from openbench.datasets import bundled_rows
from openbench_mcq import truthfulqa as published
from openbench_mmlu.subjects import SUBJECTS
from openbench_ranking.request import ranking_request

Row = dict[str, Any]
Pair = tuple[str, ...]
"""A context and its continuation, or a text that is read as a whole."""

PIECES = (
    "the cup", "a box", "Zürich", "東京", "🙂", "don't", 'said "no"', "[header]", "[title] Then", "[step]", "(see it)",
    "{it}", "{{x}}", "C:\\new", "1,5", "$3$", "it's", "Paris.", "Why?", "why so", "two  spaces", "A", "Answer:", "%",
)  # fmt: skip
TOKENISED = (" @-@ ", " @,@ ", " @.@ ", " : ", " ; ", " . ", " ! ", " ? ", " , ", " ( a b ) ", " [ c ] ", " { d } ")
MARKS = (
    *TOKENISED,
    ' " e f " ',
    " ' g ' ",
    "s '",
    " = = H = = \n",
    " = = = I = = = \n",
    " ° ",
    " \n",
    "\n ",
    " N ",
    " 's",
)
SPACES = ("", "", "", " ", "\n", "  ", "\t")


class Writer:
    """Writes made texts."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)  # noqa: S311 - no secret

    def text(self, least: int = 1, most: int = 8) -> str:
        """Return a text, perhaps with white space around it."""
        words = " ".join(self.draw.choices(PIECES, k=self.draw.randint(least, most)))
        return self.draw.choice(SPACES) + words + self.draw.choice(SPACES)

    def plain(self, least: int = 1, most: int = 8) -> str:
        """Return a text without white space around it."""
        return self.text(least, most).strip()

    def one(self, *values: Any) -> Any:
        """Return one of some values."""
        return self.draw.choice(values)

    def lettered(self, count: int) -> Row:
        """Return choices with labels, as ARC has them."""
        labels = list("ABCDE"[:count]) if self.draw.random() < 0.8 else list("12345"[:count])  # noqa: PLR2004
        return {
            "id": f"row-{self.draw.random()}",
            "choices": {"text": [self.text() for _ in labels], "label": labels},
            "answerKey": self.draw.choice(labels),
        }


def arc(write: Writer) -> Row:
    """Return a row of ARC."""
    return {**write.lettered(write.one(3, 4, 5)), "question": write.text(3)}


def openbookqa(write: Writer) -> Row:
    """Return a row of OpenBookQA."""
    return {**write.lettered(4), "question_stem": write.text(3)}


def commonsense_qa(write: Writer) -> Row:
    """Return a row of CommonsenseQA."""
    labels = list("ABCDE")
    choices = {"text": [write.text() for _ in labels], "label": labels}
    made = {"id": f"row-{write.draw.random()}", "question": write.text(3), "question_concept": write.plain()}
    return {**made, "choices": choices, "answerKey": write.one(*labels)}


def hellaswag(write: Writer) -> Row:
    """Return a row of HellaSwag."""
    return {
        "activity_label": write.plain(),
        "ctx_a": write.text(3),
        "ctx_b": write.one("", write.text()),
        "ctx": "",
        "endings": [f"{write.one('', '[step] ', '[substeps] ')}{write.text(2)}" for _ in range(4)],
        "label": write.one("0", "1", "2", "3"),
        "source_id": "made",
    }


def piqa(write: Writer) -> Row:
    """Return a row of PIQA."""
    return {"goal": write.text(), "sol1": write.text(), "sol2": write.text(), "label": write.one(0, 1)}


def winogrande(write: Writer) -> Row:
    """Return a row of WinoGrande."""
    sentence = f"{write.text(2)}{write.one(' ', '')}_{write.one(' ', '', ', ')}{write.text(2)}{write.one('', ' _ too')}"
    return {
        "sentence": sentence,
        "option1": write.text(1, 2),
        "option2": write.text(1, 2),
        "answer": write.one("1", "2"),
    }


def boolq(write: Writer) -> Row:
    """Return a row of SuperGLUE's BoolQ."""
    return {"passage": write.text(5), "question": write.text(3), "label": write.one(0, 1)}


def copa(write: Writer) -> Row:
    """Return a row of SuperGLUE's COPA."""
    choices = {"choice1": write.plain(2), "choice2": write.plain(2)}
    return {"premise": write.text(3), **choices, "question": write.one("cause", "effect"), "label": write.one(0, 1)}


def sciq(write: Writer) -> Row:
    """Return a row of SciQ."""
    answers = {name: write.text() for name in ("correct_answer", "distractor1", "distractor2", "distractor3")}
    return {"question": write.text(3), "support": write.one("", write.text(5)), **answers}


def truthfulqa(write: Writer) -> Row:
    """Return a row of TruthfulQA."""
    several = [1, *(write.one(0, 1) for _ in range(4)), 0]
    return {
        "question": write.text(3),
        "mc1_targets": {"choices": [write.text() for _ in range(4)], "labels": [1, 0, 0, 0]},
        "mc2_targets": {"choices": [write.text() for _ in several], "labels": several},
    }


def mmlu(write: Writer) -> Row:
    """Return a row of MMLU."""
    choices = [write.text() for _ in range(4)]
    return {"question": write.text(3), "choices": choices, "answer": write.one(0, 1, 2, 3), "subject": "anatomy"}


def lambada(write: Writer) -> Row:
    """Return a row of LAMBADA."""
    word = write.one("cup", "don't", "Zürich", "東京", "end.")
    return {"text": f"{write.text(5)} {word}"}


def blimp(write: Writer) -> Row:
    """Return a row of BLiMP."""
    named = {"UID": "adjunct_island", "pairID": str(write.draw.random()), "linguistics_term": "island_effects"}
    return {"sentence_good": write.text(3), "sentence_bad": write.text(3), **named}


def wikitext(write: Writer) -> Row:
    """Return a row of WikiText."""
    parts = [write.draw.choice((write.plain(), write.draw.choice(MARKS))) for _ in range(60)]
    return {"page": "".join(parts)}


@dataclass(frozen=True)
class Case:
    """A benchmark in a style, and the task of lm-evaluation-harness that it corresponds to.

    Attributes:
        function: The task function: `module.function`.
        theirs: The task's name; `{}` stands for the member's, for families.
        made: Makes a row.
        arguments: Our arguments.
        split: The split that both evaluate.
        shots: The number of examples.
        real: The folder with real rows.
        member: The column that names the member of a family, and its members.
    """

    function: str
    theirs: str
    made: Callable[[Writer], Row]
    arguments: Mapping[str, Any] = field(default_factory=dict)
    split: str = "validation"
    shots: int = 0
    real: str = ""
    member: tuple[str, Sequence[str]] = ("", [""])

    @property
    def name(self) -> str:
        """The benchmark's name."""
        return self.function.rpartition(".")[2]


CLOZE = {"style": "cloze"}
OFFICIAL = {"prompt": "official"}
MMLU_ROWS, TRUTHFUL_ROWS = "hub/cais/mmlu/all", "hub/truthfulqa/truthful_qa/multiple_choice"
OF_SUBJECT = ("subject", list(SUBJECTS))

CASES = [
    Case("openbench_mcq.arc.arc_easy", "arc_easy", arc, CLOZE, "test"),
    Case("openbench_mcq.arc.arc_challenge", "arc_challenge", arc, CLOZE, "test"),
    Case("openbench_mcq.hellaswag.hellaswag", "hellaswag", hellaswag, CLOZE),
    Case("openbench_mcq.piqa.piqa", "piqa", piqa, CLOZE),
    Case("openbench_mcq.winogrande.winogrande", "winogrande", winogrande, CLOZE),
    Case("openbench_mcq.openbookqa.openbookqa", "openbookqa", openbookqa, CLOZE, "test"),
    Case("openbench_mcq.boolq.boolq", "boolq", boolq, CLOZE),
    Case("openbench_mcq.sciq.sciq", "sciq", sciq, CLOZE, "test"),
    Case("openbench_mcq.commonsense_qa.commonsense_qa", "commonsense_qa", commonsense_qa, {"style": "letters_ranked"}),
    Case("openbench_mcq.copa.copa", "copa", copa, CLOZE),
    Case("openbench_mcq.truthfulqa.truthfulqa_mc1", "truthfulqa_mc1", truthfulqa, CLOZE | OFFICIAL, real=TRUTHFUL_ROWS),
    Case("openbench_mcq.truthfulqa_mc2.truthfulqa_mc2", "truthfulqa_mc2", truthfulqa, OFFICIAL, real=TRUTHFUL_ROWS),
    *(
        Case(
            "openbench_mmlu.mmlu.mmlu",
            theirs,
            mmlu,
            {"style": style, "fewshot": shots},
            "test",
            shots,
            real=MMLU_ROWS,
            member=OF_SUBJECT,
        )
        for style, theirs in (("letters_ranked", "mmlu_{}"), ("cloze", "mmlu_{}_continuation"))
        for shots in (0, 5)
    ),
    Case("openbench_lm.lambada.lambada", "lambada_openai", lambada, split="test"),
    Case("openbench_lm.blimp.blimp", "blimp_{}", blimp, split="train", real="hub/nyu-mll/blimp", member=("UID", [])),
    Case("openbench_lm.wikitext.wikitext", "wikitext", wikitext, split="test"),
]


def ours(case: Case, folder: Path) -> list[list[Pair]]:
    """Return the requests of our task for each row of a folder."""
    module, _, name = case.function.rpartition(".")
    with bundled_rows(folder):
        return [_asked(sample) for sample in getattr(import_module(module), name)(**case.arguments).dataset]


def _asked(sample: Sample) -> list[Pair]:
    request = ranking_request(sample)
    if request is None:
        return [(str(sample.input),)]
    each = request.separate() if request.contexts else [request]
    return [(one.context, text) for one in each for text in one.continuations]


def theirs(case: Case, folder: Path, member: str) -> list[list[Pair]]:
    """Return the requests of lm-evaluation-harness's task for each row of a folder."""
    name = case.theirs.format(member)
    files = {path.stem: str(path) for path in folder.glob("*.jsonl")}
    files = {name: files.get(name, files[case.split]) for name in ("train", "validation", "test", "dev")}
    # Of the rows alone: what turns a row into a request is the harness's.
    rows = {"dataset_path": "json", "dataset_name": None, "dataset_kwargs": {"data_files": files}}
    group = {"group": "compared", "task": [{"task": name, "num_fewshot": case.shots, **rows}]}
    [task] = task_manager().load(group)["tasks"].values()
    task.build_all_requests()
    asked: dict[int, list[Pair]] = {}
    for instance in task.instances:
        asked.setdefault(instance.doc_id, []).append(instance.args)
    return [asked[index] for index in sorted(asked)]


@cache
def task_manager() -> Any:
    """Return lm-evaluation-harness's index of its tasks, which takes seconds to read."""
    from lm_eval.tasks import TaskManager  # noqa: PLC0415 - in the benchmark's own environment

    return TaskManager()


def use_installed_examples() -> None:
    """Read TruthfulQA's examples from the installed lm-evaluation-harness, whose file has the pinned digest."""
    import lm_eval  # noqa: PLC0415 - in the benchmark's own environment

    path = Path(lm_eval.__file__).parent / "tasks/truthfulqa/truthfulqa_mc1.yaml"
    published.OFFICIAL = replace(published.OFFICIAL, source=str(path), revision=None)


def write_rows(folder: Path, split: str, rows: Iterable[Row]) -> None:
    """Write rows as JSON Lines."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{split}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def read_rows(path: Path) -> list[Row]:
    """Read rows of JSON Lines."""
    return [json.loads(line) for line in path.read_text("utf-8").split("\n") if line]


def folders(case: Case, made: int, scratch: Path) -> Iterable[tuple[str, str, Path]]:
    """Write the rows of a case to folders, one for each member; yield what they are, the member and the folder."""
    column, members = case.member
    write = Writer(made)
    first = next(iter(members), "adjunct_island")
    rows = [{**case.made(write), **({column: first} if column else {})} for _ in range(made)]
    write_rows(scratch / "made", case.split, rows)
    if case.shots:
        write_rows(scratch / "made", "dev", [{**case.made(write), column: first} for _ in range(case.shots)])
    yield "made", first, scratch / "made"
    real = Path(os.environ.get("OPENBENCH_REAL_DATA", "")) / case.real if case.real else None
    if real is None or not real.is_dir():
        return
    if not column:
        yield "real", "", real
        return
    splits = {path.stem: read_rows(path) for path in real.glob("*.jsonl")}
    for path in real.glob("*/*.jsonl"):
        splits.setdefault(path.stem, []).extend(read_rows(path))
    for member in members or dict.fromkeys(row[column] for row in splits[case.split]):
        for split, held in splits.items():
            write_rows(scratch / member, split, [row for row in held if row[column] == member])
        yield "real", member, scratch / member


def compare(case: Case, made: int) -> dict[str, tuple[int, int, str]]:
    """Return, for made and real rows, how many there were, how many had equal requests, and the first that had not."""
    found: dict[str, tuple[int, int, str]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for kind, member, folder in folders(case, made, Path(scratch)):
            pairs = list(zip(ours(case, folder), theirs(case, folder, member), strict=True))
            other = next((f"ours {one!r}\n  theirs {two!r}" for one, two in pairs if one != two), "")
            count, equal, before = found.get(kind, (0, 0, ""))
            found[kind] = (count + len(pairs), equal + sum(one == two for one, two in pairs), before or other)
    return found


def main() -> None:
    """Compare the benchmarks that the command line names, by default all; exit with 1 if any request differs."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--made", type=int, default=300, help="made rows of each benchmark")
    arguments = parser.parse_args()
    use_installed_examples()
    different = 0
    print(f"{'benchmark':16} {'lm-evaluation-harness':24} {'shots':>5}  {'rows':5} {'compared':>8} {'equal':>8}")
    for case in CASES:
        if arguments.names and case.name not in arguments.names:
            continue
        for kind, (count, equal, other) in compare(case, arguments.made).items():
            print(f"{case.name:16} {case.theirs:24} {case.shots:5}  {kind:5} {count:8} {equal:8}", flush=True)
            different += count - equal
            if other:
                print(f"  {other}")
    sys.exit(1 if different else 0)


if __name__ == "__main__":
    main()
