"""Metadata of BIG-Bench Hard, BIG-Bench Extra Hard and MuSR, and the pins of their rows and prompts."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal

from openbench.metadata import BenchmarkGroup, BenchmarkMetadata, DatasetSource
from openbench_mcq.metadata.entry import entry

_BBH_REVISION = "9ee07bd481feebf959a6b59d61ea57bdcf30964d"
BBH = DatasetSource(  # a file for each task
    source=f"https://raw.githubusercontent.com/suzgunmirac/BIG-Bench-Hard/{_BBH_REVISION}",
    type="json",
    revision=_BBH_REVISION,
    licence="MIT",
    verified=6511,
)
BBH_DIGESTS: Mapping[str, tuple[str, str]] = {
    "boolean_expressions": (
        "ea6c754ec005e2d3f2d085d349a740f593b5764f32ea4638ffed4cfc0061b12a",
        "685affba97425cdf3549d5d313ba876caed2fa7c8a4cf1ea7549faf22179609d",
    ),
    "causal_judgement": (
        "6e8bca44dd402008ed41c07a3d0a1d5e7b03db7001a7e002fcdf4c60985ea081",
        "14377e36cccb084b7d0fe73988d08696f7675d712b02d3ae1f5f7f12c77028ea",
    ),
    "date_understanding": (
        "0148d4ac5fca05b2f82373e5fef7208e15363b9c6079493034d77b3dab496bf5",
        "a0a13c392f689a1828f5f6ffb9dee3d44483794490da5d92f0e2a723787b1cfb",
    ),
    "disambiguation_qa": (
        "cf06df9ebf911b883671cb1b35d3fbd1a1c306b19b9e9a012407e596c85fe8c6",
        "794fd259297972a4c963a5d13a84dc221edde460de27fa5d8fd64299a2001597",
    ),
    "dyck_languages": (
        "3f9badedf15c2be1ce53d94fdf016299bb30ba231ef087ab9f51a7ed6d0bdc25",
        "b0836603007ec659ed685458647fb6d7543543304e7aca909b995d0c3aff22b2",
    ),
    "formal_fallacies": (
        "4c1adb664821157faade1d4153685403afcc02648f3c180a608a18f17f589629",
        "10c06cc362520e9b8dddfc4861e263ff668d228a52d958dcc69f09f1d224935a",
    ),
    "geometric_shapes": (
        "07be68a124420caa2ebc0b2c858ad79fc55c5c8806170e496e1e17ebfb11f31c",
        "f36d9893507eb518d84f388fb677dc0226c74a98873700de0b556548d65d3f76",
    ),
    "hyperbaton": (
        "b6d7f55c75f5d02f2987a4f3123802dfa093872089a56a334144aae8a7264fdc",
        "19898af91c35cb26bbdf5fdb6f6fb17e138677250332e2994005625ffb50b261",
    ),
    "logical_deduction_five_objects": (
        "d2df31394b903b7f0e085d42a69572a092987856eac076799017d70ef266fa8f",
        "4ed65246c0c1c4b0b4053d784181892b842bce19cf4358c976f34b1a434ef034",
    ),
    "logical_deduction_seven_objects": (
        "2896c7e3482eea318dd37bcc370d24ec3cc91e8374c1784287b5dbd38a529e33",
        "4ed65246c0c1c4b0b4053d784181892b842bce19cf4358c976f34b1a434ef034",
    ),
    "logical_deduction_three_objects": (
        "e590fae72e3a6041fbd23bd8ff6b74baf44ca563f6ba40a041c55e7b867c1681",
        "4ed65246c0c1c4b0b4053d784181892b842bce19cf4358c976f34b1a434ef034",
    ),
    "movie_recommendation": (
        "a8b53a87ee21a865b7248e694f388a9b8f7cf6b839b11d44796a2dd3fc088983",
        "cdf765634713b057091d541b4773dd2c998f81447b0bd8564ae70be4cdf3f5d0",
    ),
    "multistep_arithmetic_two": (
        "c9d5a6433c9b78256422a15c78463949c8bec8d85607aa28b52d7234ad4a8595",
        "a546e0b7cde09037bc144ae5c32c9cf78dafdfac929ae76e2051b2dd8f3671ce",
    ),
    "navigate": (
        "b7944dfd3c81da5c4815bd75b00d6fa3c64140823498e78ed496f4c3d36f7f0d",
        "dc2fd733f1867b8c79685f15b83746064534a94bf73468341c2a9dd335be22fc",
    ),
    "object_counting": (
        "8acef14dbbdd40d2326ef7755750b6b5fe919fef06276af1bab3f1c297f022ff",
        "e51ffc03fd713a13a379a6c938a523dfc1c2f384f2a8447bd7a12d4458f18833",
    ),
    "penguins_in_a_table": (
        "bb87ee449698eee51215e025a453b1bcb2f5e6589c2063b2c79e68b8f0655228",
        "33be137e76c2a6af0bbacd17a8e7a92801886c0202a45e35ea9c2a88c1f26d51",
    ),
    "reasoning_about_colored_objects": (
        "0a8850cf95166020fce7a78244026ceedd7ea839302471512b4f8744e85a6a49",
        "e4ea02d05b13e8ed9ccc3b0d878bc4df4c5a6fb76c65d39d48d6244f7ff0b9d5",
    ),
    "ruin_names": (
        "b6f723aef2bafdd4c7bfc3c7e0329c7e8a8279391a609969c8ed76c9319f5f7f",
        "731446c6c66bb5258677af1417b599a6a5539be6d74a5afc02cf7a716444ea54",
    ),
    "salient_translation_error_detection": (
        "becf3eb8dd53c821a555ecd5c1334ecd93eb25f980e63be963c518e7138de5da",
        "2c8367f75092202cc507fdbfaaf037b1c1eed38e91289084439738367f0785f7",
    ),
    "snarks": (
        "54a0661fe2de06167645a4965e6bcf963c4ba307e76262a7c750998b0e3d0d0e",
        "35084a2a0b86bc4008ab206b838c0b97dd425897dd72198137c3cefc499c0960",
    ),
    "sports_understanding": (
        "63ca262858f6176864515cd8cf53cdaa40839ebecc155b726d77930855d167bf",
        "2058a9bed717a6edb8ca2f815e88851436a4ee14c8b0d504ccf464865c6d0295",
    ),
    "temporal_sequences": (
        "92a1189faaa84aacc4c405aaa13f13f48c2992eb884772eedb622505252baef5",
        "3e7ebf1e20abe3e219dc6514dcb7474d82db1b2c66acc733cd30af2e9e0b64b0",
    ),
    "tracking_shuffled_objects_five_objects": (
        "2063a46a4fb484236ed4310523606543a3e1dd4a4dc34eda65d407910ece25a5",
        "2ef54cb2a72052adc3484a76209cb6a6535f194d677e79bcec2e2e71cf3768af",
    ),
    "tracking_shuffled_objects_seven_objects": (
        "b59fd05b850c37cf57cb514ae1e6975c00b1638ade2291722056b2af3c54084d",
        "2ef54cb2a72052adc3484a76209cb6a6535f194d677e79bcec2e2e71cf3768af",
    ),
    "tracking_shuffled_objects_three_objects": (
        "546cc7bf10c6a01a6a4c17ae28a4966485f21f29fd5d111f37858ec78e354f6b",
        "2ef54cb2a72052adc3484a76209cb6a6535f194d677e79bcec2e2e71cf3768af",
    ),
    "web_of_lies": (
        "3e60323f8514a107fdb4edf35f8832a9171c5a09c0eaa47823559de905e8ab8b",
        "c8025ca65ab7f0897c243504c863bda043d04b6e873777536743e94023c929d0",
    ),
    "word_sorting": (
        "2a6132d2c99f00d0d2eb1113ac6b4a918bd969d863c48749210d969713db8d43",
        "a2cdbcfe23abaa97b9787f7c03dbf49b1cfd0ff9e63197b7884bb5cd5a096ca6",
    ),
}
"""The SHA-256 digests of the two files of each task: its rows and its examples."""


def bbh_rows(task: str) -> DatasetSource:
    """Return the pinned file of a task's rows, an object that holds the rows under `examples`."""
    return _bbh_file(f"bbh/{task}.json", BBH_DIGESTS[task][0], "json")


def bbh_prompt(task: str) -> DatasetSource:
    """Return the pinned file of a task's few-shot examples, with reasoning."""
    return _bbh_file(f"cot-prompts/{task}.txt", BBH_DIGESTS[task][1], "text")


def _bbh_file(path: str, sha256: str, kind: Literal["json", "text"]) -> DatasetSource:
    return DatasetSource(
        source=f"{BBH.source}/{path}", type=kind, revision=BBH.revision, sha256=sha256, licence=BBH.licence
    )


_BBEH_REVISION = "80d12ca916b7158f22293fcf3144f4d3d854d4be"
BBEH = DatasetSource(  # a file for each task
    source=f"https://raw.githubusercontent.com/google-deepmind/bbeh/{_BBEH_REVISION}/bbeh",
    type="json",
    revision=_BBEH_REVISION,
    licence="CC-BY-4.0",
    verified=4520,
)
BBEH_DIGESTS: Mapping[str, str] = {
    "boardgame_qa": "3d47dc41eb825b2ee77a696e79859d8d2043b1bf04077e120caec4ad324f32a8",
    "boolean_expressions": "49e763f10dbea048be56036c8cbf2a6d0bb735235e3806b50809a1addb57eee2",
    "buggy_tables": "c27b76200bf1b0d4ada3729f5a40aa1f0062267e42c4f40820b3e40891c3fe85",
    "causal_understanding": "b10bbf43f7f5cdde927b0ad03f99a7a78b3525de4bfa90008b36b12b010c9a81",
    "disambiguation_qa": "6d34e0c89c3b1e1386df5919159b8d67b4668308d1225bd1ee54eb1e946472bd",
    "dyck_languages": "a089612502bdfb98a447c8cba84f972724308ea0d059e8561e3cc9785de585cc",
    "geometric_shapes": "7ff506d026450cb878a0963ce478724ad1451bc56469c813c791b9345ac1bea7",
    "hyperbaton": "0fbacc94f4c740c3050021f4c57089f2011d7bd77fcff3346a7f4b9dbef842e2",
    "linguini": "ba387d2aa1bde122e6c9937fca4e075b9cc7d64e6047b170cfcffd6304919ea8",
    "movie_recommendation": "808882647b84c116a57e0975e3d357749525e12d215c4a5dae83de83ae8c4772",
    "multistep_arithmetic": "47207086cd2afe74df9968172d24134c82af8c666144092f04e4c1ebad8cf3d2",
    "nycc": "67c9a9dca40e6ec820a279da19a019cedd5427fbaaae3fd175cdb74965474b08",
    "object_counting": "a0a8b10ca1aa06eae611c7c7e854fbec4f9622c8f74a74ffa00436a9a8609b67",
    "object_properties": "d606b3aa0c35d5397afc5937207174593c82ad5dfcaf7e5dfb40a99278aef0e4",
    "sarc_triples": "4c7b8eb4b542d326152394456c0a1afc8ef5447ee06dd4187b7eb91027a6b821",
    "shuffled_objects": "43cda28220c66e8d63e667d3091cd18b0b17aa55c005bb24bbb63144afdba9c1",
    "spatial_reasoning": "e77986b73e0ed15b5f950978b7758f55311b4d50e7215961084b126e4d960cb7",
    "sportqa": "69b3f164d9617eab9185830eacf4250badb56c2d718ddc75012597ed1a4bc9bf",
    "temporal_sequence": "55f6711d3d76925acb5d2fffdc1947e0e7186c686f0a343598394a57df6c7c6e",
    "time_arithmetic": "2510515a6f12024a742743e29a389f07beacb3bf4c71e0b59be12f3e364cf31b",
    "web_of_lies": "15f23d32579285701f68dae7947e2191eff21ee97440dfa73cb3565a66c77a6d",
    "word_sorting": "f49674b7b85774d6190c2844e1682c2ee8ff591ca1eeee4e785a45ef1e20024d",
    "zebra_puzzles": "0acd979060ee49f063f241dd1a298bd80b63d6b7fbfb08057ff480bff98a6198",
}
"""The SHA-256 digest of each task's file."""
BBEH_MINI = DatasetSource(
    source=f"{BBEH.source}/mini/data.json",
    type="json",
    revision=_BBEH_REVISION,
    sha256="14e77b3d6be68faa008d268abf53b1f8d2420ffdd762504a304dafc3f8d43026",
    licence="CC-BY-4.0",
    verified=460,
)


def bbeh_file(task: str) -> DatasetSource:
    """Return the pinned file of a task, an object that holds the rows under `examples`."""
    return replace(
        BBEH, source=f"{BBEH.source}/benchmark_tasks/bbeh_{task}/task.json", sha256=BBEH_DIGESTS[task], verified=None
    )


MUSR = DatasetSource(  # a split for each domain
    source="TAUR-Lab/MuSR",
    revision="7c365b439a222150f317764d4f16ae6c96d7d94a",
    licence="CC-BY-4.0",
)

_BBEH_PAPER = "https://arxiv.org/abs/2502.19187"
_BBEH_HOMEPAGE = "https://github.com/google-deepmind/bbeh"

BENCHMARKS: dict[str, BenchmarkMetadata] = dict(
    [
        entry(
            "bbh",
            "bbh",
            "BIG-Bench Hard",
            "27 tasks that early language models failed: logic, counting, sorting, brackets, time, humour.",
            category="reasoning",
            tags=("reasoning", "big-bench"),
            dataset=BBH,
            samples=6511,
            paper="https://arxiv.org/abs/2210.09261",
            homepage="https://github.com/suzgunmirac/BIG-Bench-Hard",
            notes=(
                "Zero-shot by default; -T prompt=official uses the paper's examples, which are downloaded once.",
                "The paper's figure is macro, the mean over 23 tasks: variants with 3, 5 and 7 objects count as one.",
            ),
            lettered=False,
        ),
        entry(
            "bbeh",
            "bbeh",
            "BIG-Bench Extra Hard",
            "A harder replacement for each of BIG-Bench Hard's 23 tasks: long, with distractors and many steps.",
            category="reasoning",
            tags=("reasoning", "big-bench"),
            dataset=BBEH,
            samples=4520,
            paper=_BBEH_PAPER,
            homepage=_BBEH_HOMEPAGE,
            notes=("The paper's figure is harmonic, the harmonic mean over the tasks, which low accuracies dominate.",),
            lettered=False,
        ),
        entry(
            "bbeh_mini",
            "bbeh",
            "BIG-Bench Extra Hard mini",
            "Twenty questions of each task of BIG-Bench Extra Hard.",
            category="reasoning",
            tags=("reasoning", "big-bench"),
            dataset=BBEH_MINI,
            samples=460,
            paper=_BBEH_PAPER,
            homepage=_BBEH_HOMEPAGE,
            notes=("The rows do not name their tasks, so accuracy is over all questions, as in the paper.",),
            lettered=False,
        ),
        entry(
            "musr",
            "musr",
            "MuSR",
            "Stories about murders, moved objects and teams, with questions that require several steps.",
            category="reasoning",
            tags=("reasoning", "reading", "long-context"),
            dataset=MUSR,
            samples=756,
            paper="https://arxiv.org/abs/2310.16049",
            homepage="https://github.com/Zayne-sprague/MuSR",
            notes=("Without the paper's hints on how to solve each domain.",),
        ),
    ]
)

GROUPS: dict[str, BenchmarkGroup] = {}
