"""Prices of models, and the options that use them; `--dry-run` itself is tested in openbench-dryrun."""

import pytest

from openbench.errors import UsageError
from openbench.run.prices import Price, parse_price


@pytest.mark.parametrize("text", ["", "1", "1,2,3", "a,b", "-1,2", "nan,1", "inf,1"])
def test_a_price_that_is_not_valid(text):
    with pytest.raises(UsageError, match="--price"):
        parse_price(text)


def test_a_price():
    assert parse_price("2.5,10") == Price(2.5, 10)


def test_a_price_is_for_a_dry_run(bench, quiz):
    done = bench("eval", "quiz.py", "--baseline", "random", "--price", "2,8", cwd=quiz)
    text = "bench: --price needs --dry-run or --cost-limit.\n"
    assert (done.code, done.err) == (2, text)


def test_a_part_of_a_run_is_not_estimated(bench, quiz):
    (quiz / "logs/runs/x").mkdir(parents=True)
    done = bench("eval", "quiz.py", "--baseline", "random", "--resume", "logs/runs/x", "--dry-run", cwd=quiz)
    assert (done.code, done.err) == (2, "bench: --dry-run estimates whole runs. Leave out --resume.\n")


def test_without_its_package_a_dry_run_names_it(bench, quiz):
    done = bench("eval", "quiz.py", "--baseline", "random", "--dry-run", cwd=quiz, OPENBENCH_PLUGINS="acme-nothing")
    start = "bench: bench eval --dry-run comes with openbench-dryrun: pip install openbench-dryrun"
    assert (done.code, done.out, done.err.startswith(start)) == (2, "", True)
