"""Seconds until the page of `bench report` can be used in Chromium, its size, and what it takes to make it."""

import argparse
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import product
from pathlib import Path

from inspect_ai.log import (
    EvalLog,
    EvalMetric,
    EvalResults,
    EvalSample,
    EvalScore,
    EvalSpec,
    EvalStats,
    write_eval_log,
)
from inspect_ai.model import ChatMessageUser, ModelOutput, ModelUsage
from inspect_ai.scorer import Score
from playwright.sync_api import Browser, sync_playwright

BENCH = str(Path(sys.executable).with_name("bench"))
WORDS = ["the", "answer", "follows", "from", "what", "was", "given", "since", "each", "step", "uses", "one", "rule"]
DATE = "2026-11-20T12:00:00+00:00"
GROUPED = {"name": "grouped", "options": {"group_key": "subject"}}
OPENED, BYTES = 2.0, 15e6  # the bounds


def text(words: int, seed: str) -> str:
    """Return words, the same for the same seed."""
    return " ".join(random.Random(seed).choices(WORDS, k=words))  # noqa: S311 - no secret


def sample(model: str, benchmark: str, number: int, skill: float) -> EvalSample:
    """Return a sample that this model answers well or not, as a real log holds it."""
    shared, own = random.Random(f"{benchmark} {number}"), random.Random(f"{model} {benchmark} {number}")  # noqa: S311
    question, target = text(80, f"{benchmark} {number}"), shared.choice("ABCD")
    right = own.random() < skill * (1.6 - shared.random())
    answer = target if right else own.choice("ABCD")
    completion = f"{text(150, f'{model} {number}')}\n\nANSWER: {answer}"
    usage = {model: ModelUsage(input_tokens=120, output_tokens=200, total_tokens=320)}
    score = Score(value="C" if answer == target else "I", answer=answer, explanation=completion)
    if own.random() < 0.01:  # noqa: PLR2004 - some do not answer
        score = Score(value="I", answer="", explanation=text(150, f"{model} {number}"), reason="no_response")
    if own.random() < 0.01:  # noqa: PLR2004 - some are cut off
        score.metadata = {"stop_reason": "truncated"}
    return EvalSample(
        id=f"{benchmark}-{number}",
        epoch=1,
        input=question,
        target=target,
        messages=[ChatMessageUser(content=question)],
        output=ModelOutput.from_content(model, completion),
        scores={"choice": score},
        metadata={
            "openbench_content": f"{benchmark} {number}",
            "subject": f"subject {number % 12}",
            "confidence": own.randint(30, 100),
        },
        model_usage=usage,
        working_time=1.5,
    )


def write(folder: str, model: str, benchmark: str, samples: int, skill: float) -> None:
    """Write the log of a model on a benchmark."""
    made = [sample(model, benchmark, number, skill) for number in range(samples)]
    right = sum(each.scores["choice"].value == "C" for each in made if each.scores) / samples
    usage = {model: ModelUsage(input_tokens=120 * samples, output_tokens=200 * samples, total_tokens=320 * samples)}
    log = EvalLog(
        status="success",
        eval=EvalSpec.model_validate(
            {
                "created": DATE,
                "task": benchmark,
                "model": model,
                "dataset": {"name": benchmark, "samples": samples},
                "config": {},
                "scorers": [{"name": "choice", "metrics": [GROUPED]}],
            }
        ),
        results=EvalResults(
            total_samples=samples,
            completed_samples=samples,
            scores=[
                EvalScore(
                    name="choice", scorer="choice", metrics={"accuracy": EvalMetric(name="accuracy", value=right)}
                )
            ],
        ),
        stats=EvalStats(started_at=DATE, completed_at="2026-11-20T12:05:00+00:00", model_usage=usage),
        samples=made,
    )
    write_eval_log(log, f"{folder}/{model.replace('/', '_')}_{benchmark}.eval")


def seconds_to_load(browser: Browser, page: Path) -> float:
    """Return the seconds until the page is drawn and its script has run, in a browser that has not seen it before."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    tab = context.new_page()
    start = time.perf_counter()
    tab.goto(page.as_uri(), wait_until="load")
    tab.wait_for_function("document.querySelector('#browse-place').textContent.includes(' of ')")
    tab.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
    took = time.perf_counter() - start
    context.close()
    return took


def runs(models: int, benchmarks: int) -> Iterator[tuple[str, str, float]]:
    """Yield each model with each benchmark, and how good it is."""
    for model, benchmark in product(range(models), range(benchmarks)):
        yield f"maker/model-{model + 1}", f"benchmark_{benchmark + 1}", 0.35 + 0.02 * model


def main() -> None:
    """Write logs, make the page, open it, and print what that took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--models", type=int, default=20)
    parser.add_argument("--benchmarks", type=int, default=15)
    parser.add_argument("--samples", type=int, default=1_000)
    parser.add_argument("--logs", type=Path, help="where logs are kept, and not written again if there are any")
    given = parser.parse_args()
    chromium = shutil.which("chromium")
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        logs = given.logs or Path(temporary) / "logs"
        if not logs.exists():
            logs.mkdir(parents=True)
            with ProcessPoolExecutor() as pool:
                for model, benchmark, skill in runs(given.models, given.benchmarks):
                    pool.submit(write, str(logs), model, benchmark, given.samples, skill)
        page = Path(temporary) / "report.html"
        start = time.perf_counter()
        subprocess.run([BENCH, "report", str(logs), "-o", str(page)], check=True)
        print(f"made in {time.perf_counter() - start:.1f} s")
        browser = playwright.chromium.launch(executable_path=chromium)
        took = [seconds_to_load(browser, page) for _ in range(5)]
        browser.close()
        size = page.stat().st_size
        fastest, slowest = min(took), max(took)
        print(f"opened in {statistics.median(took):.2f} s ({fastest:.2f} to {slowest:.2f}), bound {OPENED}")
        print(f"{size / 1e6:.2f} MB, bound {BYTES / 1e6:.0f}")


if __name__ == "__main__":
    main()
