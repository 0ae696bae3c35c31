"""The metadata of the benchmarks, which `bench list` and `bench describe` read, with the pins of their rows."""

from collections.abc import Mapping

from openbench.metadata import BenchmarkMetadata, DatasetSource

_REVISION = "6ea57973c7a6097fd7c5915698c54c17c5b1b6c8"
_REPOSITORY = f"https://raw.githubusercontent.com/ShishirPatil/gorilla/{_REVISION}"
_PACKAGE = f"{_REPOSITORY}/berkeley-function-call-leaderboard/bfcl_eval"

BFCL = DatasetSource(  # a file of questions and a file of accepted calls for each category
    source=f"{_PACKAGE}/data", type="json", revision=_REVISION, licence="Apache-2.0", verified=1240
)
BFCL_LIVE = DatasetSource(
    source=f"{_PACKAGE}/data", type="json", revision=_REVISION, licence="Apache-2.0", verified=2246
)
QUESTIONS: Mapping[str, str] = {
    "simple_python": "82dd63ba502eb2520c6b5d1d9a5c4b590e03ff261565175561f6228a367d1991",
    "multiple": "aef168155ebd74b7ac2401198b201343bc7d16d7a3d7e0d4e6d8ee82c6969b2a",
    "parallel": "19f51a82eff42e5d62541aa500115a056eb78f437c2ba1f10415fd7c8e5dda84",
    "parallel_multiple": "8863ea8433239f55c5f016154cf0830853c89f693c6ea270396a2fa121960579",
    "irrelevance": "2b6ed4c2e992cdcf5f1678a701851f944bef7550ee026ed1ddb89efed5be01a6",
    "live_simple": "1af2ac87dca47556db7b7e37e51e28b459a38b594e3c7b3c792b4903598ca0c4",
    "live_multiple": "fd8ccfad4d911420d0e3341dbe2fff77d1d341da934248b9bb2bda24ab3a10c8",
    "live_parallel": "6c26e9fdc3350cf596e6d1ea9c179cbff834761bccf562f4141ed29a839ca421",
    "live_parallel_multiple": "21d4b9319c1faac431e22757b367ea28917fe467364c3a4b17f16ec06d4f6e79",
    "live_irrelevance": "6559fda2beaceb609a2cd2e504c65b4a56cb448e1ef88fddfd199e163d163349",
    "live_relevance": "e03f9e241657a137cba48a89ee12f47bf3fcb7e4f6274263e9c699a0c974203a",
}
"""The SHA-256 digests of the question files, by category."""

ANSWERS: Mapping[str, str] = {
    "simple_python": "90cd5bc653690ee8e459b5b3f3fc9458606f7f3fcbf795bb51b7dc581f8c86dc",
    "multiple": "244e00ce9395df948bcafc7bee64e8f9c87ef70887587d83cae45b13699f3047",
    "parallel": "8a6aa19c1adddc6a5a2f7e40f9dbf30cc7e95815e7b830c90589ab318229e0f0",
    "parallel_multiple": "5ebf24f458c1f16300c05505d83d6f0a1b68b79be273a033febd0d4f840507e3",
    "live_simple": "fec9cfa9744a936f9126981e85a2023da1e63e273eafebc81923a1162fad70ce",
    "live_multiple": "97e90d59c5bd76c55a2920ce93e5566e9046307d3f558578f085f9d3a56c3084",
    "live_parallel": "8a9f189ff0e832ebbbbdade1fd95a7dbcc67406e9177df3f0aad76f59ab00350",
    "live_parallel_multiple": "f5b5f360556c5feb51db46fb9f56ee4b304f4b45b161599bbb14161c98a2873f",
}
"""The SHA-256 digests of the files of accepted calls, by category; the other categories have none."""

PROMPT = DatasetSource(  # its constant _DEFAULT_SYSTEM_PROMPT
    source=f"{_PACKAGE}/constants/default_prompts.py",
    type="text",
    revision=_REVISION,
    sha256="4cc033be99ae2b10bbde30e7751ddcac5468cb45841b6dc7b3a97b92adf38205",
    licence="Apache-2.0",
)


def questions_file(category: str) -> DatasetSource:
    """Return the pinned file with a category's questions and functions."""
    return _file(f"data/BFCL_v4_{category}.json", QUESTIONS[category])


def answers_file(category: str) -> DatasetSource:
    """Return the pinned file with a category's accepted calls."""
    return _file(f"data/possible_answer/BFCL_v4_{category}.json", ANSWERS[category])


def _file(path: str, sha256: str) -> DatasetSource:
    return DatasetSource(
        source=f"{_PACKAGE}/{path}", type="json", revision=_REVISION, sha256=sha256, licence="Apache-2.0"
    )


_NOTES = (
    "By default functions are offered as the provider's tools; -T ask=text puts them in the prompt.",
    "A call that cannot be read is wrong everywhere, and no abstention.",
)

BENCHMARKS = {
    "bfcl": BenchmarkMetadata(
        name="BFCL v4, single turn",
        description="Which of the offered functions a model calls with which arguments, and when it calls none",
        category="tools",
        tags=["function-calling", "tools", "bfcl"],
        module_path="openbench_tools.bfcl",
        function_name="bfcl",
        builtin=True,
        dataset=BFCL,
        homepage="https://gorilla.cs.berkeley.edu/leaderboard.html",
        paper="https://openreview.net/forum?id=2GmDdhBdDk",
        samples=1240,
        languages=["en"],
        needs=["tools"],
        notes=_NOTES,
    ),
    "bfcl_live": BenchmarkMetadata(
        name="BFCL v4 live, single turn",
        description="Function calls for questions and functions that users of a public service sent",
        category="tools",
        tags=["function-calling", "tools", "bfcl"],
        module_path="openbench_tools.bfcl",
        function_name="bfcl_live",
        builtin=True,
        dataset=BFCL_LIVE,
        homepage="https://gorilla.cs.berkeley.edu/blogs/12_bfcl_v2_live.html",
        paper="https://openreview.net/forum?id=2GmDdhBdDk",
        samples=2251,
        languages=["en"],
        needs=["tools"],
        notes=_NOTES,
    ),
}
