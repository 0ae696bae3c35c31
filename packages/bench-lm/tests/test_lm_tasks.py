"""The samples of the benchmarks, and their scores."""

import json
import os
from pathlib import Path

import pytest
from inspect_ai import eval as inspect_eval

import openbench_lm
from openbench.datasets import Rows, bundled_rows, load_samples
from openbench.errors import UsageError
from openbench_lm import _registry
from openbench_lm.blimp import blimp
from openbench_lm.blimp import record_to_sample as blimp_sample
from openbench_lm.blimp_files import DIGESTS, blimp_file
from openbench_lm.lambada import lambada
from openbench_lm.lambada import record_to_sample as lambada_sample
from openbench_lm.metadata import BENCHMARKS
from openbench_lm.wikitext import detokenized, wikitext
from openbench_ranking.perplexity import TEXT_KEY
from openbench_ranking.request import ranking_request

SAMPLES = Path(openbench_lm.__file__).parent / "samples"
README = Path(__file__).parent.parent / "README.md"
TASKS = {"lambada": lambada, "blimp": blimp, "wikitext": wikitext}


def built(key, **arguments):
    with bundled_rows(SAMPLES / key):
        return TASKS[key](**arguments)


def metrics(tmp_path, key, model):
    [log] = inspect_eval(built(key), model=model, display="none", log_dir=str(tmp_path))
    assert log.status == "success", log.error
    return {f"{score.name}/{name}": each.value for score in log.results.scores for name, each in score.metrics.items()}


def test_inspect_finds_every_task():
    assert _registry.__all__ == sorted(BENCHMARKS) == sorted(TASKS)


def test_the_last_word_of_a_passage_is_the_continuation():
    request = ranking_request(lambada_sample({"text": "She said:  'Well , the  cup"}))
    assert (request.context, request.continuations) == ("She said:  'Well , the ", [" cup"])


def test_sentences_have_no_context():
    row = {"sentence_good": "It is.", "sentence_bad": "It are.", "UID": "agreement", "pairID": "7"}
    sample = blimp_sample({**row, "linguistics_term": "verbs"})
    request = ranking_request(sample)
    assert (request.context, request.continuations, request.gold) == ("", [" It is.", " It are."], [0])
    assert sample.id == "agreement-7"


def test_an_article_is_detokenised():
    page = " \n = Hill = \n \n A well @-@ known hill of 1 @,@ 204 m ( \" red \" ) , it 's said ; the boys ' hats . \n"
    assert detokenized(page) == "\n= Hill =\n\nA well-known hill of 1,204 m (\"red\"), it's said; the boys' hats.\n"


def test_words_and_bytes_of_an_article_are_counted_in_the_original():
    sample = built("wikitext").dataset[3]
    page = json.loads((SAMPLES / "wikitext/test.jsonl").read_text("utf-8").splitlines()[3])["page"]
    assert sample.metadata[TEXT_KEY] == {"words": len(page.split()) + 2, "bytes": len(page)}  # white space at both ends


def test_chance(tmp_path):
    assert metrics(tmp_path, "lambada", "baseline/random")["greedy/mean"] == 0
    blimp_metrics = metrics(tmp_path, "blimp", "baseline/empty")
    assert blimp_metrics["acc/mean"] == 0  # undecided
    assert blimp_metrics["prob_mass/mean"] == pytest.approx(0.5)
    read = metrics(tmp_path, "wikitext", "baseline/random")
    assert read["perplexity/byte_perplexity"] == pytest.approx(256 ** (read["perplexity/text_bits_per_byte"] / 8))
    assert 6 < read["perplexity/text_bits_per_byte"] < 8  # less than 8: the text is shorter than the original


def test_blimp_selects_subsets():
    chosen = built("blimp", subset="adjunct_island,npi_present_1").dataset
    assert {sample.metadata["subset"] for sample in chosen} == {"adjunct_island", "npi_present_1"}
    with pytest.raises(UsageError) as raised:
        built("blimp", subset="adjunct_isle")
    assert str(raised.value).startswith("blimp: subset: 'adjunct_isle' does not exist. Close: adjunct_island")
    once = built("blimp", subset="adjunct_island,adjunct-island").dataset
    assert len(once) == len({sample.id for sample in once}) > 0


def test_every_subset_is_pinned():
    assert len(DIGESTS) == 67
    assert all(blimp_file(subset).pinned for subset in DIGESTS)


def test_real_rows_of_blimp():
    folder = Path(os.environ.get("OPENBENCH_REAL_DATA", "/nowhere")) / "hub/nyu-mll/blimp"
    if not folder.is_dir():
        pytest.skip("OPENBENCH_REAL_DATA names no directory with hub/nyu-mll/blimp")
    rows = [json.loads(line) for path in folder.glob("*/train.jsonl") for line in path.read_text("utf-8").splitlines()]
    samples = load_samples(Rows("real", rows), blimp_sample, name="real")
    assert len(samples) == len({sample.id for sample in samples}) == BENCHMARKS["blimp"].samples
    assert {sample.metadata["subset"] for sample in samples} == {*DIGESTS}


@pytest.mark.parametrize("key", BENCHMARKS)
def test_the_readme_matches_the_metadata(key):
    line = next(line for line in README.read_text("utf-8").splitlines() if line.startswith(f"| `{key}` |"))
    _, _, split, rows, pin, _, licence = [cell.strip() for cell in line.strip("|").split("|")]
    source = BENCHMARKS[key].dataset
    assert (split, int(rows), licence) == (source.split or "-", BENCHMARKS[key].samples, source.licence)
    assert pin == ("commit" if source.type == "hf" else "sha256")
