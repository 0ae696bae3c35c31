"""Run one workload with one program in a process of its own, and write values, seconds and peak memory."""

import argparse
import json
import resource
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch
from loglikelihood.workloads import WORKLOADS, Asked, awkward, texts
from transformers import AutoModelForCausalLM, AutoTokenizer

from openbench_loglikelihood.local.model import LocalModel
from openbench_loglikelihood.request import Request

Result = dict[str, Any]


def ours(model: Any, tokenizer: Any, arguments: argparse.Namespace) -> Callable[[list[Asked]], Result]:
    """Return what scores requests with openbench-loglikelihood."""
    batch = "auto" if arguments.batch == "auto" else int(arguments.batch)
    local = LocalModel(model, tokenizer, batch_tokens=batch)
    _ = local.shares_work

    def run(asked: list[Asked]) -> Result:
        found = dict(local.loglikelihoods([Request(context, options) for context, options, _ in asked]))
        values = [[(s.loglikelihood, s.greedy) for s in found[index]] for index in range(len(asked))]
        return {"values": values, "distinct": local.work.distinct, "computed": local.work.computed}

    def rolling() -> list[float]:
        found = dict(local.rolling(texts()))
        return [found[index].loglikelihood for index in range(len(found))]

    run.rolling = rolling  # type: ignore[attr-defined]
    return run


def harness(model: Any, tokenizer: Any, arguments: argparse.Namespace) -> Callable[[list[Asked]], Result]:
    """Return what scores requests with lm-evaluation-harness."""
    from lm_eval.api.instance import Instance  # noqa: PLC0415 - ours is measured without it
    from lm_eval.models.huggingface import HFLM  # noqa: PLC0415 - likewise

    class Counted(HFLM):  # type: ignore[misc]
        """The harness's own, which counts the tokens that the model reads."""

        read = 0

        def _model_call(self, inps: torch.Tensor, *args: Any, **kwargs: Any) -> torch.Tensor:
            self.read += inps.numel()
            logits: torch.Tensor = super()._model_call(inps, *args, **kwargs)
            return logits

    device = str(model.device)
    lm = Counted(pretrained=model, tokenizer=tokenizer, batch_size=arguments.batch, device=device, max_batch_size=256)

    def run(asked: list[Asked]) -> Result:
        lm.read = 0
        pairs = [(context, option) for context, options, _ in asked for option in options]
        made = [Instance("loglikelihood", {}, pair, index) for index, pair in enumerate(pairs)]
        values = iter(lm.loglikelihood(made, disable_tqdm=True))
        return {"values": [[next(values) for _ in options] for _, options, _ in asked], "computed": lm.read}

    def rolling() -> list[float]:
        made = [Instance("loglikelihood_rolling", {}, (text,), index) for index, text in enumerate(texts())]
        return list(lm.loglikelihood_rolling(made, disable_tqdm=True))

    run.rolling = rolling  # type: ignore[attr-defined]
    return run


def main() -> None:
    """Run what the command line names, and write its result, with its warnings, as JSON."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        result = measured()
    announced = [str(each.message) for each in caught]
    json.dump({**result, "warnings": announced}, sys.stdout)


def measured() -> Result:
    """Run what the command line names, and return its values, seconds and peak memory."""
    parser = argparse.ArgumentParser()
    parser.add_argument("program", choices=["ours", "harness"])
    parser.add_argument("model", type=Path)
    parser.add_argument("workload", choices=[*WORKLOADS, "awkward", "rolling"])
    parser.add_argument("--samples", type=int, default=100)
    parser.add_argument("--batch", default="auto")
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--device", default="cpu")
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    tokenizer = AutoTokenizer.from_pretrained(arguments.model)
    kind = getattr(torch, arguments.dtype)
    model = AutoModelForCausalLM.from_pretrained(arguments.model, dtype=kind).eval().to(arguments.device)
    run = {"ours": ours, "harness": harness}[arguments.program](model, tokenizer, arguments)
    result: Result
    if arguments.workload == "rolling":
        result = {"values": [[(value, True)] for value in run.rolling()]}  # type: ignore[attr-defined]
    else:
        asked = awkward() if arguments.workload == "awkward" else WORKLOADS[arguments.workload](arguments.samples)
        before = _peak(arguments.device)
        start, used = time.perf_counter(), time.process_time()
        result = run(asked)
        result |= {"seconds": time.perf_counter() - start, "cpu": time.process_time() - used}
        result |= {"before": before, "peak": _peak(arguments.device)}
    return result


def _peak(device: str) -> float:
    """Return the highest memory use so far, in MiB."""
    if device.startswith("cuda"):
        return float(torch.cuda.max_memory_allocated()) / 2**20
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**10


if __name__ == "__main__":
    main()
