"""The task functions. Names are Horangi's with a prefix: `horangi_kmmlu` is Horangi's `kmmlu`."""

from collections.abc import Callable
from typing import Literal, get_args

from inspect_ai import Task, task
from inspect_ai.dataset import Sample

from openbench_authoring import create_benchmark
from openbench_horangi.configurations import declaration
from openbench_horangi.metadata import BENCHMARKS, PREFIX
from openbench_judges.panel import IDEAL
from openbench_scorers.options import one_of

Prompts = Literal["ours", "official"]

WAIVERS = {
    "metadata": "rows are pinned by the address of a Weave object, which has neither a commit nor a sha256",
    "letters": "rows require a Weave API key and are not included in the package",
}


def _benchmark(name: str) -> Callable[..., Task]:
    def benchmark(shuffle: bool = False, limit: int | None = None, prompts: Prompts = "ours") -> Task:
        return _declared(name, shuffle=shuffle, limit=limit, prompts=prompts)

    benchmark.__name__ = benchmark.__qualname__ = PREFIX + name
    benchmark.__doc__ = f"""Run {BENCHMARKS[PREFIX + name].name.removeprefix("Horangi: ")} on Horangi's subset.

    Args:
        shuffle: Shuffle the samples.
        limit: The number of samples.
        prompts: `ours` for openbench's prompts, `official` for Horangi's, downloaded at a pinned commit.
    """
    return task(benchmark)


horangi_haerae_bench_v1 = _benchmark("haerae_bench_v1")
horangi_haerae_bench_v1_rc = _benchmark("haerae_bench_v1_rc")
horangi_haerae_bench_v1_wo_rc = _benchmark("haerae_bench_v1_wo_rc")
horangi_hrm8k = _benchmark("hrm8k")
horangi_kmmlu = _benchmark("kmmlu")
horangi_kmmlu_pro = _benchmark("kmmlu_pro")
horangi_ko_aime2025 = _benchmark("ko_aime2025")
horangi_ko_arc_agi = _benchmark("ko_arc_agi")
horangi_ko_balt_700 = _benchmark("ko_balt_700")
horangi_ko_balt_700_semantic = _benchmark("ko_balt_700_semantic")
horangi_ko_balt_700_syntax = _benchmark("ko_balt_700_syntax")
horangi_ko_hallulens_generated = _benchmark("ko_hallulens_generated")
horangi_ko_hallulens_longwiki = _benchmark("ko_hallulens_longwiki")
horangi_ko_hallulens_mixed = _benchmark("ko_hallulens_mixed")
horangi_ko_hallulens_nonexistent = _benchmark("ko_hallulens_nonexistent")
horangi_ko_hallulens_wikiqa = _benchmark("ko_hallulens_wikiqa")
horangi_ko_hellaswag = _benchmark("ko_hellaswag")
horangi_ko_hle = _benchmark("ko_hle")
horangi_ko_moral = _benchmark("ko_moral")
horangi_ko_mtbench = _benchmark("ko_mtbench")
horangi_ko_truthful_qa = _benchmark("ko_truthful_qa")
horangi_kobbq = _benchmark("kobbq")
horangi_korean_hate_speech = _benchmark("korean_hate_speech")
horangi_squad_kor_v1 = _benchmark("squad_kor_v1")


def reference(sample: Sample) -> str:
    """Return the target, or a placeholder for an ideal answer if the sample has none."""
    target = sample.target if isinstance(sample.target, str) else sample.target[0]
    if target or (sample.metadata or {}).get("turn2"):
        return target or IDEAL
    return "그것에 대해서는 알려진 바가 없습니다."


def _declared(name: str, *, shuffle: bool, limit: int | None, prompts: Prompts) -> Task:
    one_of("prompts", prompts, get_args(Prompts))
    config = declaration(name, official=prompts == "official")
    return create_benchmark(PREFIX + name, config, shuffle=shuffle, limit=limit)
