"""The metadata of every benchmark, with the pinned versions of its rows and prompts."""

from collections.abc import Sequence

from openbench.metadata import BenchmarkGroup, BenchmarkMetadata, DatasetSource, Need

PREFIX = "horangi_"
_COMMIT = "5fa722dc8594d27e7e8f97554f5af42d91ba7bd6"
_FILES = f"https://raw.githubusercontent.com/hw-oh/horangi/{_COMMIT}/src/"
_MINI = "weave:///horangi/horangi4/object/"
_EARLIER = "weave:///wandb-korea/evaluation-job/object/"


def _text(path: str, sha256: str) -> DatasetSource:
    return DatasetSource(source=f"{_FILES}{path}", type="text", revision=_COMMIT, sha256=sha256)


TEMPLATE = _text(
    "solvers/korean_multiple_choice.py", "1c768f814024e603a7f92457e7f2d9ae406b0e03c13aa801aacd1ffb8c98db31"
)
"""Horangi's multiple-choice solver. Its variable `DEFAULT_KOREAN_TEMPLATE` is the prompt template."""

CONFIGURATIONS = {
    name: _text(f"benchmarks/{name}.py", sha256)
    for name, sha256 in {
        "haerae_bench_v1_wo_rc": "226809b21d31fa34666b551f84b35e2b1e19b308cd456150bc5a4822ff4952c6",
        "hrm8k": "f284eeaa58f7effc7acc739f8b05d8ffc723d16181da19cc20f77bfed0714d9f",
        "kmmlu": "f320f67ea244d804a92f5b824eab61ee1f7fc6b4e574df857eb2c5bc6793288f",
        "kmmlu_pro": "f3a49232b36eacdb300e4082d194aedc9c2c965916884df41fba367be9c4f27c",
        "ko_aime2025": "69820894c707a5e326c4d56bf097fa606bdea7e5fefb4a1cfad240893f4b7631",
        "ko_balt_700": "c4c50be46dca81fcba93020c600424908bfa81558a6c8aa623b24a6181c9ce48",
        "ko_balt_700_semantic": "d5f40e1ae8320bab90e8b028db32ab08a8e8c7148f22981c357aa17732609b70",
        "ko_balt_700_syntax": "e6cae14f9b4e52fac771906bbc1350ec746d20f555790390cda875a84274f3f0",
        "ko_hallulens_generated": "4c71cd05d6066756dfe44ea8874347e7a88935861da0ab3954e415bb0d2e4030",
        "ko_hallulens_longwiki": "7ee4115bb92243afe46dac57d11931d53dd98b159ecb5d12b0c2f11349c09ffc",
        "ko_hallulens_mixed": "4722e7c882a39c885e0ec95b6b731e6788241e001b703ac4d5cdf9557dd2dda1",
        "ko_hallulens_nonexistent": "955ce5fddbd64e2c3d915ad09d5e90ff823acd32247dabb3cb8bdac040bbade1",
        "ko_hallulens_wikiqa": "a984eb307580626f8d608146146789f59bbbb97305879e4750f88b93ec344fe4",
        "ko_hle": "ea2b63b753af3ac0239950d2ca027e719e8588dbbfdaa42a4c1f6834448e84e1",
        "ko_moral": "6667e2df81cef5f5454eaec3d446c73e1c44cf23a46484f5612e4c25ffdb7546",
        "ko_truthful_qa": "b148703208d67da907b57783de0fd0ee5d939c88ca723b3eae4b3d65ffee5e21",
        "kobbq": "4e235a669c3b66c2ef3ce92f6b76107cd035520811157f034e6522bd115c1720",
        "korean_hate_speech": "5e7009d0dd775f4ab55fe653de27743de0eb7d7a60536725666047560afbad77",
    }.items()
}
"""Horangi's configurations that define prompts, by the benchmark's name in Horangi."""

_NOTES = (
    "The rows are the Weave object that Horangi's configuration names, addressed by the digest of its content.",
    "The default prompts are openbench's; -T prompts=official uses Horangi's.",
)
_NEWEST = ("Horangi's configuration names the newest version of the rows, so they can change.", _NOTES[1])


def _benchmark(
    key: str,
    name: str,
    description: str,
    category: str,
    rows: str,
    *,
    samples: int | None = 100,
    metric: str = "accuracy",
    needs: Sequence[Need] = (),
    homepage: str | None = None,
    module: str = "tasks",
) -> dict[str, BenchmarkMetadata]:
    newest = rows.endswith(":latest")
    metadata = BenchmarkMetadata(
        name=f"Horangi: {name}",
        description=description,
        category=category,
        tags=["horangi", "korean"],
        module_path=f"openbench_horangi.{module}",
        function_name=PREFIX + key,
        subtask=True,
        builtin=True,
        dataset=DatasetSource(source=f"{_EARLIER if newest else _MINI}{rows}", type="json"),
        homepage=homepage or "https://horangi.ai",
        samples=samples,
        primary_metric=metric,
        languages=["ko"],
        needs=needs,
        notes=_NEWEST if newest else _NOTES,
    )
    return {PREFIX + key: metadata}


def _hub(dataset: str) -> str:
    return f"https://huggingface.co/datasets/{dataset}"


_HALLULENS = "https://github.com/facebookresearch/HalluLens"
_HAERAE = _hub("HAERAE-HUB/HAE_RAE_BENCH_1.0")
_KOBALT = _hub("snunlp/KoBALT-700")

BENCHMARKS: dict[str, BenchmarkMetadata] = {
    **_benchmark(
        "ko_hellaswag",
        "KoHellaSwag",
        "Common sense: choose the best continuation of a Korean text",
        "commonsense",
        "KoHellaSwag_mini:w5y3uB67dxszTK1uXakGqD2IYKZSrsW1AYQcPH9hIE8",
        homepage=_hub("davidkim205/ko_hellaswag"),
    ),
    **_benchmark(
        "ko_aime2025",
        "KoAIME 2025",
        "Competition mathematics: the problems of AIME 2025, in Korean",
        "math",
        "KoAIME2025_mini:ODxXSY7bvgJkZm3bio3ylFSuv3LWzET6aq4SlzkZgUA",
        samples=30,
        homepage=_hub("allganize/AIME2025-ko"),
    ),
    **_benchmark(
        "hrm8k",
        "HRM8K",
        "Mathematics in Korean, from school problems to olympiads",
        "math",
        "HRM8K_mini:YiSCSfQWVw5k5QUeyXgkiawMs3lZxiYghev2p7SYX7E",
        homepage=_hub("HAERAE-HUB/HRM8K"),
    ),
    **_benchmark(
        "ifeval_ko",
        "IFEval-Ko",
        "Following verifiable instructions, in Korean",
        "instructions",
        "IFEval_Ko_mini:qzHRd8tmmARVui2M4dj4P363Ha8L28XQlvvcrUlrHCM",
        metric="prompt_level_strict/mean",
        homepage=_hub("allganize/IFEval-Ko"),
        module="ifeval",
    ),
    **_benchmark(
        "ko_balt_700",
        "KoBALT-700",
        "Korean linguistics: multiple choice with ten options",
        "language",
        "KoBALT_700_mini:RXgDQTYja0ZySmuQhH0xRmEA36UJPH7YQcf1LrpD9o0",
        homepage=_KOBALT,
    ),
    **_benchmark(
        "ko_balt_700_syntax",
        "KoBALT-700, syntax",
        "Korean syntax: multiple choice with ten options",
        "language",
        "KoBALT_700_Syntax_mini:kG5ypGu9nViQ2JjqIff8sorcxFUyEYvzSShBSI0Pegc",
        homepage=_KOBALT,
    ),
    **_benchmark(
        "ko_balt_700_semantic",
        "KoBALT-700, semantics",
        "Korean semantics: multiple choice with ten options",
        "language",
        "KoBALT_700_Semantic_mini:AAS4GRQh96bevb5IG4kfqirXLj1q3aLXqH9IwVJUtbc",
        homepage=_KOBALT,
    ),
    **_benchmark(
        "haerae_bench_v1",
        "HAE-RAE Bench",
        "Korean language and culture",
        "knowledge",
        "HAERAE_Bench_v1_mini:AUDj1Yc8irM87b4DOXS9LK31AXfCPo8Uh8aEXyGa9J4",
        homepage=_HAERAE,
    ),
    **_benchmark(
        "haerae_bench_v1_rc",
        "HAE-RAE Bench, reading",
        "Korean reading comprehension",
        "reading",
        "HAERAE_Bench_v1_RC_mini:VOB5YJUpzgAT1XqJZXj4ps9jfXssBq853dLLKqp8Ops",
        homepage=_HAERAE,
    ),
    **_benchmark(
        "haerae_bench_v1_wo_rc",
        "HAE-RAE Bench, knowledge",
        "Korean language and culture, without reading comprehension",
        "knowledge",
        "HAERAE_Bench_v1_WoRC_mini:TVJ1hZplhOgfkIPXnVmTCbczLCUFau4EG7FquQvAiIU",
        homepage=_HAERAE,
    ),
    **_benchmark(
        "kmmlu",
        "KMMLU",
        "Korean exams in 45 subjects",
        "knowledge",
        "KMMLU_mini:BKMMNPwQlldJ6rjGxCPJxEX2thu3XVsEfiYQdf2BHTA",
        homepage=_hub("HAERAE-HUB/KMMLU"),
    ),
    **_benchmark(
        "kmmlu_pro",
        "KMMLU-Pro",
        "Korean professional licensing exams",
        "knowledge",
        "KMMLU_Pro_mini:Qbju8ttQj6C4HwI6N2UG7bqB1OnHTZ21IqluhZuiMsM",
        homepage=_hub("LGAI-EXAONE/KMMLU-Pro"),
    ),
    **_benchmark(
        "squad_kor_v1",
        "KorQuAD 1",
        "Extractive question answering on Korean passages",
        "reading",
        "SQuAD_Kor_v1_mini:DXbPOb1F6e8rnKDYJXOhgc5L16ZnaKXrx2EynK4vj6o",
        metric="mean",
        homepage=_hub("KorQuAD/squad_kor_v1"),
    ),
    **_benchmark(
        "ko_truthful_qa",
        "KoTruthfulQA",
        "Questions that many people answer falsely, in Korean",
        "truthfulness",
        "KoTruthfulQA_mini:aXWwop2uqxplEhdvz576gyfUO4NSkrGNko7hguxueic",
    ),
    **_benchmark(
        "ko_moral",
        "KoMoral",
        "Decide whether a Korean sentence is immoral",
        "safety",
        "KoMoral_mini:dleEC4Y9ibeC4YAScIEji2CFBX0hXloQX3dvuUubXBo",
    ),
    **_benchmark(
        "korean_hate_speech",
        "Korean hate speech",
        "Decide whether a Korean comment is hate speech",
        "safety",
        "KoreanHateSpeech_mini:DBtUl95dG2Xg9qQR49Y250p9oshCMKdkjXdxhvXmLIc",
        homepage="https://github.com/kocohub/korean-hate-speech",
    ),
    **_benchmark(
        "kobbq",
        "KoBBQ",
        "Social bias in answers about ambiguous and disambiguated Korean contexts",
        "safety",
        "KoBBQ_mini:p12gIldwSX2XweDFuDyBJkq09b4X5crbw8tcx73nxR8",
        homepage=_hub("naver-ai/kobbq"),
    ),
    **_benchmark(
        "ko_arc_agi",
        "KoARC-AGI",
        "Abstract grid puzzles, described in Korean",
        "reasoning",
        "KoARC_AGI_mini:HSzsUWJnTXMYwOtS8A6wyfHM1DqsoTugtpBOwmvBuoA",
        homepage="https://arcprize.org/arc-agi/1",
    ),
    **_benchmark(
        "ko_hle",
        "KoHLE",
        "Humanity's Last Exam, in Korean",
        "knowledge",
        "KoHLE_mini:UrNXEnhaUHDoqButTAy204OEEevet6Pa1iSRYfnnnPY",
        needs=["grader"],
        homepage=_hub("cais/hle"),
    ),
    **_benchmark(
        "ko_mtbench",
        "KoMT-Bench",
        "Two-turn conversations in eight categories, in Korean, rated by a judge",
        "chat",
        "KoMTBench_mini:GY9L798k1ezXyTlk7ILVZtAK0c3ii1ysPM7y1ahmCag",
        samples=80,
        metric="mean",
        needs=["grader"],
        homepage=_hub("LGAI-EXAONE/KoMT-Bench"),
    ),
    **_benchmark(
        "ko_hallulens_wikiqa",
        "KoHalluLens, PreciseWikiQA",
        "Hallucination in short answers about Wikipedia, in Korean",
        "truthfulness",
        "KoHalluLens_WikiQA_mini:rU9poRP5fcXtp7mZsuRYYDNKPK51OkMRJTuXjyXP9WI",
        needs=["grader"],
        homepage=_HALLULENS,
    ),
    **_benchmark(
        "ko_hallulens_longwiki",
        "KoHalluLens, several questions",
        "Hallucination in answers to several numbered questions about Wikipedia, in Korean",
        "truthfulness",
        "KoHalluLens_LongWiki_mini:VktVotlYffXkFz0VT5sKgXrEmItplwFb3R97zb6syEA",
        needs=["grader"],
        homepage=_HALLULENS,
    ),
    **_benchmark(
        "ko_hallulens_nonexistent",
        "KoHalluLens, nonexistent entities",
        "Hallucination about entities that do not exist, in Korean",
        "truthfulness",
        "KoHalluLens_NonExistent_mini:suMhzXfycG79qMYN3AjVQqGwtyFst1NFsbWdhk1jJTk",
        homepage=_HALLULENS,
    ),
    **_benchmark(
        "ko_hallulens_generated",
        "KoHalluLens, generated entities",
        "Hallucination about invented places, in Korean",
        "truthfulness",
        "HalluLens_GeneratedEntity:latest",
        samples=None,
        homepage=_HALLULENS,
    ),
    **_benchmark(
        "ko_hallulens_mixed",
        "KoHalluLens, mixed entities",
        "Hallucination about invented animals, plants and medicines, in Korean",
        "truthfulness",
        "HalluLens_MixedEntity:latest",
        samples=None,
        homepage=_HALLULENS,
    ),
    **_benchmark(
        "bfcl",
        "BFCL",
        "Function calling: one function, one of several functions, and no suitable function",
        "tools",
        "BFCL_mini:ODywz9h7BWEfpYfAmkqjwLXQYxrsRWlPXCXNMoo3jTg",
        samples=258,
        needs=["tools"],
        homepage="https://gorilla.cs.berkeley.edu/leaderboard.html",
        module="bfcl",
    ),
    **_benchmark(
        "swebench_verified_official_80",
        "SWE-bench Verified, 80",
        "Patches for GitHub issues of Python repositories, scored by the repository's tests",
        "code",
        "SWEBench_Verified_80_mini:AltUnANYMU9aYgmhrbKaKogRumY5eJt2lgECAbKax7w",
        samples=80,
        needs=["sandbox"],
        homepage="https://www.swebench.com",
        module="swebench",
    ),
}

_NOT_RUN = ("ko_balt_700", "haerae_bench_v1", "ko_hallulens_longwiki", "ko_hallulens_generated", "ko_hallulens_mixed")

GROUPS = {
    "horangi": BenchmarkGroup(
        name="Horangi",
        description="The benchmarks that the Korean leaderboard Horangi runs for every model",
        category="suites",
        benchmarks=[key for key in BENCHMARKS if key.removeprefix(PREFIX) not in _NOT_RUN],
    ),
}
