"""RULER's thirteen tasks: each makes a prompt of a given size from a seed.

Hsieh et al. (2024), https://arxiv.org/abs/2404.06654, and its programs at https://github.com/NVIDIA/RULER. Numbers and
positions are drawn as there, from other random numbers.
"""

import math
import random
import string
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

from openbench_longcontext.haystack import ESSAY, Materials, largest, seeded, sentences
from openbench_longcontext.ruler_wording import Wording
from openbench_longcontext.tokens import TokenCounter

_DEPTHS = [round(100 * step / 39) for step in range(40)]
_ZETA_2 = math.pi**2 / 6
_SHORT = 4096
"""The length below which lists of words repeat less."""

_EXAMPLE_TOKENS = 500
Random = random.Random
KeyKind = Literal["words", "uuids"]
ValueKind = Literal["numbers", "uuids"]


@dataclass(frozen=True)
class Made:
    """A prompt and what it asks for.

    Attributes:
        prompt: The prompt.
        answers: All that is asked for, or for `qa` the spellings of one answer.
        depth: Where in the prompt the first of it stands, from 0 to 1; None if it is everywhere.
    """

    prompt: str
    answers: Sequence[str]
    depth: float | None = None


Make = Callable[[Random, int], Made]
"""Makes a prompt from random numbers and a size, in a unit of the task's own."""


@dataclass(frozen=True)
class Setting:
    """What a task is made from at a length.

    Attributes:
        materials: Essays, words and questions.
        wording: The texts around them.
        counter: The tokenizer.
        length: The most tokens of prompt and answer.
    """

    materials: Materials
    wording: Wording
    counter: TokenCounter
    length: int


@dataclass(frozen=True)
class Kind:
    """A kind of task.

    Attributes:
        maker: Returns for the number of a sample what makes its prompt, and the largest size that the materials allow.
        reserved: The tokens that are left to the answer.
        materials: The names of the materials it needs.
        least: The smallest size.
        any_answer: Whether one of the answers is enough.
    """

    maker: Callable[[Setting, int], tuple[Make, int | None]]
    reserved: int
    materials: Sequence[str] = ()
    least: int = 1
    any_answer: bool = False


@dataclass(frozen=True)
class Needles:
    """A needle task, by the original's parameters.

    Attributes:
        haystack: What surrounds the needles: the same line again and again, essays, or other needles.
        key: What the keys are.
        value: What the values are.
        keys: How many keys there are.
        values: How many values each has.
        queries: For how many keys the values are asked.
    """

    haystack: Literal["noise", "essays", "needles"]
    key: KeyKind = "words"
    value: ValueKind = "numbers"
    keys: int = 1
    values: int = 1
    queries: int = 1


def make_needles(task: Needles, setting: Setting, rng: Random, size: int) -> Made:
    """Hide needles; `size` is the number of words of essays, or of lines.

    In essays, needles stand at ends of sentences at some of forty depths, in random order; else between random lines.
    """
    wording = setting.wording
    drawn = _distinct(max(task.keys, task.queries), lambda: _key(rng, task.key, setting.materials))
    values = {key: [_value(rng, task.value) for _ in range(task.values)] for key in drawn}
    one = task.queries * task.values == 1
    needle = partial(wording.needle.format, type_needle_v=task.value)
    needles = [needle(key=key, value=value) for key, of_key in values.items() for value in of_key]
    rng.shuffle(needles)
    if task.haystack == "essays":
        context = _in_sentences(rng, setting.materials.essay(size), needles)
    else:
        lines = [wording.noise] * size
        if task.haystack == "needles":
            key, value = partial(_key, rng, task.key, setting.materials), partial(_value, rng, task.value)
            lines = [needle(key=key(), value=value()) for _ in range(size)]
        for place, each in zip(sorted(rng.sample(range(size), len(needles)), reverse=True), needles, strict=True):
            lines.insert(place, each)
        context = "\n".join(lines)
    asked = rng.sample(drawn, task.queries)
    answers = [value for key in asked for value in values[key]]
    query = f"{', '.join(asked[:-1])}, and {asked[-1]}" if len(asked) > 1 else asked[0]
    template = wording.niah_one if one else wording.niah
    value_name = task.value.removesuffix("s") if one else task.value
    prompt = template.format(type_needle_v=value_name, context=context, query=query)
    return Made(prompt, answers, context.find(answers[0]) / len(context))


def make_variables(setting: Setting, hops: int, rng: Random, size: int) -> Made:
    """Hide a chain of assignments in `size` lines of noise, after an example of some 500 tokens with its answer."""
    seed = rng.getrandbits(64)

    def example(lines: int) -> str:
        made = _chain(setting.wording, hops, 3, seeded(seed), lines)
        return f"{made.prompt} {' '.join(made.answers)}\n\n"

    least = hops + 1
    lines = largest(lambda count: setting.counter.count(example(count)) <= _EXAMPLE_TOKENS, least)
    made = _chain(setting.wording, hops, 5, rng, size)
    return Made(f"{example(lines or least)}{made.prompt}", made.answers, made.depth)


def make_common_words(setting: Setting, rng: Random, size: int) -> Made:
    """List `size` words, of which ten stand more often, in random order, after an example with its answer."""
    short = setting.length < _SHORT
    example, wanted = _listed(setting.materials.words, rng, 20 if short else 40, *((3, 1) if short else (10, 3)))
    context, answers = _listed(setting.materials.words, rng, size, *((6, 1) if short else (30, 3)))
    template = setting.wording.cwe
    prompt = f"{template.format(context=example)} {_numbered(wanted)}\n\n{template.format(context=context)}"
    return Made(prompt, answers)


def make_frequent_words(setting: Setting, reserved: int, rng: Random, size: int) -> Made:
    """Write some `size` coded words, whose frequencies fall with the square of their rank; dots take the first."""
    count = max(4, (setting.length - reserved) // 50)
    words = _distinct(count, lambda: "".join(rng.choices(string.ascii_lowercase, k=6)))
    words[0] = "..."
    text = [word for rank, word in enumerate(words, 1) for _ in range(int(size / rank**2 / _ZETA_2))]
    rng.shuffle(text)
    return Made(setting.wording.fwe.format(context=" ".join(text)), words[1:4])


@dataclass(frozen=True)
class Question:
    """A question about documents.

    Attributes:
        question: The question.
        answers: Spellings of the answer.
        documents: The documents that it needs.
        related: Others of the same article.
    """

    question: str
    answers: Sequence[str]
    documents: Sequence[str]
    related: Sequence[str] = ()


def make_question(question: Question, documents: Sequence[str], setting: Setting, rng: Random, size: int) -> Made:
    """Ask a question about `size` documents: those it needs, related ones, and others, in random order."""
    chosen = list(question.documents)
    wanted = size - len(chosen)
    chosen += rng.sample(question.related, min(wanted, len(question.related)))
    own = {*chosen}
    others = size - len(chosen)
    if others > 0:
        rest = [each for each in rng.sample(documents, min(len(documents), others + len(own))) if each not in own]
        chosen += rest[:others]
    rng.shuffle(chosen)
    context = "\n\n".join(f"Document {number}:\n{text}" for number, text in enumerate(chosen, 1))
    prompt = setting.wording.qa.format(context=context, query=question.question)
    return Made(prompt, question.answers, context.find(question.documents[0]) / len(context))


def squad_questions(materials: Materials) -> tuple[list[Question], list[str]]:
    """Return SQuAD's answerable questions, in their order, and all paragraphs."""
    found = []
    for article in materials["squad"]["data"]:
        paragraphs = [paragraph["context"] for paragraph in article["paragraphs"]]
        for paragraph in article["paragraphs"]:
            related = [text for text in dict.fromkeys(paragraphs) if text != paragraph["context"]]
            found += [
                Question(each["question"], [a["text"] for a in each["answers"]], [paragraph["context"]], related)
                for each in paragraph["qas"]
                if not each["is_impossible"]
            ]
    return found, sorted({part["context"] for article in materials["squad"]["data"] for part in article["paragraphs"]})


def hotpotqa_questions(materials: Materials) -> tuple[list[Question], list[str]]:
    """Return HotpotQA's questions, in their order, and all paragraphs."""
    found = [
        Question(each["question"], [each["answer"]], [f"{title}\n{''.join(parts)}" for title, parts in each["context"]])
        for each in materials["hotpotqa"]
    ]
    return found, sorted({text for question in found for text in question.documents})


def _needles(task: Needles) -> Kind:
    names = {"essays": [ESSAY], "noise": [], "needles": []}[task.haystack]
    names += ["nouns", "adjectives"] if task.key == "words" else []

    def maker(setting: Setting, index: int) -> tuple[Make, int | None]:  # noqa: ARG001 - one signature
        return partial(make_needles, task, setting), None

    least = {"essays": 50, "noise": 4, "needles": 4}[task.haystack]
    return Kind(maker, reserved=128, materials=names, least=least)


def _questions(name: str, read: Callable[[Materials], tuple[list[Question], list[str]]], least: int) -> Kind:
    def maker(setting: Setting, index: int) -> tuple[Make, int | None]:
        questions, documents = setting.materials.once(read)
        question = questions[index % len(questions)]
        return partial(make_question, question, documents, setting), len(documents)

    return Kind(maker, reserved=32, materials=[name], least=least, any_answer=True)


def _variables(setting: Setting, index: int) -> tuple[Make, int | None]:  # noqa: ARG001 - one signature
    return partial(make_variables, setting, 4), None


def _common(setting: Setting, index: int) -> tuple[Make, int | None]:  # noqa: ARG001 - one signature
    return partial(make_common_words, setting), len(setting.materials.words)


def _frequent(setting: Setting, index: int) -> tuple[Make, int | None]:  # noqa: ARG001 - one signature
    return partial(make_frequent_words, setting, 50), None


TASKS: Mapping[str, Kind] = {
    "niah_single_1": _needles(Needles("noise")),
    "niah_single_2": _needles(Needles("essays")),
    "niah_single_3": _needles(Needles("essays", value="uuids")),
    "niah_multikey_1": _needles(Needles("essays", keys=4)),
    "niah_multikey_2": _needles(Needles("needles")),
    "niah_multikey_3": _needles(Needles("needles", key="uuids", value="uuids")),
    "niah_multivalue": _needles(Needles("essays", values=4)),
    "niah_multiquery": _needles(Needles("essays", queries=4)),
    "vt": Kind(_variables, reserved=30, least=5),
    "cwe": Kind(_common, reserved=120, materials=["nouns", "adjectives", "verbs"], least=20),
    "fwe": Kind(_frequent, reserved=50, least=60),
    "qa_1": _questions("squad", squad_questions, 1),
    "qa_2": _questions("hotpotqa", hotpotqa_questions, 10),
}
"""The tasks by their names in the original's `synthetic.yaml`."""


def _key(rng: Random, kind: KeyKind, materials: Materials) -> str:
    return materials.name(rng) if kind == "words" else _uuid(rng)


def _value(rng: Random, kind: ValueKind) -> str:
    return str(rng.randint(10**6, 10**7 - 1)) if kind == "numbers" else _uuid(rng)


def _uuid(rng: Random) -> str:
    return str(uuid.UUID(int=rng.getrandbits(128), version=4))


def _distinct(count: int, draw: Callable[[], str]) -> list[str]:
    found: dict[str, None] = {}
    while len(found) < count:
        found[draw()] = None
    return list(found)


def _in_sentences(rng: Random, text: str, needles: Sequence[str]) -> str:
    parts = sentences(text)
    places = sorted(len(parts) * depth // 100 for depth in rng.sample(_DEPTHS, len(needles)))
    for place, needle in sorted(zip(places, needles, strict=True), key=lambda pair: -pair[0]):
        parts.insert(place, needle)
    return " ".join(parts)


def _chain(wording: Wording, hops: int, letters: int, rng: Random, size: int) -> Made:
    names = _distinct(hops + 1, lambda: "".join(rng.choices(string.ascii_uppercase, k=letters)))
    value = str(rng.randint(10_000, 99_998))
    assigned = [value, *(f"VAR {name}" for name in names)]
    lines = [wording.noise] * size
    for count, place in enumerate(sorted(rng.sample(range(size), hops + 1))):
        lines.insert(place + count, f"VAR {names[count]} = {assigned[count]}")
    context = "\n".join(lines)
    prompt = wording.vt.format(context=context, query=value, num_v=hops + 1)
    return Made(prompt, names, context.find(f"VAR {names[0]} =") / len(context))


def _listed(words: Sequence[str], rng: Random, count: int, often: int, seldom: int) -> tuple[str, list[str]]:
    chosen = rng.sample(words, min(count, len(words)))
    common, others = chosen[:10], chosen[10:]
    entries = common * often + others * seldom
    rng.shuffle(entries)
    return _numbered(entries), common


def _numbered(words: Sequence[str]) -> str:
    return " ".join(f"{number}. {word}" for number, word in enumerate(words, 1))
