"""Checks for well-formed JSON, YAML, TOML, XML, CSV or HTML with the required content (extra `structure`)."""

import csv
import io
import json
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import yaml
from inspect_ai.scorer import Score

from openbench.scorers.reasons import unanswered, unscored
from openbench_scorers.extras import library
from openbench_scorers.responses import response

KEYS = ("valid_format", "has_keywords")

# A name in backticks, which may contain dots; an index; or a name up to the next dot or index.
_STEP = re.compile(r"`(?P<quoted>[^`]*)`|\[(?P<index>[^\]]*)\]|(?P<name>[^.`\[]+)")
_CSV_HEADER = "csv::"


def score_structure(completion: str, output_type: str, paths: Sequence[str]) -> Score:
    """Parse a completion and look up paths in it.

    Source: Yang et al. 2025, StructEval, arXiv 2505.20139: the syntax score and the keyword matching score.

    Args:
        completion: The model's completion.
        output_type: `json`, `yaml`, `toml`, `xml` or `csv`, in any case.
        paths: The required paths: names separated by dots, `[0]` for an item of a list and `*` for any, backticks
            around a name with dots, `@name` for an attribute in XML, and `csv::name` for a column.

    Returns:
        `valid_format`, 1 or 0, and `has_keywords`, the share of the paths that exist, both 0 if it cannot be parsed;
        unscored if the type is unknown.

    Raises:
        UsageError: `output_type` is `xml`, and the extra `structure` is not installed.
    """
    parse = _PARSERS.get(output_type.lower())
    if parse is None:
        return unscored(f"the output type is {output_type!r}; expected one of {', '.join(_PARSERS)}.")
    text = response(completion)
    try:
        data = parse(text)
    except Exception:  # noqa: BLE001 - each parser has its own errors
        return _score(completion, text, valid=False, share=0.0)
    found = [_has(data, _steps(path)) for path in paths]
    return _score(completion, text, valid=True, share=sum(found) / len(found) if found else 1.0)


def score_html(completion: str, keywords: Sequence[str]) -> Score:
    """Check that a completion is well-formed HTML, and look for keywords in it, ignoring case.

    Source: as for `score_structure`; the rendered page is not checked.

    Args:
        completion: The model's completion.
        keywords: The required words.

    Returns:
        `valid_format`, 1 or 0, and `has_keywords`, the share of the words that occur.

    Raises:
        UsageError: The extra `structure` is not installed.
    """
    etree = library("lxml.etree", "structure")
    text = response(completion)
    parser = etree.HTMLParser(recover=False)
    try:
        etree.fromstring(text.encode(), parser)
        valid = not parser.error_log
    except etree.XMLSyntaxError:
        valid = False
    found = [keyword.lower() in text.lower() for keyword in keywords]
    return _score(completion, text, valid=valid, share=sum(found) / len(found) if found else 1.0)


def _score(completion: str, text: str, *, valid: bool, share: float) -> Score:
    reason = None if valid else unanswered(completion)
    return Score(value=dict(zip(KEYS, (float(valid), share), strict=True)), answer=text, reason=reason)


def _yaml(text: str) -> Any:
    [document] = yaml.safe_load_all(text)
    return document


def _xml(text: str) -> Any:
    return library("xmltodict", "structure").parse(text)


def _csv(text: str) -> Any:
    if text.count('"') % 2:
        raise ValueError("a quotation mark is not closed")
    reader = csv.DictReader(io.StringIO(text))
    if not reader.fieldnames:
        raise ValueError("there is no header")
    return {"csv_headers": list(reader.fieldnames), "csv_rows": list(reader)}


_PARSERS: Mapping[str, Callable[[str], Any]] = {
    "json": json.loads,
    "yaml": _yaml,
    "toml": tomllib.loads,
    "xml": _xml,
    "csv": _csv,
}


def _steps(path: str) -> list[str | int]:
    if path.startswith(_CSV_HEADER):
        return [path]
    steps: list[str | int] = []
    for step in _STEP.finditer(path):
        index = step["index"]
        steps.append(int(index) if index and index.isdecimal() else step["name"] or step["quoted"] or f"[{index}]")
    return steps


def _has(data: Any, steps: Sequence[str | int]) -> bool:
    if not steps:
        return True
    step, *rest = steps
    if isinstance(step, int):
        return isinstance(data, list) and step < len(data) and _has(data[step], rest)
    if step == "*":
        return isinstance(data, list) and any(_has(item, rest) for item in data)
    if not isinstance(data, dict):
        return False
    if step.startswith(_CSV_HEADER):
        return not rest and step.removeprefix(_CSV_HEADER) in data.get("csv_headers", ())
    names = (step, step.removeprefix("@"))
    return any(_has(data[name], rest) for name in names if name in data)
