"""WMT: the test sets of the shared tasks on machine translation, as sacrebleu reads them.

Post (2018), https://arxiv.org/abs/1804.08771
"""

import copy
import difflib
import io
import tarfile
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import Sample
from sacrebleu.dataset import DATASETS

from openbench.datasets import Rows, read_parts, read_rows
from openbench.errors import DataError, UsageError
from openbench.metadata import DatasetSource
from openbench_translation.build import Direction, Language, Pair, Prompt, translation_task
from openbench_translation.metadata import WMT

LANGUAGES: Mapping[str, str] = {
    "bn": "Bengali",
    "cs": "Czech",
    "de": "German",
    "en": "English",
    "es": "Spanish",
    "et": "Estonian",
    "fi": "Finnish",
    "fr": "French",
    "gu": "Gujarati",
    "ha": "Hausa",
    "he": "Hebrew",
    "hi": "Hindi",
    "hr": "Croatian",
    "is": "Icelandic",
    "iu": "Inuktitut",
    "ja": "Japanese",
    "kk": "Kazakh",
    "km": "Khmer",
    "liv": "Livonian",
    "lt": "Lithuanian",
    "lv": "Latvian",
    "pl": "Polish",
    "ps": "Pashto",
    "ro": "Romanian",
    "ru": "Russian",
    "sah": "Yakut",
    "ta": "Tamil",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "xh": "Xhosa",
    "zh": "Chinese",
    "zu": "Zulu",
}
"""The names of the languages in prompts, by sacrebleu's codes."""


def wrong(_: Sample) -> str:
    """Return an answer without letters, because any letters may also be in the reference."""
    return "\u25a1\u25a0"


def pairs_of(test_set: str) -> Sequence[str]:
    """Return the language pairs of a test set, in sacrebleu's order."""
    return list(DATASETS[test_set].langpairs)


def examples_of(test_set: str, pair: str) -> str | None:
    """Return the set for few-shot examples: the year's development set or the latest earlier test set with the pair."""
    earlier = [name for name in reversed(list(WMT)) if "/" not in name and name < test_set]
    return next((name for name in (f"{test_set}/dev", *earlier) if name in WMT and pair in pairs_of(name)), None)


def read_pairs(test_set: str, pair: str, *, split: str = "test") -> Rows:
    """Read the rows of a test set as sacrebleu parses them, without using `~/.sacrebleu`.

    Raises:
        DataError: A file cannot be fetched, or does not match the pin.
    """
    source = replace(WMT[test_set], split=split)
    rows = read_parts(source, lambda: list(_rows(test_set, pair)))
    chosen = [row for row in rows.rows if row["pair"] == pair]
    if not chosen:
        known = ", ".join(sorted({row["pair"] for row in rows.rows}))
        raise DataError(f"{rows.label} has no rows for {pair}, only for {known}.")
    return replace(rows, rows=chosen) if len(chosen) < len(rows.rows) else rows


def _rows(test_set: str, pair: str) -> Iterator[dict[str, Any]]:
    """Parse the pinned files with sacrebleu, in a temporary directory."""
    dataset: Any = copy.copy(DATASETS[test_set])
    with tempfile.TemporaryDirectory() as folder:
        dataset._outdir, dataset._rawdir = str(Path(folder, "text")), str(Path(folder, "raw"))  # noqa: SLF001
        dataset.maybe_download = lambda: None
        Path(dataset._outdir).mkdir()  # noqa: SLF001
        paths = dataset.langpairs[pair]
        for path, data in _files(WMT[test_set], [paths["path"]] if isinstance(paths, dict) else list(paths)):
            file = Path(dataset._rawdir, path)  # noqa: SLF001
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(data)
        names = dataset.fieldnames(pair)
        columns = {name: _lines(file) for name, file in zip(names, dataset.get_files(pair), strict=True)}
        optional = {name: lines for name, lines in columns.items() if name in {"docid", "origlang"}}
        references = [_lines(file) for file in dataset.get_reference_files(pair)]
        for number, (text, *targets) in enumerate(zip(columns["src"], *references, strict=True)):
            row = {"pair": pair, "id": number + 1, "source": text, "references": targets}
            yield {**row, **{name: lines[number] for name, lines in optional.items()}}


def _lines(file: str) -> list[str]:
    return [line.strip() for line in Path(file).read_text("utf-8").removesuffix("\n").split("\n")]


def _files(source: DatasetSource, paths: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """Yield the files of an archive or a directory, with their paths in sacrebleu."""
    if source.revision:
        for path in paths:
            file = replace(source, source=f"{source.source}/{PurePosixPath(path).name}", split=None)
            yield path, read_rows(file).rows[0]["bytes"]
        return
    yield from members(source, paths).items()


def members(source: DatasetSource, paths: Sequence[str]) -> dict[str, bytes]:
    """Read files from a pinned archive.

    Raises:
        DataError: The archive cannot be fetched, does not match the pin, or lacks a file.
    """
    rows = read_rows(replace(source, split=None))
    wanted, found = {PurePosixPath(path) for path in paths}, dict[str, bytes]()
    with tarfile.open(fileobj=io.BytesIO(rows.rows[0]["bytes"])) as archive:
        for member in archive:
            path = PurePosixPath(member.name)  # without a leading ./
            if path in wanted and (content := archive.extractfile(member)):
                found[str(path)] = content.read()
    if missing := [path for path in paths if path not in found]:
        raise DataError(f"{rows.label} does not contain {', '.join(missing)}.")
    return found


def _task(test_set: str, pair: str, prompt: Prompt, fewshot: int, tokenize: str | None, comet: str | bool) -> Task:
    if pair not in pairs_of(test_set):
        close = difflib.get_close_matches(pair, pairs_of(test_set), 3)
        hint = f" Close: {', '.join(close)}." if close else ""
        raise UsageError(f"pair={pair!r} is not in {test_set}.{hint} Its pairs: {', '.join(pairs_of(test_set))}.")
    shots: Sequence[Pair] = ()
    if fewshot:
        examples = examples_of(test_set, pair)
        if examples is None:
            raise UsageError(f"fewshot={fewshot}: no earlier set of WMT has examples for {pair}.")
        shots = read_pairs(examples, pair, split="dev").rows
    source, target = (Language(code, LANGUAGES[code], code) for code in pair.split("-"))
    return translation_task(
        test_set,
        read_pairs(test_set, pair),
        Direction(source, target),
        prompt=prompt,
        shots=shots,
        fewshot=fewshot,
        tokenize=tokenize,
        comet=comet,
    )


@task
def wmt14(
    pair: str = "en-fr",
    prompt: Prompt = "instruct",
    fewshot: int = 0,
    tokenize: str | None = None,
    comet: str | bool = False,
) -> Task:
    """Translate the test set of WMT 2014.

    Args:
        pair: The languages, such as `en-de`; the error for an unknown pair lists all pairs.
        prompt: `instruct`, or `phrase` for base models, in the format of lm-evaluation-harness.
        fewshot: The number of examples before each text, from the development set or the latest earlier test set.
        tokenize: sacrebleu's tokenizer for BLEU; by default the one that sacrebleu uses for the target language.
        comet: Whether to score with COMET too: True, or the name of a COMET model; see the README.

    Raises:
        UsageError: The pair does not exist, or an extra is missing.
        DataError: The texts cannot be fetched.
    """
    return _task("wmt14", pair, prompt, fewshot, tokenize, comet)


@task
def wmt15(
    pair: str = "en-de",
    prompt: Prompt = "instruct",
    fewshot: int = 0,
    tokenize: str | None = None,
    comet: str | bool = False,
) -> Task:
    """Translate the test set of WMT 2015.

    Args:
        pair: The languages, such as `en-de`; the error for an unknown pair lists all pairs.
        prompt: As for `wmt14`.
        fewshot: As for `wmt14`.
        tokenize: As for `wmt14`.
        comet: As for `wmt14`.

    Raises:
        UsageError: The pair does not exist, or an extra is missing.
        DataError: The texts cannot be fetched.
    """
    return _task("wmt15", pair, prompt, fewshot, tokenize, comet)


@task
def wmt16(
    pair: str = "en-de",
    prompt: Prompt = "instruct",
    fewshot: int = 0,
    tokenize: str | None = None,
    comet: str | bool = False,
) -> Task:
    """Translate the test set of WMT 2016.

    Args:
        pair: The languages, such as `en-de`; the error for an unknown pair lists all pairs.
        prompt: As for `wmt14`.
        fewshot: As for `wmt14`.
        tokenize: As for `wmt14`.
        comet: As for `wmt14`.

    Raises:
        UsageError: The pair does not exist, or an extra is missing.
        DataError: The texts cannot be fetched.
    """
    return _task("wmt16", pair, prompt, fewshot, tokenize, comet)


@task
def wmt17(
    pair: str = "en-de",
    prompt: Prompt = "instruct",
    fewshot: int = 0,
    tokenize: str | None = None,
    comet: str | bool = False,
) -> Task:
    """Translate the test set of WMT 2017.

    Args:
        pair: The languages, such as `en-de`; the error for an unknown pair lists all pairs.
        prompt: As for `wmt14`.
        fewshot: As for `wmt14`.
        tokenize: As for `wmt14`.
        comet: As for `wmt14`.

    Raises:
        UsageError: The pair does not exist, or an extra is missing.
        DataError: The texts cannot be fetched.
    """
    return _task("wmt17", pair, prompt, fewshot, tokenize, comet)


@task
def wmt18(
    pair: str = "en-de",
    prompt: Prompt = "instruct",
    fewshot: int = 0,
    tokenize: str | None = None,
    comet: str | bool = False,
) -> Task:
    """Translate the test set of WMT 2018.

    Args:
        pair: The languages, such as `en-de`; the error for an unknown pair lists all pairs.
        prompt: As for `wmt14`.
        fewshot: As for `wmt14`.
        tokenize: As for `wmt14`.
        comet: As for `wmt14`.

    Raises:
        UsageError: The pair does not exist, or an extra is missing.
        DataError: The texts cannot be fetched.
    """
    return _task("wmt18", pair, prompt, fewshot, tokenize, comet)


@task
def wmt19(
    pair: str = "en-de",
    prompt: Prompt = "instruct",
    fewshot: int = 0,
    tokenize: str | None = None,
    comet: str | bool = False,
) -> Task:
    """Translate the test set of WMT 2019.

    Args:
        pair: The languages, such as `en-de`; the error for an unknown pair lists all pairs.
        prompt: As for `wmt14`.
        fewshot: As for `wmt14`.
        tokenize: As for `wmt14`.
        comet: As for `wmt14`.

    Raises:
        UsageError: The pair does not exist, or an extra is missing.
        DataError: The texts cannot be fetched.
    """
    return _task("wmt19", pair, prompt, fewshot, tokenize, comet)


@task
def wmt20(
    pair: str = "en-de",
    prompt: Prompt = "instruct",
    fewshot: int = 0,
    tokenize: str | None = None,
    comet: str | bool = False,
) -> Task:
    """Translate the test set of WMT 2020.

    Args:
        pair: The languages, such as `en-de`; the error for an unknown pair lists all pairs.
        prompt: As for `wmt14`.
        fewshot: As for `wmt14`.
        tokenize: As for `wmt14`.
        comet: As for `wmt14`.

    Raises:
        UsageError: The pair does not exist, or an extra is missing.
        DataError: The texts cannot be fetched.
    """
    return _task("wmt20", pair, prompt, fewshot, tokenize, comet)


@task
def wmt21(
    pair: str = "en-de",
    prompt: Prompt = "instruct",
    fewshot: int = 0,
    tokenize: str | None = None,
    comet: str | bool = False,
) -> Task:
    """Translate the test set of WMT 2021.

    Args:
        pair: The languages, such as `en-de`; the error for an unknown pair lists all pairs.
        prompt: As for `wmt14`.
        fewshot: As for `wmt14`.
        tokenize: As for `wmt14`.
        comet: As for `wmt14`.

    Raises:
        UsageError: The pair does not exist, or an extra is missing.
        DataError: The texts cannot be fetched.
    """
    return _task("wmt21", pair, prompt, fewshot, tokenize, comet)


@task
def wmt22(
    pair: str = "en-de",
    prompt: Prompt = "instruct",
    fewshot: int = 0,
    tokenize: str | None = None,
    comet: str | bool = False,
) -> Task:
    """Translate the test set of WMT 2022.

    Args:
        pair: The languages, such as `en-de`; the error for an unknown pair lists all pairs.
        prompt: As for `wmt14`.
        fewshot: As for `wmt14`.
        tokenize: As for `wmt14`.
        comet: As for `wmt14`.

    Raises:
        UsageError: The pair does not exist, or an extra is missing.
        DataError: The texts cannot be fetched.
    """
    return _task("wmt22", pair, prompt, fewshot, tokenize, comet)


@task
def wmt23(
    pair: str = "en-de",
    prompt: Prompt = "instruct",
    fewshot: int = 0,
    tokenize: str | None = None,
    comet: str | bool = False,
) -> Task:
    """Translate the test set of WMT 2023.

    Args:
        pair: The languages, such as `en-de`; the error for an unknown pair lists all pairs.
        prompt: As for `wmt14`.
        fewshot: As for `wmt14`.
        tokenize: As for `wmt14`.
        comet: As for `wmt14`.

    Raises:
        UsageError: The pair does not exist, or an extra is missing.
        DataError: The texts cannot be fetched.
    """
    return _task("wmt23", pair, prompt, fewshot, tokenize, comet)


@task
def wmt24(
    pair: str = "en-de",
    prompt: Prompt = "instruct",
    fewshot: int = 0,
    tokenize: str | None = None,
    comet: str | bool = False,
) -> Task:
    """Translate the test set of WMT 2024.

    Args:
        pair: The languages, such as `en-de`; the error for an unknown pair lists all pairs.
        prompt: As for `wmt14`.
        fewshot: As for `wmt14`.
        tokenize: As for `wmt14`.
        comet: As for `wmt14`.

    Raises:
        UsageError: The pair does not exist, or an extra is missing.
        DataError: The texts cannot be fetched.
    """
    return _task("wmt24", pair, prompt, fewshot, tokenize, comet)
