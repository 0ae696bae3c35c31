"""`bench export eval-results`: files that the Hub's own library reads."""

import pytest
import yaml
from huggingface_hub import parse_eval_result_entries
from inspect_ai.log import read_eval_log, write_eval_log

from openbench.errors import LogError, UsageError
from openbench.tasks.provenance import record
from openbench_analysis.exports.eval_results import Choices, write_eval_results
from openbench_analysis.runs import read_run

# The format's fields: https://github.com/huggingface/hub-docs/blob/main/eval_results.yaml
FIELDS = {"dataset", "value", "verifyToken", "date", "source", "notes"}
REVISION, DIGEST = "0123456789abcdef0123456789abcdef01234567", "ab" * 32


@pytest.fixture(scope="module")
def changed(ours, tmp_path_factory):
    """A function that writes the log of ours with other provenance, or another score, and reads it as a run."""
    folder = tmp_path_factory.mktemp("changed")

    def change(name, value=None, **provenance):
        log = read_eval_log(str(ours))
        record(log, **provenance)
        if value is not None:
            log.results.scores[0].metrics["accuracy"].value = value
        write_eval_log(log, str(folder / f"{name}.json"))
        return read_run(str(folder / f"{name}.json"))

    return change


@pytest.fixture(scope="module")
def published(changed):
    """A run of a package's benchmark, which read a dataset of the Hub."""
    dataset = {"source": "org/quiz", "config": None, "split": "test", "revision": REVISION, "rows": 9, "sha256": DIGEST}
    return changed("published", distribution="openbench-quiz", version="1.2.0", rule="only", dataset=dataset)


def test_the_hubs_library_reads_what_was_written(published, tmp_path):
    choices = Choices.of(["quiz=quiz_main"], [], url="https://example.org/logs", user="me")
    (path,) = write_eval_results([published], tmp_path, choices)
    assert path == tmp_path / ".eval_results" / "quiz.yaml"
    (data,) = yaml.safe_load(path.read_text("utf-8"))
    assert set(data) <= FIELDS
    (entry,) = parse_eval_result_entries([data])
    assert (entry.dataset_id, entry.task_id, entry.dataset_revision) == ("org/quiz", "quiz_main", REVISION)
    assert entry.value == published.summary.score
    assert (entry.source_url, entry.source_user) == ("https://example.org/logs", "me")
    assert entry.date == published.log.eval.created[:10]
    assert entry.notes == (
        f"accuracy of 6 of 9 samples, standard error {published.summary.stderr:.2g}; quiz from openbench-quiz 1.2.0 "
        f"(rule: only), openbench-core {published.provenance.core}; rows sha256 {DIGEST}; inspect-ai "
        f"{published.log.eval.packages['inspect_ai']}"
    )
    assert write_eval_results([published], tmp_path, choices) == [path]  # the same again


def test_a_leaderboard_of_another_dataset_and_percentages(published, tmp_path):
    choices = Choices.of(["main"], ["quiz=other/board"], percent=True)
    (path,) = write_eval_results([published], tmp_path, choices)
    (data,) = yaml.safe_load(path.read_text("utf-8"))
    assert data["dataset"] == {"id": "other/board", "task_id": "main"}  # the revision is of the other dataset
    assert data["value"] == pytest.approx(100 / 3)
    with pytest.raises(UsageError, match=r"quiz\.yaml is there already\. Remove it, or write to another folder\.$"):
        write_eval_results([published], tmp_path, Choices.of(["other"], []))


def test_what_is_no_result_is_refused(published, changed, ours, theirs, tmp_path):
    tasks = Choices.of(["main"], [])
    quiz, capitals = read_run(str(ours)), read_run(str(theirs))
    for runs, error, message in (
        ([quiz], UsageError, r"^quiz: the log names no dataset on the Hub\. .*: --dataset quiz=ORGANISATION/NAME$"),
        ([quiz, capitals], UsageError, r"^The logs are of several models: mockllm/model, openai-api/local/m\. "),
        ([published, published], UsageError, r"^There are several logs of quiz\. Name the one to publish\.$"),
        ([changed("few", sample=True, dataset=published.provenance.dataset)], LogError, r"read the sample rows"),
    ):
        with pytest.raises(error, match=message):
            write_eval_results(runs, tmp_path, tasks)
    with pytest.raises(UsageError, match=r"lists: --task-id quiz=ID$"):
        write_eval_results([published], tmp_path, Choices.of(["mmlu=x"], []))
    large = changed("large", 40.0, dataset=published.provenance.dataset)
    with pytest.raises(UsageError, match=r"its score is 40\. --percent is for scores of 0 to 1\.$"):
        write_eval_results([large], tmp_path, Choices.of(["main"], [], percent=True))
    with pytest.raises(UsageError, match=r"^--source-name and --source-user need --source-url\.$"):
        Choices.of(["main"], [], name="logs")
    assert not list(tmp_path.iterdir())


def test_the_command_names_the_files(bench, ours, tmp_path):
    done = bench("export", "eval-results", ours, "-o", "m", "--task-id", "t", "--dataset", "a/b", cwd=tmp_path)
    assert (done.code, done.out) == (0, "m/.eval_results/quiz.yaml\n")
