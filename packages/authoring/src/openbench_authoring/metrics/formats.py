"""Metrics for the requested form of a completion."""

import json
import re
from typing import Any

from inspect_ai.scorer import CORRECT, INCORRECT, Score, accuracy, stderr

from openbench.scorers.reasons import unanswered
from openbench_authoring.contexts import (
    RenderableStructMetricContext,
    StructMetricContext,
    extract_context_metric,
)
from openbench_authoring.metrics.base import ScoreMetric
from openbench_authoring.responses import Completion
from openbench_authoring.samples import GroundTruth, Sample
from openbench_scorers import csv_format, json_format, structure
from openbench_scorers.csv_format import SEPARATORS, score_csv
from openbench_scorers.extras import library
from openbench_scorers.json_format import score_json
from openbench_scorers.json_text import Schema, whole_document
from openbench_scorers.options import one_of
from openbench_scorers.postscript import MARKERS, score_postscript
from openbench_scorers.responses import response as response_text

_FENCE = re.compile(r"```(?:json)?[ \t]*\n(.*)\n[ \t]*```", re.DOTALL | re.IGNORECASE)


class JsonFormat(ScoreMetric[Completion]):
    """JSON, its schema and its content, each 1 or 0, higher is better (`openbench_scorers.json_format`).

    The ground truth is a JSON object with `json_schema` (or null) and, if the content is scored, `expected_output`.
    """

    NAME = "JSON Format"
    KEYS = json_format.KEYS

    def evaluate(self, response: Completion) -> Score:
        """Check the completion's JSON."""
        asked = self._asked(response.ground_truth)
        schema, expected = asked["json_schema"], asked.get("expected_output")
        targets = [] if expected is None else [json.dumps(expected)]
        return score_json(response.completion, targets, Schema(schema) if schema else None)

    def check_sample(self, sample: Sample) -> None:
        """Refuse a sample whose ground truth is not such an object."""
        self._asked(sample.ground_truth)

    def _asked(self, ground_truth: GroundTruth) -> dict[str, Any]:
        return requirement(ground_truth, "json_schema")


class CSVFormat(ScoreMetric[Completion]):
    """CSV, its separator and its number of columns, each 1 or 0, higher is better (`openbench_scorers.csv_format`).

    The ground truth is a JSON object with `separator` (comma, semicolon, space, tab, or null) and `columns`, the list
    of column names.
    """

    NAME = "CSV Format"
    KEYS = csv_format.KEYS

    def evaluate(self, response: Completion) -> Score:
        """Check the completion's CSV."""
        asked = self._asked(response.ground_truth)
        separator = SEPARATORS[asked["separator"]] if asked["separator"] else None
        return score_csv(response.completion, separator, len(asked["columns"]))

    def check_sample(self, sample: Sample) -> None:
        """Refuse a sample whose ground truth is not such an object."""
        self._asked(sample.ground_truth)

    def _asked(self, ground_truth: GroundTruth) -> dict[str, Any]:
        asked = requirement(ground_truth, "separator", "columns")
        if asked["separator"]:
            one_of("separator", asked["separator"], SEPARATORS)
        return asked


class CheckJsonFormat(ScoreMetric[Completion]):
    """Whether the completion is only JSON, optionally in a code fence: 1 or 0, higher is better."""

    NAME = "JSON Format Check"
    FIGURES = (accuracy(), stderr())

    def evaluate(self, response: Completion) -> Score:
        """Read the completion."""
        text = response_text(response.completion)
        fenced = _FENCE.fullmatch(text)
        if whole_document(fenced[1] if fenced else text):
            return Score(value=CORRECT, answer=text)
        return Score(value=INCORRECT, answer=text, reason=None if text else unanswered(response.completion))


class CheckPostScriptFormat(ScoreMetric[Completion]):
    """Whether a line begins with P.S. or P.P.S.: 1 or 0, higher is better (`openbench_scorers.postscript`)."""

    NAME = "Postscript Format"
    FIGURES = (accuracy(), stderr())

    def evaluate(self, response: Completion) -> Score:
        """Look for a postscript."""
        scores = [score_postscript(response.completion, marker) for marker in MARKERS]
        return next((score for score in scores if score.value == CORRECT), scores[0])


class StructMetric(ScoreMetric[Completion]):
    """`valid_format` and `has_keywords` of JSON, YAML, TOML, XML or CSV, 0 to 1, higher is better.

    The type and the paths are those of the sample's `StructMetricContext`. See `openbench_scorers.structure`.
    """

    NAME = "StructMetric"
    KEYS = structure.KEYS

    def evaluate(self, response: Completion) -> Score:
        """Parse the completion."""
        context = extract_context_metric(response, StructMetricContext)
        return structure.score_structure(response.completion, context.output_type, context.paths)

    def check_sample(self, sample: Sample) -> None:
        """Refuse a sample without this context."""
        extract_context_metric(sample, StructMetricContext)


class RenderableStructMetric(ScoreMetric[Completion]):
    """`valid_format` and `has_keywords` of HTML, 0 to 1, higher is better.

    The keywords are those of the sample's `RenderableStructMetricContext`. See `openbench_scorers.structure`, whose
    extra `structure` it needs.
    """

    NAME = "RenderableStructMetric"
    KEYS = structure.KEYS

    def __init__(self) -> None:
        library("lxml.etree", "structure")  # says so if the extra is missing

    def evaluate(self, response: Completion) -> Score:
        """Parse the completion."""
        context = extract_context_metric(response, RenderableStructMetricContext)
        one_of("output_type", context.output_type.lower(), ("html",))
        return structure.score_html(response.completion, context.keywords)

    def check_sample(self, sample: Sample) -> None:
        """Refuse a sample without this context."""
        extract_context_metric(sample, RenderableStructMetricContext)


def requirement(ground_truth: GroundTruth, *names: str) -> dict[str, Any]:
    """Read a ground truth that specifies the requested form.

    Raises:
        ValueError: It is not a JSON object with these names.
    """
    text = ground_truth if isinstance(ground_truth, str) else "".join(ground_truth or ())
    found = whole_document(text)
    if found is None or not isinstance(found.value, dict) or not set(names) <= set(found.value):
        raise ValueError(f"a JSON object with {' and '.join(names)} is expected as ground truth, which is {text!r:.80}")
    return found.value
