"""Needle in a haystack: a number hidden in essays, at each depth and length.

After Kamradt (2023), https://github.com/gkamradt/LLMTest_NeedleInAHaystack, whose essays are the haystack.
"""

from collections.abc import Iterator
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import accuracy, stderr
from inspect_ai.solver import generate

from openbench.datasets import Rows, load_samples
from openbench.datasets.values import is_whole
from openbench.errors import UsageError
from openbench_longcontext.haystack import ESSAY, Materials, largest, read_materials, seeded, sentences, too_short
from openbench_longcontext.lengths import DEPTH, LENGTH, TOKENS, Lengths, lengths_of
from openbench_longcontext.metadata import NIAH
from openbench_longcontext.tokens import APPROXIMATE, TokenCounter, token_counter
from openbench_scorers.means import by_group
from openbench_scorers.niah import niah as niah_scorer

WAIVERS = {"leak": "the essays contain the hidden number"}

_LEAST = 512
_ANSWER_TOKENS = 32
_SHORTEST = 20  # words
_DEFAULTS = {"length": "4096,8192,16384,32768", "depths": 11, "samples": 1}
_PLACES = (
    "Aveiro", "Bergen", "Cork", "Esbjerg", "Farsund", "Gdynia", "Hull", "Izmir", "Jaffa", "Kotor", "Lugo", "Mandal",
    "Narva", "Odense", "Porto", "Rhyl", "Split", "Trogir", "Ulvik", "Vigo", "Whitby", "Yalta", "Zadar",
)  # fmt: skip
_NEEDLE = "The code of the lighthouse of {place} is {code}."
_PROMPT = (
    "Read the text below. A question about it follows.\n\n{context}\n\n"
    "According to the text, what is the code of the lighthouse of {place}? Answer with the number alone."
)


@task
def niah(
    length: Lengths | None = None,
    depths: int | None = None,
    samples: int | None = None,
    tokenizer: str = APPROXIMATE,
    seed: int = 42,
) -> Task:
    """Find a number in essays, with accuracy by length, by depth and by both.

    Args:
        length: The maximum number of tokens of prompt and answer, or several; by default 4096,8192,16384,32768.
        depths: The number of depths, from the beginning of the text to its end; by default 11.
        samples: The number of samples at each length and depth; by default 1.
        tokenizer: The tokenizer that lengths are counted with: `approximate`, `model`, or as in `token_counter`.
        seed: The random seed.

    Raises:
        UsageError: An argument is invalid.
        DataError: The essays or the tokenizer cannot be read.
    """
    counter = token_counter(tokenizer)
    materials = read_materials(NIAH, [ESSAY])
    defaults = {**_DEFAULTS, **materials.defaults}
    lengths = lengths_of(defaults["length"] if length is None else length, least=_LEAST)
    steps = _count("depths", defaults["depths"] if depths is None else depths)
    count = _count("samples", defaults["samples"] if samples is None else samples)
    places = [step / max(1, steps - 1) for step in range(steps)]
    rows = [row for each in lengths for row in _rows(materials, counter, each, places, count, seed)]
    return Task(
        name="niah",
        dataset=load_samples(Rows(materials.label, rows, materials.source), record_to_sample, name="niah"),
        solver=generate(),
        scorer=niah_scorer(),
        metrics=[accuracy(), stderr(), by_group(LENGTH), by_group(DEPTH), by_group([LENGTH, DEPTH])],
        config=GenerateConfig(temperature=0.0),
        metadata={"tokenizer": counter.name},
    )


def _count(name: str, value: object) -> int:
    if not is_whole(value) or value < 1:
        raise UsageError(f"{name}={value!r}: expected a whole number of 1 or more.")
    return value


def _rows(
    materials: Materials, counter: TokenCounter, length: int, depths: list[float], count: int, seed: int
) -> Iterator[dict[str, Any]]:
    limit = length - _ANSWER_TOKENS
    longest_needle = _prompt("", _PLACES[0], "0000000", 0)

    def fits(words: int) -> bool:
        return counter.count(f"{longest_needle} {materials.essay(words)}") <= limit

    words = largest(fits, _SHORTEST)
    if words is None:
        raise too_short(length, "a needle")
    for depth in depths:
        for index in range(count):
            rng = seeded(seed, length, depth, index)
            place, code = rng.choice(_PLACES), str(rng.randint(10**6, 10**7 - 1))
            size = words
            while (tokens := counter.count(prompt := _prompt(materials.essay(size), place, code, depth))) > limit:
                size = min(size - 1, size * limit // tokens)
            yield {
                "id": f"{length}-{depth:.3f}-{index}",
                "prompt": prompt,
                "code": code,
                "length": counter.label(str(length)),
                TOKENS: tokens,
                "depth": f"depth {depth:.0%}",
            }


def _prompt(text: str, place: str, code: str, depth: float) -> str:
    """Write a prompt with the needle after the sentence that ends nearest to a depth of the text, from 0 to 1."""
    parts = sentences(text)
    end, goal = 0, depth * len(text)
    nearest, distance = 0, goal
    for number, part in enumerate(parts, 1):
        end += len(part) + 1
        if abs(end - goal) < distance:
            nearest, distance = number, abs(end - goal)
    context = " ".join([*parts[:nearest], _NEEDLE.format(place=place, code=code), *parts[nearest:]])
    return _PROMPT.format(context=context, place=place)


def record_to_sample(row: dict[str, Any]) -> Sample:
    """Map a generated row."""
    metadata = {key: row[key] for key in (LENGTH, TOKENS, DEPTH)}
    return Sample(id=row["id"], input=row["prompt"], target=row["code"], metadata=metadata)
