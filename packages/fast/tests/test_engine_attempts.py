"""What failed attempts took is in the log, whichever engine ran the sample."""

from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.scorer import includes
from inspect_ai.solver import generate, user_message

from openbench.run.usage import attempts_of


def test_a_sample_and_its_failed_attempt_are_all_that_was_used(engine_cases, tmp_path):
    def task():
        steps = [generate(), user_message("Fail once, please."), generate()]
        return Task(dataset=[Sample(id=1, input="one", target="A")], solver=steps, scorer=includes(), name="made")

    logs = {
        engine: engine_cases.run(engine, task(), str(tmp_path), retry_on_error=1) for engine in ("direct", "inspect")
    }
    usages = [[used.total_tokens for used in log.stats.model_usage.values()] for log in logs.values()]
    assert usages[0] == usages[1]
    for log in logs.values():
        [sample] = log.samples
        [before] = attempts_of(sample)["model_usage"].values()
        assert before["total_tokens"] + sample.model_usage["oracle/m"].total_tokens == usages[0][0]
