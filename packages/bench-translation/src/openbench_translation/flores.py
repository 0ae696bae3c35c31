"""FLORES-200: the same sentences in 204 languages, translated by professionals.

NLLB Team (2022), https://arxiv.org/abs/2207.04672
"""

import difflib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from openbench.datasets import Rows, read_parts
from openbench.errors import DataError, UsageError
from openbench_translation.build import Direction, Language, Pair, Prompt, translation_task
from openbench_translation.metadata import FLORES
from openbench_translation.wmt import members

# The codes that select a tokenizer in sacrebleu, by language code of FLORES-200.
_ISO = {"zho": "zh", "yue": "zh", "jpn": "ja", "kor": "ko"}
SPLITS = ("devtest", "dev")


def wrong(_: Sample) -> str:
    """Return an answer without letters, because any letters may also be in the reference."""
    return "\u25a1\u25a0"


@cache
def languages() -> Mapping[str, str]:
    """Return the names of the languages by code, such as `deu_Latn`."""
    lines = files(__package__).joinpath("flores200.tsv").read_text("utf-8").splitlines()
    return dict(line.split("\t") for line in lines)


@task
def flores200(
    source: str = "eng_Latn",
    target: str = "deu_Latn",
    split: str = "devtest",
    prompt: Prompt = "instruct",
    fewshot: int = 0,
    tokenize: str | None = None,
    comet: str | bool = False,
) -> Task:
    """Translate the sentences of FLORES-200.

    Args:
        source: The language of the texts, such as `eng_Latn`.
        target: The language of the translations.
        split: `devtest` or `dev`.
        prompt: `instruct`, or `phrase` for base models.
        fewshot: The number of examples before each text, from the split `dev`.
        tokenize: sacrebleu's tokenizer for BLEU; by default the one that sacrebleu uses for the target language.
            `flores200`, the tokenizer of spBLEU, requires the extra `spm`.
        comet: Whether to score with COMET too: True, or the name of a COMET model; see the README.

    Raises:
        UsageError: A language or split does not exist, or an extra is missing.
        DataError: The texts cannot be fetched.
    """
    direction = Direction(_language("source", source), _language("target", target))
    if source == target:
        raise UsageError(f"source and target are both {source!r}: expected two languages.")
    if split not in SPLITS:
        raise UsageError(f"split={split!r}: expected 'devtest' or 'dev'.")
    if fewshot and split == "dev":
        raise UsageError(f"fewshot={fewshot}: examples come from the split 'dev', which is the evaluated split.")
    shots: Sequence[Pair] = read_sentences(source, target, "dev").rows if fewshot else ()
    return translation_task(
        "flores200",
        read_sentences(source, target, split),
        direction,
        prompt=prompt,
        shots=shots,
        fewshot=fewshot,
        tokenize=tokenize,
        comet=comet,
    )


def _language(argument: str, code: str) -> Language:
    known = languages()
    if code not in known:
        close = difflib.get_close_matches(code, known, 3) or [
            each for each, name in known.items() if name.casefold().startswith(code.casefold())
        ]
        hint = f"Close: {', '.join(close)}." if close else "Codes are those of FLORES-200, such as deu_Latn."
        raise UsageError(f"{argument}={code!r} is not one of the {len(known)} languages. {hint}")
    return Language(code, known[code], _ISO.get(code.partition("_")[0], ""))


def read_sentences(source: str, target: str, split: str) -> Rows:
    """Read the sentences of a split in two languages, as rows with a source and a reference.

    Raises:
        DataError: The file cannot be fetched or does not match the pin, or the numbers of sentences differ.
    """
    rows = read_parts(replace(FLORES, split=split), lambda: _sentences(source, target, split))
    for code in (source, target):
        if code not in rows.rows[0]:
            known = ", ".join(name for name in rows.rows[0] if name != "id")
            raise DataError(f"{rows.label} does not contain {code}, only {known}.")
    pairs = [{"id": row["id"], "source": row[source], "references": [row[target]]} for row in rows.rows]
    return replace(rows, rows=pairs)


def _sentences(source: str, target: str, split: str) -> list[dict[str, Any]]:
    paths = {code: f"flores200_dataset/{split}/{code}.{split}" for code in (source, target)}
    found = members(FLORES, list(paths.values()))
    lines = {code: found[path].decode("utf-8").removesuffix("\n").split("\n") for code, path in paths.items()}
    counts = {code: len(texts) for code, texts in lines.items()}
    if len(set(counts.values())) > 1:
        raise DataError(f"{FLORES.source}: {counts} sentences in {split}: expected the same number in both languages.")
    return [
        {"id": number, source: text.strip(), target: translation.strip()}
        for number, (text, translation) in enumerate(zip(*lines.values(), strict=True), start=1)
    ]
