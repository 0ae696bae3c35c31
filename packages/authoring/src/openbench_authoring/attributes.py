"""Checks a task class before anything is read: reports all errors at once, each with a fix."""

import ast
import contextlib
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from enum import Enum
from pathlib import Path
from typing import Any

from openbench.errors import UsageError
from openbench_authoring.foreign import foreign
from openbench_authoring.languages import Language
from openbench_authoring.metrics.base import BaseMetric, defines, response_type_of, scorer_name
from openbench_authoring.samples import NO_SUBJECT, ResponseType
from openbench_authoring.source import source_faults

_REQUIRED = ("NAME", "DATASET_PATH", "SAMPLE_SPLIT", "FEWSHOT_SPLIT", "RESPONSE_TYPE", "METRICS", "SUBJECTS")
_OPTIONAL = ("HF_REVISION", "LANGUAGE", "PERTURBATION_UNMODIFIABLE_WORDS", "SHA256")
_KNOWN = (*_REQUIRED, *_OPTIONAL)

# A class that overrides one of these decides itself where its rows are.
_READERS = ("_read_split", "_load_dataset", "_load_hf_dataset", "_shuffle_splits")
_LIKE_A_NAME = 0.85
_DIGEST = re.compile(r"[0-9a-f]{64}")


def subject_text(subject: object) -> str:
    """Return a subject as a text: an Enum member's value, the parts of a tuple joined by `_`."""
    if isinstance(subject, tuple):
        return "_".join(map(subject_text, subject))
    return str(subject.value) if isinstance(subject, Enum) else str(subject)


def subject_texts(subjects: Sequence[object]) -> list[str]:
    """Return a task's subjects as texts, if any."""
    texts = [subject_text(subject) for subject in subjects]
    return [] if texts == [NO_SUBJECT] else texts


def language_text(language: object, subject: str) -> str | None:
    """Return the language of a subject as a text, a pair joined by a hyphen; None if the class does not declare one.

    If there are several languages, the keys are subjects, tuples of them as tuples or as their `str`, or the two parts
    of `source-target`.
    """
    if isinstance(language, Mapping):
        by_text = {_key_text(key): value for key, value in language.items()}
        pair = tuple(by_text.get(part) for part in subject.split("-"))
        language = by_text.get(subject) or (pair if None not in pair else None)
    if isinstance(language, tuple):
        return "-".join(subject_text(each) for each in language)
    return language.value if isinstance(language, Language) else None


def _key_text(key: object) -> str:
    if isinstance(key, str) and key.startswith("("):
        with contextlib.suppress(ValueError, SyntaxError):
            return subject_text(ast.literal_eval(key))
    return subject_text(key)


def check_attributes(task: type, base: type) -> None:
    """Check the attributes and hooks of a task's class.

    Args:
        task: The class.
        base: `BaseTask`, whose own attributes are not checked.

    Raises:
        UsageError: One or more are invalid; the message names all.
    """
    given = {name: getattr(task, name) for name in _KNOWN if hasattr(task, name)}
    faults = [
        *_missing(given),
        *_misspelt(task, base),
        *(fault for name, rule in _RULES.items() if name in given for fault in rule(name, given[name])),
        *foreign(task),
        *_hooks(task, base, given),
        *_together(given),
        *_source(task, base, given),
    ]
    if faults:
        count = "a fault" if len(faults) == 1 else f"{len(faults)} faults"
        raise UsageError(f"{task.__name__} has {count}:" + "".join(f"\n- {fault}" for fault in faults))


def _missing(given: Mapping[str, Any]) -> Iterator[str]:
    for name in _REQUIRED:
        if name not in given:
            yield f"{name} is missing: {_MEANINGS[name]}."


def _misspelt(task: type, base: type) -> Iterator[str]:
    hooks = [name for name in dir(base) if name.startswith(("_get_", "_sample_", "_create_", "post_"))]
    own = [name for each in task.__mro__ if not issubclass(base, each) for name in vars(each)]
    for name in dict.fromkeys(own):
        known = [known for known in (*_KNOWN, *hooks) if known not in own]
        if name not in (*_KNOWN, *hooks) and (close := get_close_matches(name, known, n=1, cutoff=_LIKE_A_NAME)):
            yield f"{name} is not known. Did you mean {close[0]}? If it is your own, give it another name."


def _text(name: str, value: object) -> Iterator[str]:
    if not isinstance(value, str) or not value.strip():
        yield f"{name} is {value!r:.80}: {_MEANINGS[name]}."


def _text_or_empty(name: str, value: object) -> Iterator[str]:
    if not isinstance(value, str):
        yield f"{name} is {value!r:.80}: {_MEANINGS[name]}."


def _path(name: str, value: object) -> Iterator[str]:
    if not isinstance(value, Path):
        yield from _text(name, value)


def _response_type(name: str, value: object) -> Iterator[str]:
    if not isinstance(value, ResponseType):
        yield f"{name} is {value!r:.80}: {_MEANINGS[name]}."


def _subjects(name: str, value: object) -> Iterator[str]:
    if not isinstance(value, list | tuple) or not all(isinstance(each, str | Enum | tuple) for each in value):
        yield f"{name} is {value!r:.80}: {_MEANINGS[name]}."
        return
    texts = [subject_text(each) for each in value]
    repeated = sorted({text for text in texts if texts.count(text) > 1})
    if repeated:
        yield f"{name} has {', '.join(map(repr, repeated))} more than once. Name each subject once."


def _metrics(name: str, value: object) -> Iterator[str]:
    if not isinstance(value, list | tuple) or not value:
        yield f"{name} is {value!r:.80}: {_MEANINGS[name]}."
        return
    names: list[str] = []
    for each in value:
        fault = _metric_fault(each)
        if fault:
            yield f"{name}: {fault}"
        elif scorer_name(each) in names:
            yield f"{name}: two metrics are named {scorer_name(each)!r} in logs. Change the NAME of {each.__name__}."
        else:
            names.append(scorer_name(each))


def _metric_fault(metric: object) -> str | None:
    if not isinstance(metric, type) or not issubclass(metric, BaseMetric):
        return f"{metric!r:.80} is not a metric. Name a metric class, such as AccuracyCompletion."
    try:
        metric()
    except UsageError as error:
        return str(error)
    except TypeError as error:
        return f"{metric.__name__} cannot be instantiated without arguments: {error}. Use a subclass with defaults."
    if not isinstance(getattr(metric, "NAME", None), str) or not scorer_name(metric):
        return f"{metric.__name__} has no NAME. Set the name that it has in logs."
    if defines(metric) is None:
        return f"{metric.__name__} does not define calculate(response)."
    return None


def _revision(name: str, value: object) -> Iterator[str]:
    if value is not None:
        yield from _text(name, value)


def _language(name: str, value: object) -> Iterator[str]:
    held = list(value.values()) if isinstance(value, dict) else [value]
    languages = [each for entry in held for each in (entry if isinstance(entry, tuple) else (entry,))]
    if value is not None and not all(isinstance(each, Language) for each in languages):
        yield f"{name} is {value!r:.80}: {_MEANINGS[name]}."


def _words(name: str, value: object) -> Iterator[str]:
    if value is not None and (not isinstance(value, list | tuple) or not all(isinstance(word, str) for word in value)):
        yield f"{name} is {value!r:.80}: {_MEANINGS[name]}."


def _digests(name: str, value: object) -> Iterator[str]:
    digests = list(value.values()) if isinstance(value, dict) else [value]
    if value is not None and not all(isinstance(each, str) and _DIGEST.fullmatch(each) for each in digests):
        yield f"{name} is {value!r:.80}: {_MEANINGS[name]}."


_RULES: Mapping[str, Callable[[str, object], Iterator[str]]] = {
    "NAME": _text,
    "DATASET_PATH": _path,
    "SAMPLE_SPLIT": _text,
    "FEWSHOT_SPLIT": _text_or_empty,
    "RESPONSE_TYPE": _response_type,
    "METRICS": _metrics,
    "SUBJECTS": _subjects,
    "HF_REVISION": _revision,
    "LANGUAGE": _language,
    "PERTURBATION_UNMODIFIABLE_WORDS": _words,
    "SHA256": _digests,
}

_MEANINGS = {
    "NAME": "expected a text, the name that people read",
    "DATASET_PATH": "expected a text, a dataset id of the Hub or the path or URL of a .jsonl, .json or .csv file",
    "SAMPLE_SPLIT": "expected a text, the split that is evaluated",
    "FEWSHOT_SPLIT": "expected a text, the split that examples are drawn from",
    "RESPONSE_TYPE": "expected ResponseType.COMPLETION or ResponseType.LOGLIKELIHOODS",
    "METRICS": "expected a list of at least one metric class, such as [AccuracyCompletion]",
    "SUBJECTS": "expected a list of texts, Enum members or tuples of them, the dataset's configurations; [] for none",
    "HF_REVISION": "expected a commit of the Hub's repository, 40 hex digits (a branch pins nothing), or None",
    "LANGUAGE": "expected a Language, a dict of them (or of pairs of them) by subject, or None",
    "PERTURBATION_UNMODIFIABLE_WORDS": "expected a list of words, or None",
    "SHA256": "expected the digest of the file, 64 hex digits in lower case, a dict of digests by split, or None",
}


def _hooks(task: type, base: type, given: Mapping[str, Any]) -> Iterator[str]:
    def overridden(name: str) -> bool:
        return getattr(task, name) is not getattr(base, name)

    if overridden("_create_samples"):
        return
    for name in ("_get_instruction_text", "_get_ground_truth"):
        if not overridden(name):
            yield f"{name}(item) is missing: it must be defined."
    ranks = given.get("RESPONSE_TYPE") is ResponseType.LOGLIKELIHOODS
    if ranks and not overridden("_get_possible_completions"):
        yield "_get_possible_completions(item) is missing: a LOGLIKELIHOODS task ranks the texts that it returns."


def _together(given: Mapping[str, Any]) -> Iterator[str]:
    wanted, metrics = given.get("RESPONSE_TYPE"), given.get("METRICS")
    for metric in metrics if isinstance(metrics, list | tuple) else ():
        scored = response_type_of(metric) if isinstance(metric, type) else None
        if isinstance(wanted, ResponseType) and scored is not None and scored is not wanted:
            yield (
                f"METRICS: {metric.__name__} scores {scored.name}, but RESPONSE_TYPE is {wanted.name}. "
                "Change one of the two."
            )


def _source(task: type, base: type, given: Mapping[str, Any]) -> Iterator[str]:
    own_reader = any(getattr(task, name, None) is not getattr(base, name, None) for name in _READERS)
    path, splits = given.get("DATASET_PATH"), [given.get(name) for name in ("SAMPLE_SPLIT", "FEWSHOT_SPLIT")]
    named = [split for split in splits if isinstance(split, str) and split]
    if isinstance(path, str | Path) and not own_reader:
        yield from source_faults(str(path), named, given.get("HF_REVISION"), given.get("SHA256"))
