"""CSV, postscripts and placeholders as models write them."""

import math

import pytest

from openbench.errors import UsageError
from openbench_scorers.csv_format import csv_format, find_csv, score_csv
from openbench_scorers.placeholders import find_placeholders, placeholders, score_placeholders
from openbench_scorers.postscript import postscript, score_postscript
from openbench_scorers.structure import score_html, score_structure

TABLE = "name,age,city\nAda,36,London\nAlan,41,Wilmslow"


@pytest.mark.parametrize(
    ("completion", "has", "separator", "columns"),
    [
        (TABLE, 1, 1, 1),
        (f"Here it is:\n\n{TABLE}\n\nAnything else, perhaps?", 1, 1, 1),
        (f"Sure, of course.\n```csv\n{TABLE}\n```", 1, 1, 1),
        ('name,age,city\n"Lovelace, Ada",36,London', 1, 1, 1),
        (TABLE.replace(",", ";"), 1, 0, 1),
        (TABLE.replace(",", "\t"), 1, 0, 1),
        ("name,age\nAda,36", 1, 1, 0),
        ("name,age,city", 0, 0, 0),  # one row is none
        ("There is no table.", 0, 0, 0),
        ("", 0, 0, 0),
    ],
)
def test_csv(completion, has, separator, columns):
    score = score_csv(completion, ",", 3)
    assert score.value == {"has_csv": has, "separator": separator, "columns": columns}
    assert (score.reason is None) == bool(has)


def test_what_is_not_expected_is_left_out():
    value = score_csv(TABLE).value
    assert value["has_csv"] == 1.0
    assert math.isnan(value["separator"])
    assert math.isnan(value["columns"])


def test_other_separators_are_found_where_they_are_expected():
    assert find_csv("a b\nc d") is None  # any prose would do
    assert find_csv("a b\nc d", " ").columns == 2
    assert find_csv("a|b\nc|d", "|").rows == 2
    assert find_csv('"' * 200_000 + ",\n" + "," * 200_000) is None
    assert find_csv("a,b\n" * 50_000).rows == 50_000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"separator": ", "}, r"separator=', ': expected one character, or one of comma"),
        ({"separator": 3}, "expected one character"),
        ({"separator": []}, "expected one character"),
        ({"columns": 1}, "columns=1: expected a number of at least 2"),
        ({"columns": "three"}, "columns='three': expected a number"),
    ],
)
def test_csv_options(options, message):
    with pytest.raises(UsageError, match=message):
        csv_format(**options)


@pytest.mark.parametrize(
    ("completion", "marker", "value"),
    [
        ("Dear all,\n\nBye.\n\nP.S. I forgot.", "P.S.", "C"),
        ("Bye.\n**P.S.** I forgot.", "P.S.", "C"),
        ("Bye.\np. s.: I forgot.", "P.S.", "C"),
        ("Bye.\nP.S: I forgot.", "P.S.", "C"),
        ("Bye.\nP.P.S. I forgot.", "P.P.S.", "C"),
        ("Bye.\nP.P.S. I forgot.", "P.S.", "I"),
        ("Bye.\nP.S. I forgot.", "P.P.S.", "I"),
        ("P.S. one\nP.P.S. two", "P.P.S.", "C"),
        ("The p.s. was long.", "P.S.", "I"),
        ("Bye.\nP.Sorry", "P.S.", "I"),
        ("Postscript: none", "P.S.", "I"),
        ("", "P.S.", "I"),
    ],
)
def test_postscripts(completion, marker, value):
    assert score_postscript(completion, marker).value == value


def test_postscript_answers():
    assert score_postscript("Bye.\n\nP.S. I forgot.").answer == "P.S. I forgot."
    assert score_postscript("").reason == "no_response"
    with pytest.raises(UsageError, match=r"marker='PS': expected one of 'P.S.', 'P.P.S.'"):
        postscript("PS")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Dear [name], meet me at [address].", ["name", "address"]),
        ("[이름]께", ["이름"]),
        ("- [x] done\n- [ ] open", []),
        ("See [the page](https://example.org) and [1].", []),
        ("[[nested]]", ["nested"]),
        ("[two\nlines]", []),
        ("[" * 100_000, []),
    ],
)
def test_placeholders(text, found):
    assert find_placeholders(text) == found


def test_placeholder_limits():
    assert score_placeholders("[a] [b]", 2).value == "C"
    assert score_placeholders("[a]", 2).value == "I"
    assert score_placeholders("Done.", 0, 0).value == "C"
    assert score_placeholders("Dear [name]", 0, 0).value == "I"
    assert (score_placeholders("", 0, 0).value, score_placeholders("", 0, 0).reason) == ("I", "no_response")
    for options in ({"minimum": 0}, {"minimum": -1}, {"minimum": 2, "maximum": 1}, {"minimum": "2"}):
        with pytest.raises(UsageError):
            placeholders(**options)


# --- StructEval -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("completion", "kind", "paths", "valid", "share"),
    [
        ('{"a": {"b": [1, {"c": 2}]}}', "JSON", ["a.b", "a.b[1].c", "a.b[2]", "a.d"], 1.0, 0.5),
        ('{"a": [{"b": 1}]}', "json", ["a.*.b", "a.*.c"], 1.0, 0.5),
        ('{"a.b": 1}', "json", ["`a.b`", "a.b"], 1.0, 0.5),
        ("a: [1, 2]", "yaml", ["a[0]", "a[2]"], 1.0, 0.5),
        ("a: 1\n---\nb: 2", "yaml", ["a"], 0.0, 0.0),
        ("[a]\nb = 1", "toml", ["a.b"], 1.0, 1.0),
        ('<a id="1"><b>x</b></a>', "XML", ["a.@id", "a.b", "a.id"], 1.0, 2 / 3),
        ("<a>", "xml", ["a"], 0.0, 0.0),
        ("x,y\n1,2", "CSV", ["csv::x", "csv::z", "csv_rows[0].y"], 1.0, 2 / 3),
        ('x,y\n"1,2', "csv", ["csv::x"], 0.0, 0.0),
        ("{", "json", [], 0.0, 0.0),
        ("{}", "json", [], 1.0, 1.0),
    ],
)
def test_structure(completion, kind, paths, valid, share):
    assert score_structure(completion, kind, paths).value == {"valid_format": valid, "has_keywords": share}


def test_structure_that_cannot_be_scored():
    odd = score_structure("{}", "docx", [])
    assert odd.reason == "scoring_failed"
    assert "expected one of json, yaml, toml, xml, csv" in odd.explanation
    assert score_structure("", "json", []).reason == "no_response"


def test_html():
    page = "<!DOCTYPE html><html><head><title>T</title></head><body><h1>Hello</h1></body></html>"
    assert score_html(page, ["hello", "bye"]).value == {"valid_format": 1.0, "has_keywords": 0.5}
    assert score_html("<p></b>", []).value == {"valid_format": 0.0, "has_keywords": 1.0}
