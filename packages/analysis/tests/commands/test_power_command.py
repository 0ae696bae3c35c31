"""`bench power`."""

import subprocess
import sys

import pytest


def test_what_benchmarks_can_find(bench, tmp_path):
    done = bench("power", "--samples", 1319, cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert (
        done.out
        == """\
samples  differ  difference  McNemar  no worse by  equivalent
  1,319      5%      0.0172   0.0177       0.0153      0.0180
  1,319     10%      0.0243   0.0250       0.0217      0.0255
  1,319     15%      0.0298   0.0305       0.0265      0.0312
  1,319     20%      0.0344   0.0351       0.0306      0.0360
  1,319     30%      0.0421   0.0429       0.0375      0.0441

differ: the share of samples on which the scores of the two systems differ.
difference: the smallest true one that is found with 80% probability, two-sided
  at 0.05.
no worse by, equivalent: the margins that equally good systems are shown to
  keep, one-sided at 0.05.
McNemar: by the exact test, which is the default for scores of 0 and 1.
"""
    )


def test_how_many_samples_a_difference_takes(bench, tmp_path):
    done = bench("power", "--effect", -0.03, "--discordance", 0.1, "--discordance", 0.02, cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert (
        done.out
        == """\
differ  samples needed  by McNemar
   10%             865         920
    2%               -           -

differ: the share of samples on which the scores of the two systems differ.
A true difference of 0.03 is to be found with 80% probability, two-sided at
  0.05.
McNemar: by the exact test, which is the default for scores of 0 and 1.
"""
    )


def test_the_benchmarks_that_are_named(bench, tmp_path):
    done = bench("power", "gsm8k", "mmlu", "--effect", 0.02, "--discordance", 0.1, "--json", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    told = done.json()
    assert told["request"] == {"effect": 0.02, "power": 0.8, "alpha": 0.05}
    assert [(each["benchmark"], each["samples"]) for each in told["figures"]] == [("gsm8k", 1319), ("mmlu", 14042)]
    small, large = told["figures"]
    assert small["power"] < 0.8 < large["power"]
    assert small["samples_needed"] == large["samples_needed"] == 1955
    assert small["epochs_needed"] is None


def test_epochs_help_by_the_noise_within_samples(bench, tmp_path):
    options = ("--effect", 0.03, "--discordance", 0.2, "--within", 0.5, "--markdown")
    done = bench("power", "gsm8k", *options, "--epochs", 1, "--epochs", 4, cwd=tmp_path)
    assert (done.code, done.err) == (0, "")
    assert (
        done.out
        == """\
| benchmark | samples | differ | epochs | power | samples needed | epochs needed |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
| gsm8k | 1,319 | 20% | 1 | 68.5% | 1,737 | 2 |
| gsm8k | 1,319 | 20% | 4 | 87% | 1,086 | 2 |

- differ: the share of samples on which the scores of the two systems differ.
- A true difference of 0.03 is to be found with 80% probability, two-sided at 0.05.
"""
    )


def test_a_pilot_is_measured(bench, make_log, tmp_path):
    before = {f"s{number}": [int(number < 60)] for number in range(100)}
    after = {f"s{number}": [int(number < 65 or number > 95)] for number in range(100)}
    make_log("a.json", before)
    make_log("b.eval", after, model="local/b\x1b[31m")
    (tmp_path / "broken.json").write_text("{}")
    done = bench("power", "--from", "a.json", "--from", "b.eval", "--from", "broken.json", cwd=tmp_path)
    assert done.code == 0
    assert done.err.startswith("Warning: broken.json")
    assert "quiz           100      9%" in done.out
    assert "quiz: 9.0% of samples differ between local/a and local/b\\x1b[31m." in done.out
    alone = bench("power", "--from", "a.json", cwd=tmp_path)
    assert (alone.code, alone.out) == (1, "")
    assert "a.json is the only run of quiz, in one epoch." in alone.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "Name a benchmark, or give --samples, --effect or --from."),
        (("--samples", 10, "--power", 1), "--power 1.0: expected a number between 0 and 1."),
        (("--samples", 10, "--alpha", 5), "--alpha 5.0: expected a number between 0 and 1."),
        (("--samples", 10, "--discordance", 10), "--discordance 10.0: expected a number between 0 and 1."),
        (("--samples", 10, "--effect", 0), "--effect 0.0: expected a difference other than 0, below 1."),
        (("gsm9k",), "gsm9k: no benchmark, group or path of this name. Did you mean gsm8k"),
        (("--from", "nowhere"), "nowhere does not exist."),
        (
            ("gsm8k", "--epochs", 4),
            "--epochs 4: how much of the variance is noise between epochs is not known. Give --within SHARE, or --from",
        ),
    ],
)
def test_what_cannot_be_answered_is_refused(bench, tmp_path, arguments, message):
    done = bench("power", *arguments, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"bench: {message}")


def test_nothing_of_weight_is_imported_without_logs():
    program = (
        "import sys; from openbench_analysis.commands.power import command; command(['gsm8k'])\n"
        "print(sorted({'inspect_ai', 'datasets', 'pandas'} & {*sys.modules}))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
