"""RULER's thirteen tasks: each generates a prompt of a given size from a seed.

Hsieh et al. (2024), https://arxiv.org/abs/2404.06654, and its programs at https://github.com/NVIDIA/RULER. Numbers and
positions are drawn as in these programs, but with other random numbers.
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
"""The length below which words are repeated less often in lists."""

_EXAMPLE_TOKENS = 500
Random = random.Random
KeyKind = Literal["words", "uuids"]
ValueKind = Literal["numbers", "uuids"]


@dataclass(frozen=True)
class Problem:
    """A prompt and its answers.

    Attributes:
        prompt: The prompt.
        answers: All answers, or for `qa` the alternatives of one answer.
        depth: The position of the first answer in the context, from 0 to 1; None if it is spread over the context.
    """

    prompt: str
    answers: Sequence[str]
    depth: float | None = None


Make = Callable[[Random, int], Problem]
"""Generates a problem from random numbers and a size, in a unit of the task."""


@dataclass(frozen=True)
class Setting:
    """The inputs from which a task generates problems of a length.

    Attributes:
        materials: Essays, words and questions.
        wording: The prompt templates.
        counter: The token counter.
        length: The maximum number of tokens of prompt and answer.
    """

    materials: Materials
    wording: Wording
    counter: TokenCounter
    length: int


@dataclass(frozen=True)
class Kind:
    """A kind of task.

    Attributes:
        maker: Takes the index of a sample; returns its generator, and the largest size that the materials allow.
        reserved: The number of tokens reserved for the answer.
        materials: The names of the required materials.
        least: The smallest size.
        any_answer: Whether one of the answers suffices.
    """

    maker: Callable[[Setting, int], tuple[Make, int | None]]
    reserved: int
    materials: Sequence[str] = ()
    least: int = 1
    any_answer: bool = False


@dataclass(frozen=True)
class Needles:
    """A needle task, with the original's parameters.

    Attributes:
        haystack: The text around the needles: a repeated line, essays, or other needles.
        key: The kind of keys.
        value: The kind of values.
        keys: The number of keys.
        values: The number of values per key.
        queries: The number of keys whose values are requested.
    """

    haystack: Literal["noise", "essays", "needles"]
    key: KeyKind = "words"
    value: ValueKind = "numbers"
    keys: int = 1
    values: int = 1
    queries: int = 1


def make_needles(task: Needles, setting: Setting, rng: Random, size: int) -> Problem:
    """Hide needles; `size` is the number of words of the essays, or of lines.

    In essays, needles are placed after sentences, at random ones of forty depths; otherwise, between random lines.
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
    queried = rng.sample(drawn, task.queries)
    answers = [value for key in queried for value in values[key]]
    query = f"{', '.join(queried[:-1])}, and {queried[-1]}" if len(queried) > 1 else queried[0]
    template = wording.niah_one if one else wording.niah
    value_name = task.value.removesuffix("s") if one else task.value
    prompt = template.format(type_needle_v=value_name, context=context, query=query)
    return Problem(prompt, answers, context.find(answers[0]) / len(context))


def make_variables(setting: Setting, hops: int, rng: Random, size: int) -> Problem:
    """Hide a chain of assignments in `size` lines of noise, after an example of up to 500 tokens with its answer."""
    seed = rng.getrandbits(64)

    def example(lines: int) -> str:
        problem = _chain(setting.wording, hops, 3, seeded(seed), lines)
        return f"{problem.prompt} {' '.join(problem.answers)}\n\n"

    least = hops + 1
    lines = largest(lambda count: setting.counter.count(example(count)) <= _EXAMPLE_TOKENS, least)
    problem = _chain(setting.wording, hops, 5, rng, size)
    return Problem(f"{example(lines or least)}{problem.prompt}", problem.answers, problem.depth)


def make_common_words(setting: Setting, rng: Random, size: int) -> Problem:
    """List `size` words in random order, ten of them more often, after an example with its answer."""
    short = setting.length < _SHORT
    example, solution = _listed(setting.materials.words, rng, 20 if short else 40, *((3, 1) if short else (10, 3)))
    context, answers = _listed(setting.materials.words, rng, size, *((6, 1) if short else (30, 3)))
    template = setting.wording.cwe
    prompt = f"{template.format(context=example)} {_numbered(solution)}\n\n{template.format(context=context)}"
    return Problem(prompt, answers)


def make_frequent_words(setting: Setting, reserved: int, rng: Random, size: int) -> Problem:
    """Write about `size` coded words, whose frequencies fall with the square of their rank; `...` has rank 1."""
    count = max(4, (setting.length - reserved) // 50)
    words = _distinct(count, lambda: "".join(rng.choices(string.ascii_lowercase, k=6)))
    words[0] = "..."
    text = [word for rank, word in enumerate(words, 1) for _ in range(int(size / rank**2 / _ZETA_2))]
    rng.shuffle(text)
    return Problem(setting.wording.fwe.format(context=" ".join(text)), words[1:4])


@dataclass(frozen=True)
class Question:
    """A question about documents.

    Attributes:
        question: The question.
        answers: The alternatives of the answer.
        documents: The documents that it requires.
        related: Other documents of the same article.
    """

    question: str
    answers: Sequence[str]
    documents: Sequence[str]
    related: Sequence[str] = ()


def make_question(question: Question, documents: Sequence[str], setting: Setting, rng: Random, size: int) -> Problem:
    """Ask a question about `size` documents: the required ones, related ones and others, in random order."""
    chosen = list(question.documents)
    missing = size - len(chosen)
    chosen += rng.sample(question.related, min(missing, len(question.related)))
    used = {*chosen}
    others = size - len(chosen)
    if others > 0:
        rest = [each for each in rng.sample(documents, min(len(documents), others + len(used))) if each not in used]
        chosen += rest[:others]
    rng.shuffle(chosen)
    context = "\n\n".join(f"Document {number}:\n{text}" for number, text in enumerate(chosen, 1))
    prompt = setting.wording.qa.format(context=context, query=question.question)
    return Problem(prompt, question.answers, context.find(question.documents[0]) / len(context))


def squad_questions(materials: Materials) -> tuple[list[Question], list[str]]:
    """Return the answerable questions of SQuAD, in order, and all paragraphs."""
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
    """Return the questions of HotpotQA, in order, and all paragraphs."""
    found = [
        Question(each["question"], [each["answer"]], [f"{title}\n{''.join(parts)}" for title, parts in each["context"]])
        for each in materials["hotpotqa"]
    ]
    return found, sorted({text for question in found for text in question.documents})


def _needles(task: Needles) -> Kind:
    names = {"essays": [ESSAY], "noise": [], "needles": []}[task.haystack]
    names += ["nouns", "adjectives"] if task.key == "words" else []

    def maker(setting: Setting, index: int) -> tuple[Make, int | None]:  # noqa: ARG001 - common signature
        return partial(make_needles, task, setting), None

    least = {"essays": 50, "noise": 4, "needles": 4}[task.haystack]
    return Kind(maker, reserved=128, materials=names, least=least)


def _questions(name: str, read: Callable[[Materials], tuple[list[Question], list[str]]], least: int) -> Kind:
    def maker(setting: Setting, index: int) -> tuple[Make, int | None]:
        questions, documents = setting.materials.once(read)
        question = questions[index % len(questions)]
        return partial(make_question, question, documents, setting), len(documents)

    return Kind(maker, reserved=32, materials=[name], least=least, any_answer=True)


def _variables(setting: Setting, index: int) -> tuple[Make, int | None]:  # noqa: ARG001 - common signature
    return partial(make_variables, setting, 4), None


def _common(setting: Setting, index: int) -> tuple[Make, int | None]:  # noqa: ARG001 - common signature
    return partial(make_common_words, setting), len(setting.materials.words)


def _frequent(setting: Setting, index: int) -> tuple[Make, int | None]:  # noqa: ARG001 - common signature
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
"""The tasks by name in the original's `synthetic.yaml`."""


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


def _chain(wording: Wording, hops: int, letters: int, rng: Random, size: int) -> Problem:
    names = _distinct(hops + 1, lambda: "".join(rng.choices(string.ascii_uppercase, k=letters)))
    value = str(rng.randint(10_000, 99_998))
    sources = [value, *(f"VAR {name}" for name in names)]
    lines = [wording.noise] * size
    for count, place in enumerate(sorted(rng.sample(range(size), hops + 1))):
        lines.insert(place + count, f"VAR {names[count]} = {sources[count]}")
    context = "\n".join(lines)
    prompt = wording.vt.format(context=context, query=value, num_v=hops + 1)
    return Problem(prompt, names, context.find(f"VAR {names[0]} =") / len(context))


def _listed(words: Sequence[str], rng: Random, count: int, often: int, rarely: int) -> tuple[str, list[str]]:
    chosen = rng.sample(words, min(count, len(words)))
    common, others = chosen[:10], chosen[10:]
    entries = common * often + others * rarely
    rng.shuffle(entries)
    return _numbered(entries), common


def _numbered(words: Sequence[str]) -> str:
    return " ".join(f"{number}. {word}" for number, word in enumerate(words, 1))
