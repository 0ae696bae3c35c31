"""Comparison of the benchmarks with sacrebleu's command on the same files and outputs."""

import hashlib
import io
import json
import subprocess
import sys
import tarfile
from dataclasses import replace
from pathlib import Path

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from sacrebleu.dataset import DATASETS

from openbench.datasets import bundled_rows
from openbench.errors import DataError, UsageError
from openbench_translation import flores, wmt
from openbench_translation.metadata import BENCHMARKS, FLORES, WMT

FRENCH = ["Le chien dort.", "Il n'a pas plu, hier &amp; aujourd'hui.", "Trois bateaux sont partis avant midi."]
ENGLISH = ["The  dog sleeps.", "It did not rain, yesterday &amp; today.", "Three boats left before noon."]
CHINESE = ["狗在睡觉。", "昨天和今天都没有下雨。", "三艘船在中午之前出发了。"]
JAPANESE = ["犬は眠っている。", "昨日も今日も雨は降らなかった。", "三隻の船が正午前に出発した。"]
OUTPUTS = ["Le chien dort bien.", "Hier et aujourd'hui, il n'a pas plu.", ""]
SAMPLES = Path(wmt.__file__).with_name("samples")

COMMAND = """
import sys
from sacrebleu.dataset.base import Dataset
from sacrebleu.sacrebleu import main
Dataset.maybe_download = lambda self: None
main()
"""


def sgm(lines):
    segments = "".join(f'<seg id="{number}">{line}</seg>\n' for number, line in enumerate(lines, 1))
    return f'<srcset>\n<doc docid="one" genre="news" origlang="en">\n<p>\n{segments}</p>\n</doc>\n</srcset>\n'


def xml(source, target, texts, references):
    def part(lines):
        return "<p>" + "".join(f'<seg id="{n}">{line}</seg>' for n, line in enumerate(lines, 1)) + "</p>"

    documents = "".join(f'<ref lang="{target}" translator="{by}">{part(ref)}</ref>' for by, ref in references.items())
    doc = f'<doc id="one" origlang="{source}"><src lang="{source}">{part(texts)}</src>{documents}</doc>'
    return f"<?xml version='1.0' encoding='utf-8'?>\n<dataset id=\"made\">{doc}</dataset>\n"


def archive(path, files):
    with tarfile.open(path, "w:gz") as tar:
        for name, text in files.items():
            info = tarfile.TarInfo(f"./{name}")
            info.size = len(text.encode())
            tar.addfile(info, io.BytesIO(text.encode()))
    return path


@pytest.fixture
def publish(tmp_path, monkeypatch):
    """Return a function that publishes a test set, for the benchmark and in a cache for sacrebleu's command."""

    def published(test_set, files):
        if WMT[test_set].revision:
            source = replace(WMT[test_set], source=str(tmp_path / "published"))
            for name, text in files.items():
                path = tmp_path / "published" / Path(name).name
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, "utf-8")
        else:
            path = archive(tmp_path / "test.tgz", files)
            digest = hashlib.md5(path.read_bytes(), usedforsecurity=False).hexdigest()
            source = replace(WMT[test_set], source=str(path), md5=digest)
        monkeypatch.setattr(wmt, "WMT", {**WMT, test_set: source})
        raw = tmp_path / "cache" / test_set / "raw"
        for name, text in files.items():
            (raw / name).parent.mkdir(parents=True, exist_ok=True)
            (raw / name).write_text(text, "utf-8")

        def sacrebleu(*arguments):
            done = subprocess.run(
                [sys.executable, "-c", COMMAND, "-t", test_set, *arguments],
                capture_output=True,
                text=True,
                check=False,
                env={"SACREBLEU": str(tmp_path / "cache"), "LC_ALL": "C.UTF-8"},
            )
            assert done.returncode == 0, done.stderr
            return done.stdout

        return sacrebleu

    return published


def evaluated(task, outputs, folder):
    remaining = iter(outputs)

    def answer(*_):
        output = ModelOutput.from_content("mock", next(remaining))
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    model = get_model("mockllm/model", custom_outputs=answer, memoize=False)
    (log,) = inspect_eval(task, model=model, log_dir=str(folder), display="none", max_samples=1)
    assert log.status == "success", log.error
    translation = next(score for score in log.results.scores if "corpus_bleu" in score.metrics)
    return log, {name: metric.value for name, metric in translation.metrics.items()}


def compare(sacrebleu, task, pair, outputs, folder):
    """Compare all metrics and signatures with the output of sacrebleu's command."""
    log, figures = evaluated(task, outputs, folder)
    path = folder / "outputs"
    path.write_text("".join(f"{' '.join(output.split())}\n" for output in outputs), "utf-8")
    common = ["-l", pair, "-i", str(path), "-w", "9", "--confidence"]
    bleu, chrf, ter = json.loads(sacrebleu(*common, "-m", "bleu", "chrf", "ter"))
    plus = json.loads(sacrebleu(*common, "-m", "chrf", "--chrf-word-order", "2"))
    for name, theirs in (("bleu", bleu), ("chrf", chrf), ("chrfpp", plus), ("ter", ter)):
        assert round(figures[f"corpus_{name}"] * 100, 9) == theirs["score"]
        half = (figures[f"corpus_{name}_upper"] - figures[f"corpus_{name}_lower"]) / 2
        assert half * 100 == pytest.approx(theirs["confidence_var"], abs=1e-6)
        ours = log.eval.metadata["signatures"][f"corpus_{name}"]
        assert ours == theirs["signature"]
    return log


def test_an_archive_of_sgm_files(publish, tmp_path):
    names = DATASETS["wmt14"].langpairs["en-fr"]
    sacrebleu = publish("wmt14", dict(zip(names, (sgm(ENGLISH * 4), sgm(FRENCH * 4)), strict=True)))
    task = wmt.wmt14()
    assert sacrebleu("-l", "en-fr", "--echo", "src").splitlines() == [each.metadata["source"] for each in task.dataset]
    assert sacrebleu("-l", "en-fr", "--echo", "ref").splitlines() == [each.target[0] for each in task.dataset]
    assert [each.id for each in task.dataset][:3] == ["en-fr-1", "en-fr-2", "en-fr-3"]
    assert task.dataset[0].metadata == {"source": "The dog sleeps.", "docid": "one", "origlang": "en"}
    compare(sacrebleu, task, "en-fr", OUTPUTS * 4, tmp_path)


def test_an_xml_file_with_two_references(publish, tmp_path):
    (name,) = DATASETS["wmt24"].langpairs["en-zh"]
    sacrebleu = publish("wmt24", {name: xml("en", "zh", ENGLISH, {"refB": FRENCH, "refA": CHINESE})})
    task = wmt.wmt24(pair="en-zh")
    assert [each.target for each in task.dataset] == [[line] for line in CHINESE]
    log = compare(sacrebleu, task, "en-zh", ["狗在睡。", "昨天没有下雨。", "三艘船出发了。"], tmp_path)
    assert "tok:zh|" in log.eval.metadata["signatures"]["corpus_bleu"]


def test_a_pair_that_names_its_reference(publish):
    entry = DATASETS["wmt22"].langpairs["en-cs"]
    publish("wmt22", {entry["path"]: xml("en", "cs", ENGLISH, {"A": CHINESE, "B": FRENCH})})
    assert wmt.wmt22(pair="en-cs").dataset[0].target == ["Le chien dort."]


def test_japanese_is_tokenized_by_mecab(publish, tmp_path):
    pytest.importorskip("MeCab")
    names = DATASETS["wmt20"].langpairs["en-ja"]
    sacrebleu = publish("wmt20", dict(zip(names, (sgm(ENGLISH), sgm(JAPANESE)), strict=True)))
    log = compare(sacrebleu, wmt.wmt20(pair="en-ja"), "en-ja", ["犬は眠る。", *JAPANESE[1:]], tmp_path)
    assert "tok:ja-mecab" in log.eval.metadata["signatures"]["corpus_bleu"]


def test_pins_equal_those_of_sacrebleu():
    for name, source in WMT.items():
        dataset = DATASETS[name]
        if source.revision:
            assert "/wmt-conference/" in dataset.data[0]
            assert dataset.data[0].split("/")[4] == source.source.split("/")[4]
        else:
            assert (dataset.data, dataset.md5) == ([source.source], [source.md5])
    assert {f"wmt{year}" for year in range(14, 25)} | {"flores200"} == set(BENCHMARKS)


def test_every_language_has_a_name():
    codes = {code for name in BENCHMARKS if name in WMT for pair in wmt.pairs_of(name) for code in pair.split("-")}
    assert codes == set(wmt.LANGUAGES)
    assert len(flores.languages()) == 204
    assert flores.languages()["arb_Arab"] == "Modern Standard Arabic"


def test_examples_come_from_an_earlier_set():
    assert wmt.examples_of("wmt14", "fr-en") == "wmt13"
    assert wmt.examples_of("wmt16", "ro-en") == "wmt16/dev"  # as in lm-evaluation-harness
    assert wmt.examples_of("wmt16", "de-en") == "wmt15"
    assert wmt.examples_of("wmt24", "en-es") == "wmt13"
    assert wmt.examples_of("wmt22", "sah-ru") is None


@pytest.fixture
def sentences(tmp_path, monkeypatch):
    """Publish sentences in two languages as FLORES-200."""
    korean = ["개가 집 앞에서 잔다.", "어제도 오늘도 비가 오지 않았다.", "배 세 척이 정오 전에 떠났다."]
    texts = {"eng_Latn": ENGLISH, "kor_Hang": korean}
    files = {
        f"flores200_dataset/{split}/{code}.{split}": "".join(f"{line}\n" for line in lines[start:])
        for code, lines in texts.items()
        for split, start in (("devtest", 0), ("dev", 1))
    }
    path = archive(tmp_path / "flores.tar.gz", files)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()
    monkeypatch.setattr(flores, "FLORES", replace(FLORES, source=str(path), sha256=digest))
    return texts


def test_flores(sentences, tmp_path):
    pytest.importorskip("mecab_ko")
    task = flores.flores200(target="kor_Hang", fewshot=1)
    assert [each.target for each in task.dataset] == [[line] for line in sentences["kor_Hang"]]
    shot, answer, question = task.dataset[0].input
    assert shot.text.startswith("Translate this text from English to Korean.")
    assert answer.text in sentences["kor_Hang"][1:]
    assert question.text.endswith("The  dog sleeps.")
    log, figures = evaluated(task, sentences["kor_Hang"], tmp_path)
    assert (figures["corpus_chrfpp"], figures["corpus_bleu"]) == (1, pytest.approx(1))
    assert "tok:ko-mecab" in log.eval.metadata["signatures"]["corpus_bleu"]
    with pytest.raises(DataError, match=r"flores.tar.gz does not contain flores200_dataset/devtest/deu_Latn.devtest."):
        flores.flores200()


def test_an_archive_with_another_digest_is_rejected(sentences, tmp_path):
    assert sentences
    (tmp_path / "flores.tar.gz").write_bytes(b"?")
    with pytest.raises(DataError, match="is not the pinned file: its sha256 is"):
        flores.flores200(target="kor_Hang", tokenize="char")


def test_the_prompt_for_base_models():
    with bundled_rows(SAMPLES / "wmt16"):
        task = wmt.wmt16(pair="de-en", prompt="phrase", fewshot=2)
    blocks = task.dataset[0].input.split("\n\n")
    assert len(blocks) == 3
    assert all(block.startswith("German phrase: ") and "\nEnglish phrase: " in block for block in blocks[:2])
    last = (
        "German phrase: Die Fähre zur Insel legt um halb sieben ab und braucht etwa vierzig Minuten.\nEnglish phrase:"
    )
    assert blocks[2] == last
    assert task.config.stop_seqs == ["\n"]


@pytest.mark.parametrize(
    ("name", "arguments", "message"),
    [
        ("wmt16", {"pair": "de-eng"}, r"pair='de-eng' is not in wmt16. Close: .*de-en.* Its pairs: cs-en, de-en, "),
        ("wmt22", {"pair": "sah-ru", "fewshot": 1}, "fewshot=1: no earlier set of WMT has examples for sah-ru"),
        ("wmt16", {"prompt": "chat"}, "prompt='chat': expected 'instruct' or 'phrase'."),
        ("wmt16", {"fewshot": 9}, "fewshot=9: there are 2 examples to draw from."),
        ("wmt16", {"fewshot": -1}, "fewshot=-1: expected a number of at least 0"),
        ("wmt16", {"tokenize": "klingon"}, "BLEU with tokenize='klingon': sacrebleu rejects it"),
        ("flores200", {"target": "german"}, "target='german' is not one of the 204 languages. Close: deu_Latn"),
        ("flores200", {"source": "deu_Latn"}, "source and target are both 'deu_Latn'"),
        ("flores200", {"split": "test"}, "split='test': expected 'devtest' or 'dev'."),
        ("flores200", {"split": "dev", "fewshot": 1}, "fewshot=1: examples come from the split 'dev'"),
    ],
)
def test_invalid_arguments(name, arguments, message):
    module = flores if name == "flores200" else wmt
    with pytest.raises((UsageError, DataError), match=message), bundled_rows(SAMPLES / name):
        getattr(module, name)(**arguments)


def test_sample_rows_without_the_pair():
    with (
        pytest.raises(DataError, match=r"has no rows for cs-en, only for de-en, en-de\."),
        bundled_rows(SAMPLES / "wmt16"),
    ):
        wmt.wmt16(pair="cs-en")
