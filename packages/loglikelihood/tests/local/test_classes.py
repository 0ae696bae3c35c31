"""Classes of openbench-authoring whose options are ranked, with a model in this process."""

# ruff: noqa: ARG002, RUF012 -- classes as their authors write them

import json
import math

import pytest
from inspect_ai import eval as inspect_eval

from openbench.datasets import bundled_rows
from openbench.tasks.prompts import concatenated
from openbench_authoring import BaseTask, ResponseType
from openbench_authoring.metrics import (
    AccuracyLoglikelihood,
    AccuracyNormLoglikelihood,
    ProbabilityMass,
    ProbabilityMassNorm,
)
from openbench_loglikelihood.request import Request

CAPITALS = {"Germany": "Berlin", "France": "Paris", "Japan": "Tokyo", "Italy": "Rome", "India": "New Delhi"}
OPTIONS = [f" {capital}." for capital in CAPITALS.values()]
EUROPE = {"Germany", "France", "Italy"}
NAMES = (
    "accuracy_loglikelihood",
    "accuracy_normalized_loglikelihood",
    "probability_mass",
    "probability_mass_normalized",
)


class GeographyQATask(BaseTask[str]):
    """The guide's class, with options; nothing but its imports is ours."""

    NAME = "GeographyQA"
    DATASET_PATH = "example/geography_qa"
    SAMPLE_SPLIT = "test"
    FEWSHOT_SPLIT = "train"
    RESPONSE_TYPE = ResponseType.LOGLIKELIHOODS
    METRICS = [AccuracyLoglikelihood, AccuracyNormLoglikelihood, ProbabilityMass, ProbabilityMassNorm]
    SUBJECTS = ["Europe", "Asia"]

    def _get_instruction_text(self, item):
        return f"Q: What's the capital of {item['country']}?"

    def _get_ground_truth(self, item):
        return f" {item['capital']}."

    def _get_possible_completions(self, item):
        return OPTIONS

    def _get_system_prompt_text(self, item):
        return "Answer the geography questions accurately."

    def _get_cue_text(self, item):
        return "A:"

    def _sample_fewshot_examples(self, item):
        return self.rnd.sample(self.dataset[self.FEWSHOT_SPLIT], self.num_fewshot)


@pytest.fixture
def rows(tmp_path):
    subjects = {country: "Europe" if country in EUROPE else "Asia" for country in CAPITALS}
    lines = [{"country": c, "capital": CAPITALS[c], "subject": subjects[c]} for c in CAPITALS]
    for split in ("test", "train"):
        (tmp_path / f"{split}.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    return tmp_path


@pytest.fixture
def saved(tmp_path, llama, tokenizer):
    llama.save_pretrained(tmp_path / "model")
    tokenizer.save_pretrained(tmp_path / "model")
    return tmp_path / "model"


def figures(values, gold):
    """Return the four metrics, worked out from their definitions."""
    by_character = [value / len(option.strip()) for value, option in zip(values, OPTIONS, strict=True)]
    found = []
    for each in (values, by_character):
        odds = [math.exp(value - max(each)) for value in each]
        found.append((float(each.index(max(each)) == gold), odds[gold] / sum(odds)))
    (accuracy, mass), (accuracy_norm, mass_norm) = found
    return dict(zip(NAMES, (accuracy, accuracy_norm, mass, mass_norm), strict=True))


@pytest.mark.parametrize("shots", [0, 1])
def test_the_four_metrics_are_those_of_the_models_values(tmp_path, rows, saved, local, shots):
    with bundled_rows(rows):
        task = GeographyQATask(num_fewshot=shots).to_task()
    [log] = inspect_eval(task, model=f"openbench-hf/{saved}", log_dir=str(tmp_path), display="none")
    assert log.status == "success", log.error
    assert len(log.samples) == len(CAPITALS)
    for sample in log.samples:
        context = concatenated((message.role, message.text) for message in sample.input)
        assert context.startswith("Answer the geography questions accurately.\n\nQ: What's the capital of")
        assert (context.count("Q:"), context[-3:]) == (shots + 1, "\nA:")
        [(_, expected)] = local.loglikelihoods([Request(context, OPTIONS)])
        values = [each.loglikelihood for each in expected]
        assert sample.output.metadata["loglikelihoods"] == pytest.approx(values, abs=1e-4)
        found = {name.partition("/")[2] or name: score.value for name, score in sample.scores.items()}
        gold = sample.metadata["openbench_ranking"]["gold"][0]
        assert found == pytest.approx(figures(values, gold), abs=1e-4), found
