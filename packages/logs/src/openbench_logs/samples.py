"""The samples of a log in readable form: question, answer, target and score."""

from collections.abc import Iterator
from typing import Any

from inspect_ai.log import EvalLog

from openbench.run.messages import logged_message
from openbench.run.summary import headline_of, score_of


def samples_of(log: EvalLog, *, wrong: bool) -> Iterator[dict[str, Any]]:
    """Yield the samples of a log; `wrong` omits those with the best score: 1, or 0 if lower is better."""
    headline = headline_of(log)
    higher = headline is None or headline.higher_is_better
    for sample in log.samples or ():
        score = None if sample.error else score_of(sample, headline)
        if wrong and score is not None and (score >= 1 if higher else score <= 0):
            continue
        scores = sample.scores or {}
        judged = scores.get(headline.scorer if headline else "") or next(iter(scores.values()), None)
        asked = sample.input if isinstance(sample.input, str) else "\n".join(message.text for message in sample.input)
        yield {
            "sample": sample.id,
            "epoch": sample.epoch,
            "score": score,
            "question": "\n".join([asked, *(sample.choices or ())]),
            "answer": sample.output.completion,
            "extracted": judged.answer if judged else None,
            "target": sample.target if isinstance(sample.target, str) else ", ".join(sample.target),
            "error": logged_message(sample.error) if sample.error else None,
        }
