"""Means, intervals and groups, against their definitions; figures are computed by hand unless stated otherwise."""

import math
import random
import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st
from inspect_ai.scorer import CORRECT, INCORRECT, SampleScore, Score

from openbench.errors import UsageError
from openbench_scorers import _registry
from openbench_scorers.means import by_group, clustered_stderr, macro_average, micro_average, wilson


def scores(*values, **metadata):
    """Make scores; each key of the metadata has a value for each of them."""
    return [
        SampleScore(
            score=Score(value=value),
            sample_id=number,
            sample_metadata={key: held[number] for key, held in metadata.items()} or None,
        )
        for number, value in enumerate(values)
    ]


def approx(expected):
    return pytest.approx(expected, abs=1e-9, nan_ok=True)


def clustered(values, key="passage"):
    return clustered_stderr(key)(values)["clustered_stderr"]


def test_clustered_standard_error():
    # Clusters a: 1, 1 and b: 0, 0, with mean 1/2: deviations sum to 1 and -1; sqrt(2 / 1 * 2) / 4.
    assert clustered(scores(1, 1, 0, 0, passage="aabb")) == approx(0.5)
    # Without correlation it is the ordinary one.
    values = [1.0, 0.0, 1.0, 1.0, 0.0]
    assert clustered(scores(*values, passage="abcde")) == approx(statistics.stdev(values) / math.sqrt(5))


CLUSTERS = [0, 0, 0, 1, 1, 2, 2, 3, 4, 4]


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        # statsmodels 0.15.0: OLS of the mean, cov_type="cluster", use_t=True
        ([0.2, 0.9, 0.5, 0.7, 0.1, 0.4, 0.8, 0.95, 0.3, 0.6], (0.06098668, 0.37567383, 0.71432617)),
        # its standard error; the interval is Wilson's, with n = p (1 - p) / 0.19748418^2 and scipy's t of 4
        ([1, 1, 1, 0, 0, 1, 0, 1, 1, 0], (0.19748418, 0.17486357, 0.91392055)),
    ],
)
def test_clustered_intervals_have_one_degree_of_freedom_less_than_clusters(values, expected):
    figures = clustered_stderr("passage")(scores(*values, passage=CLUSTERS))
    assert list(figures) == ["clustered_stderr", "clustered_lower", "clustered_upper", "clusters"]
    assert tuple(figures.values()) == pytest.approx((*expected, 5), abs=1e-7)


def test_samples_without_a_cluster_are_clusters_of_their_own():
    values = [1.0, 0.0, 1.0, 1.0, 0.0]
    plain = statistics.stdev(values) / math.sqrt(5)
    assert clustered(scores(*values)) == approx(plain)
    assert clustered(scores(*values, passage=[None, "1", None, None, None])) == approx(plain)
    assert clustered(scores(1, 0, passage=[["a"], ["b"]])) == approx(0.5)


@pytest.mark.parametrize(("values", "count"), [(scores(1, 0, passage="aa"), 1), ([], 0)])
def test_one_cluster_has_no_interval(values, count):
    *unknown, clusters = clustered_stderr("passage")(values).values()
    assert all(map(math.isnan, unknown))
    assert clusters == count


@pytest.mark.parametrize(
    ("right", "count", "level", "lower", "upper"),
    [
        # Newcombe 1998, Two-sided confidence intervals for the single proportion, table I
        (81, 263, 0.95, 0.2553, 0.3662),
        (15, 148, 0.95, 0.0624, 0.1605),
        (0, 20, 0.95, 0.0000, 0.1611),
        (1, 29, 0.95, 0.0061, 0.1718),
        (20, 20, 0.95, 0.8389, 1.0000),
    ],
)
def test_wilson(right, count, level, lower, upper):
    figures = wilson(level)(scores(*[CORRECT] * right, *[INCORRECT] * (count - right)))
    assert figures == pytest.approx({"wilson_lower": lower, "wilson_upper": upper}, abs=5e-5)


def test_wilson_of_scores_outside_0_to_1():
    nothing = {"wilson_lower": math.nan, "wilson_upper": math.nan}
    assert wilson()([]) == approx(nothing)
    assert wilson()(scores(7.0, 8.0)) == approx(nothing)


def test_a_groups_interval_knows_its_sample_count():
    few, many = scores(1, 0, subject="aa"), scores(*[1, 0] * 50, subject="b" * 100)
    figures = by_group("subject")(few + many)
    assert list(figures) == ["a", "a_lower", "a_upper", "a_count", "b", "b_lower", "b_upper", "b_count"]
    assert (figures["a"], figures["a_count"], figures["b"], figures["b_count"]) == (0.5, 2, 0.5, 100)
    for name, group in (("a", few), ("b", many)):
        alone = wilson()(group)
        assert (figures[f"{name}_lower"], figures[f"{name}_upper"]) == approx(tuple(alone.values()))
    assert figures["b_lower"] > figures["a_lower"]


def test_several_keys_make_a_group_together():
    figures = by_group(["subject", "level"])(scores(1, 0, 1, subject="aab", level=[1, 2, None]))
    assert [name for name in figures if "_" not in name] == ["a/1", "a/2", "b/(none)"]
    assert (figures["a/1"], figures["a/2"], figures["b/(none)"]) == (1.0, 0.0, 1.0)


@pytest.mark.parametrize(
    ("metadata", "names"),
    [
        ({"a": ["x/y", "x"], "b": ["z", "y/z"]}, ["'x'/'y/z'", "'x/y'/'z'"]),
        ({"a": [1, "1"], "b": "zz"}, ["'1'/'z'", "1/'z'"]),
        ({"a": [None, "(none)"], "b": "zz"}, ["'(none)'/'z'", "(none)/'z'"]),
        ({"a": [["x"], "['x']"], "b": "zz"}, ["\"['x']\"/'z'", "['x']/'z'"]),
        ({"a": [True, 1], "b": [2, 2]}, ["1/2", "True/2"]),
    ],
)
def test_groups_are_distinguished_by_their_values(metadata, names):
    values = scores(1, 0, **metadata)
    figures = by_group(["a", "b"])(values)
    assert [name for name in figures if f"{name}_count" in figures] == names
    assert [figures[f"{name}_count"] for name in names] == [1, 1]
    # Of groups of one sample each, it is that of all samples.
    assert macro_average(["a", "b"])(values)["macro_stderr"] == approx(0.5)


def test_a_groups_name_differs_from_other_groups_figures():
    figures = by_group("subject")(scores(1, 0, 1, subject=["a", "a_lower", "a"]))
    assert (figures["'a'"], figures["'a'_count"], figures["'a_lower'"], figures["'a_lower'_count"]) == (1.0, 2, 0.0, 1)
    assert len(figures) == 8


def test_clusters_are_distinguished_by_their_values():
    same = clustered(scores(1, 1, 0, 0, passage="aabb"))
    assert clustered(scores(1, 1, 0, 0, passage=[1, 1, "1", "1"])) == approx(same)
    assert clustered(scores(1, 1, 0, 0, passage=["(none)"] * 2 + ["0"] * 2)) == approx(same)


def test_a_missing_key_ends_no_run():
    assert by_group("subject")(scores(1, 0))["(none)_count"] == 2


def test_groups_of_other_scores_have_t_intervals():
    figures = by_group("subject")(scores(4.0, 6.0, 9.0, subject="aab"))
    # t with one degree of freedom: 12.706
    assert (figures["a"], figures["a_lower"], figures["a_upper"]) == pytest.approx(
        (5.0, 5 - 12.7062, 5 + 12.7062), abs=1e-3
    )
    assert math.isnan(figures["b_lower"])


def test_graded_scores_have_t_intervals():
    # scipy 1.17.1: t.interval(0.95, 4, mean, sem)
    figures = by_group("subject")(scores(0.2, 0.5, 0.9, 0.55, 0.7, subject="aaaaa"))
    assert (figures["a_lower"], figures["a_upper"]) == approx((0.24860324292680103, 0.8913967570731991))


@pytest.mark.parametrize("value", [CORRECT, 0.5])
def test_equal_scores_show_no_spread(value):
    figures = by_group("subject")(scores(value, value, value, subject="aaa"))
    assert (figures["a_lower"], figures["a_upper"]) == approx(tuple(wilson()(scores(value, value, value)).values()))
    assert math.isnan(by_group("subject")(scores(7.0, 7.0, subject="aa"))["a_lower"])


# scipy 1.17.1: t.ppf(1 - (1 - level) / 2, df)
@pytest.mark.parametrize(
    ("df", "level", "quantile"),
    [
        (1, 0.95, 12.706204736174694),
        (2, 0.99, 9.924843200918287),
        (4, 0.95, 2.7764451051977934),
        (9, 0.9, 1.833112932656237),
        (19, 0.95, 2.0930240544083087),
        (99, 0.99, 2.626405457280827),
        (1000, 0.95, 1.9623390808264083),
    ],
)
def test_quantiles_of_t(df, level, quantile):
    values = [2.0 * (n % 3) for n in range(df + 1)]
    figures = by_group("subject", level)(scores(*values, subject=["a"] * len(values)))
    error = statistics.stdev(values) / math.sqrt(len(values))
    assert (figures["a_upper"] - figures["a_lower"]) / 2 / error == pytest.approx(quantile, rel=1e-9)


def test_coverage():
    """About 95 % of 95 % intervals contain the mean; with 300 draws, it is within 0.025 in two of three cases."""
    chance, graded, few, normal = random.Random(1), 0, 0, 0  # noqa: S311 -- seeded
    for _ in range(300):
        figures = by_group("subject")(scores(*(chance.betavariate(8, 2) for _ in range(10)), subject="a" * 10))
        graded += figures["a_lower"] <= 0.8 <= figures["a_upper"]
        passages = [chance.gauss(0, 1) for _ in range(5)]
        values = [passage + chance.gauss(0, 1) for passage in passages for _ in range(8)]
        figures = clustered_stderr("passage")(scores(*values, passage=[n // 8 for n in range(40)]))
        few += figures["clustered_lower"] <= 0 <= figures["clustered_upper"]
        normal += abs(statistics.fmean(values)) <= 1.96 * figures["clustered_stderr"]
    assert 0.92 <= graded / 300 <= 0.98
    assert 0.92 <= few / 300 <= 0.98
    assert normal / 300 < 0.91  # why the interval is not the standard error times 1.96


def test_macro_and_micro():
    values = scores(1, 0, 1, 1, 1, 0, 1, 0, subject="aabbbbbb")
    # a: 1/2, with variance of the mean 1/4; b: 4/6, with 4/15/6.
    assert macro_average("subject")(values) == approx(
        {"macro": (1 / 2 + 4 / 6) / 2, "macro_stderr": math.sqrt(1 / 4 + 4 / 90) / 2}
    )
    assert micro_average()(values) == approx(
        {"micro": 5 / 8, "micro_stderr": statistics.stdev([1, 0, 1, 1, 1, 0, 1, 0]) / math.sqrt(8)}
    )


def test_a_group_of_one_has_the_spread_of_the_others():
    # The variances of a and b are 1/2 and 1/4: pooled (1 * 1/2 + 3 * 1/4) / (1 + 3) = 5/16.
    figures = macro_average("subject")(scores(1, 0, 1, 1, 1, 0, 1, subject="aabbbbc"))
    error = math.sqrt(1 / 4 + 1 / 16 + 5 / 16) / 3
    assert figures == approx({"macro": (1 / 2 + 3 / 4 + 1) / 3, "macro_stderr": error})
    assert math.isnan(macro_average("subject")(scores(1, subject="a"))["macro_stderr"])


def test_no_samples():
    assert by_group("subject")([]) == {}
    assert macro_average("subject")([]) == approx({"macro": math.nan, "macro_stderr": math.nan})
    assert micro_average()([]) == approx({"micro": math.nan, "micro_stderr": math.nan})


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: by_group([]), "keys=[]: expected a key of the samples' metadata, or several."),
        (lambda: by_group(""), "keys='': expected a key of the samples' metadata, or several."),
        (lambda: macro_average([""]), "keys=['']: expected a key of the samples' metadata, or several."),
        (lambda: by_group(5), "keys=5: expected a key of the samples' metadata, or several."),
        (lambda: macro_average(["a", 1]), "keys=['a', 1]: expected a key of the samples' metadata, or several."),
        (lambda: wilson("0.9"), "level='0.9': expected a number between 0 and 1, such as 0.95."),
        (lambda: clustered_stderr(5), "clustered_stderr: cluster=5: expected a key of the samples' metadata."),
        (lambda: by_group("a", level=95), "level=95: expected a number between 0 and 1, such as 0.95."),
        (lambda: clustered_stderr("a", level=95), "level=95: expected a number between 0 and 1, such as 0.95."),
        (lambda: wilson(1.0), "level=1.0: expected a number between 0 and 1, such as 0.95."),
        (lambda: clustered_stderr(""), "clustered_stderr: cluster='': expected a key of the samples' metadata."),
    ],
)
def test_wrong_arguments_are_refused_before_the_run(make, message):
    with pytest.raises(UsageError) as error:
        make()
    assert str(error.value) == message


SAMPLES = st.lists(st.tuples(st.floats(0, 1), st.sampled_from("abc"), st.sampled_from([1, None])), max_size=30)
ALL = [by_group("subject"), by_group(["subject", "level"]), macro_average("subject"), micro_average(), wilson(),
       clustered_stderr("subject")]  # fmt: skip


@given(SAMPLES, st.randoms())
def test_order_does_not_matter(samples, chance):
    values = scores(*(s[0] for s in samples), subject=[s[1] for s in samples], level=[s[2] for s in samples])
    shuffled = chance.sample(values, len(values))
    for metric in ALL:
        assert metric(shuffled) == approx(metric(values))


@given(SAMPLES, SAMPLES)
def test_a_merged_set_is_the_whole(one, other):
    values = scores(*(s[0] for s in one + other), subject=[s[1] for s in one + other])
    parts = [values[: len(one)], values[len(one) :]]
    figures = by_group("subject")([*parts[1], *parts[0]])
    for name in "abc":
        group = [score for score in values if score.sample_metadata["subject"] == name]
        assert (f"{name}_count" in figures) == bool(group)
        if group:
            assert figures[f"{name}_count"] == len(group)
            assert figures[name] == approx(sum(score.score.value for score in group) / len(group))


def test_all_means_are_registered():
    for name in ("by_group", "clustered_stderr", "macro_average", "micro_average", "wilson"):
        assert name in _registry.__all__
