"""Metadata for `bench list` and `bench describe`: every benchmark, and the pin of its rows."""

from collections.abc import Mapping

from openbench.metadata import BenchmarkMetadata, DatasetSource


def _archive(url: str, md5: str) -> DatasetSource:
    return DatasetSource(source=url, type="file", split="test", md5=md5)


def _files(repository: str, commit: str) -> DatasetSource:
    url = f"https://raw.githubusercontent.com/wmt-conference/{repository}/{commit}/xml"
    return DatasetSource(source=url, type="file", split="test", revision=commit)


WMT: Mapping[str, DatasetSource] = {  # archives with sacrebleu's digests, or directories of XML files
    "wmt13": _archive("https://statmt.org/wmt13/test.tgz", "48eca5d02f637af44e85186847141f67"),
    "wmt14": _archive("https://statmt.org/wmt14/test-filtered.tgz", "84c597844c1542e29c2aff23aaee4310"),
    "wmt15": _archive("https://statmt.org/wmt15/test.tgz", "67e3beca15e69fe3d36de149da0a96df"),
    "wmt16": _archive("https://data.statmt.org/wmt16/translation-task/test.tgz", "3d809cd0c2c86adb2c67034d15c4e446"),
    "wmt16/dev": _archive("https://data.statmt.org/wmt16/translation-task/dev.tgz", "4a3dc2760bb077f4308cce96b06e6af6"),
    "wmt17": _archive("https://data.statmt.org/wmt17/translation-task/test.tgz", "86a1724c276004aa25455ae2a04cef26"),
    "wmt17/dev": _archive("https://data.statmt.org/wmt17/translation-task/dev.tgz", "9b1aa63c1cf49dccdd20b962fe313989"),
    "wmt18": _archive("https://data.statmt.org/wmt18/translation-task/test.tgz", "f996c245ecffea23d0006fa4c34e9064"),
    "wmt18/dev": _archive("https://data.statmt.org/wmt18/translation-task/dev.tgz", "486f391da54a7a3247f02ebd25996f24"),
    "wmt19": _archive("https://data.statmt.org/wmt19/translation-task/test.tgz", "84de7162d158e28403103b01aeefc39a"),
    "wmt19/dev": _archive("https://data.statmt.org/wmt19/translation-task/dev.tgz", "f2ec7af5947c19e0cacb3882eb208002"),
    "wmt20": _archive("https://data.statmt.org/wmt20/translation-task/test.tgz", "3b1f777cfd2fb15ccf66e9bfdb2b1699"),
    "wmt20/dev": _archive("https://data.statmt.org/wmt20/translation-task/dev.tgz", "037f2b37aab74febbb1b2307dc2afb54"),
    "wmt21": _archive("https://data.statmt.org/wmt21/translation-task/test.tgz", "32e7ab995bc318414375d60f0269af92"),
    "wmt21/dev": _archive("https://data.statmt.org/wmt21/translation-task/dev.tgz", "165da59ac8dfb5b7cafd7e90b1cac672"),
    "wmt22": _files("wmt22-news-systems", "a5b37d4f44500eb22ef8c56d25a326ac5ba5dc9e"),  # v1.1
    "wmt23": _files("wmt23-news-systems", "4515edff7e7423f54f9297c21574f2df62e8ff22"),  # v.0.1
    "wmt24": _files("wmt24-news-systems", "6a549c01149d54a866b0c4507630628d1dae54f7"),  # v1.1
}
"""The test and development sets, by their names in sacrebleu."""

FLORES = DatasetSource(
    source="https://dl.fbaipublicfiles.com/nllb/flores200_dataset.tar.gz",
    type="file",
    split="devtest",
    sha256="b8b0b76783024b85797e5cc75064eb83fc5288b41e9654dabc7be6ae944011f6",
    licence="CC-BY-SA-4.0",
)

_FIGURES = (
    "Scores are sacrebleu's divided by 100: 0.345 is 34.5 BLEU. The signature is shown, and recorded in the log.",
    "corpus_bleu, corpus_chrf, corpus_chrfpp and corpus_ter have a bootstrap standard error and interval.",
)
_PAPERS = {
    14: "https://aclanthology.org/W14-3302",
    15: "https://aclanthology.org/W15-3001",
    16: "https://aclanthology.org/W16-2301",
    17: "https://aclanthology.org/W17-4717",
    18: "https://aclanthology.org/W18-6401",
    19: "https://aclanthology.org/W19-5301",
    20: "https://aclanthology.org/2020.wmt-1.1",
    21: "https://aclanthology.org/2021.wmt-1.1",
    22: "https://aclanthology.org/2022.wmt-1.1",
    23: "https://aclanthology.org/2023.wmt-1.1",
    24: "https://aclanthology.org/2024.wmt-1.1",
}
_SAMPLES = {
    14: 3_003,
    15: 2_169,
    16: 2_999,
    17: 3_004,
    18: 2_998,
    19: 1_997,
    20: 1_418,
    21: 1_002,
    22: 2_037,
    23: 557,
    24: 998,
}


def _wmt(year: int) -> BenchmarkMetadata:
    pair = "English to French" if year == 14 else "English to German"  # noqa: PLR2004 - the pair most often reported
    genre = "news" if year < 22 else "texts from several domains"  # noqa: PLR2004
    return BenchmarkMetadata(
        name=f"WMT{year}",
        description=f"Translation of {genre}, the test sets of WMT 20{year}: {pair}, or another pair of that year.",
        category="translation",
        tags=["machine-translation", "multilingual", "wmt"],
        module_path="openbench_translation.wmt",
        function_name=f"wmt{year}",
        builtin=True,
        dataset=WMT[f"wmt{year}"],
        homepage=f"https://www2.statmt.org/wmt{year}/translation-task.html",
        paper=_PAPERS[year],
        samples=_SAMPLES[year],
        primary_metric="corpus_bleu",
        languages=("en", "fr") if year == 14 else ("en", "de"),  # noqa: PLR2004
        notes=_FIGURES,
    )


BENCHMARKS = {f"wmt{year}": _wmt(year) for year in _PAPERS} | {
    "flores200": BenchmarkMetadata(
        name="FLORES-200",
        description="Translation of sentences from Wikimedia projects between any two of 204 languages.",
        category="translation",
        tags=["flores", "low-resource", "machine-translation", "multilingual", "nllb"],
        module_path="openbench_translation.flores",
        function_name="flores200",
        builtin=True,
        dataset=FLORES,
        homepage="https://github.com/facebookresearch/flores",
        paper="https://arxiv.org/abs/2207.04672",
        samples=1_012,
        primary_metric="corpus_chrfpp",
        languages=("en", "de"),
        notes=(
            *_FIGURES,
            "The primary metric is the authors', chrF++, which requires no tokenizer for the target language.",
        ),
    )
}
