"""Tables in each form, of ordinary texts and of hostile ones."""

import csv
import io
from html.parser import HTMLParser

from hypothesis import given, settings
from hypothesis import strategies as st

from openbench.cli.layout import display_width
from openbench_analysis.rendering.tables import Column, Table, markdown, page

SCORES = Table(
    [Column("model"), Column("score", right=True), Column("note")],
    [["openai/small", "0.5", "a | b"], ["openai/large", "0.75", "-"]],
    caption="Scores",
)
HOSTILE = "<script>alert(1)</script>\x1b[31m\u202e|`x`\n[a](javascript:b)"


class Reader(HTMLParser):
    """Collects the elements and the texts of a page."""

    def __init__(self, text):
        super().__init__()
        self.elements, self.texts = [], []
        self.feed(text)

    def handle_starttag(self, tag, _):
        self.elements.append(tag)

    def handle_data(self, data):
        self.texts.append(data)


def test_text_is_in_columns():
    assert SCORES.lines(80) == [
        "Scores",
        "model         score  note",
        "openai/small    0.5  a | b",
        "openai/large   0.75  -",
    ]


def test_text_that_is_too_wide_goes_on_below_with_the_first_column():
    assert SCORES.lines(21) == [
        "Scores",
        "model         score",
        "openai/small    0.5",
        "openai/large   0.75",
        "",
        "model         note",
        "openai/small  a | b",
        "openai/large  -",
    ]


def test_markdown_is_aligned_and_escaped():
    assert SCORES.markdown() == (
        "**Scores**\n\n"
        "| model | score | note |\n"
        "| --- | ---: | --- |\n"
        "| openai/small | 0.5 | a \\| b |\n"
        "| openai/large | 0.75 | - |\n"
    )
    assert markdown(HOSTILE) == (
        "&lt;script&gt;alert(1)&lt;/script&gt;\\\\x1b\\[31m\\\\u202e\\|\\`x\\` \\[a\\](javascript:b)"
    )


def test_html_holds_text_and_no_markup_of_a_cell():
    read = Reader(page(HOSTILE, [Table([Column(HOSTILE)], [[HOSTILE]])], [HOSTILE]))
    assert "script" not in read.elements
    assert sum("<script>alert(1)</script>\\x1b[31m\\u202e|`x` [a](javascript:b)" in text for text in read.texts) == 5


def test_html_names_rows_and_columns():
    html = str(SCORES.html())
    assert '<th scope="col" class="right">score</th>' in html
    assert '<th scope="row">openai/small</th>' in html
    assert "<caption>Scores</caption>" in html


def test_csv_holds_numbers_and_no_formula():
    table = Table([Column("a"), Column("b")], [["=1+1", "-0.5"], ["@x", "-"], ['q"u,o', "1e-05"]])
    assert list(csv.reader(io.StringIO(table.csv()))) == [
        ["a", "b"],
        ["'=1+1", "-0.5"],
        ["'@x", "-"],
        ['q"u,o', "1e-05"],
    ]


@settings(max_examples=40)
@given(st.lists(st.lists(st.text(), min_size=3, max_size=3), max_size=4), st.integers(20, 90))
def test_any_text_stays_in_its_cell(rows, width):
    table = Table([Column("a"), Column("b", right=True), Column("c")], rows)
    assert all("\x1b" not in line and "\u202e" not in line for line in table.lines(width))
    assert table.markdown().count("\n") == len(rows) + 2
    assert len(list(csv.reader(io.StringIO(table.csv())))) == len(rows) + 1
    read = Reader(page("t", [table]))
    assert read.elements.count("tr") == len(rows) + 1
    assert read.elements.count("td") == 2 * len(rows)


@settings(max_examples=40)
@given(st.lists(st.text("abc 漢", max_size=30), min_size=2, max_size=9))
def test_lines_fit_unless_a_pair_of_cells_does_not(cells):
    lines = Table([Column("") for _ in cells], [cells]).lines(80)
    assert max(map(display_width, lines)) <= max(80, 60 + 2 + 60)
