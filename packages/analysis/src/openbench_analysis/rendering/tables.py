"""A table as text for a terminal, Markdown, CSV and HTML; texts from logs are escaped in each."""

import csv
import io
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from jinja2 import Environment
from markupsafe import Markup

from openbench.cli.layout import GAP, columns, display_width
from openbench.registry.names import printable

_MARKDOWN = re.compile(r"([\\`*_\[\]|~$])")
_FORMULA = ("=", "+", "-", "@")
_NUMBER = re.compile(r"[+-]?[\d.,]*(e[+-]?\d+)?%?", re.IGNORECASE)
_ENVIRONMENT = Environment(autoescape=True)
_ENVIRONMENT.filters["printable"] = printable
_HTML = _ENVIRONMENT.from_string(
    """\
<div class="scroll"><table>
{%- if table.caption %}
<caption>{{ table.caption | printable }}</caption>
{%- endif %}
<thead><tr>
{%- for column in table.columns %}<th scope="col"{% if column.right %} class="right"{% endif %}>\
{{ column.heading | printable }}</th>{% endfor -%}
</tr></thead>
<tbody>
{%- for row in table.rows %}
<tr>
{%- for column, cell in zip(table.columns, row, strict=True) %}\
{% if loop.first %}<th scope="row">{{ cell | printable }}</th>\
{% else %}<td{% if column.right %} class="right"{% endif %}>{{ cell | printable }}</td>{% endif %}\
{% endfor -%}
</tr>
{%- endfor %}
</tbody>
</table></div>
"""
)
_PAGE = _ENVIRONMENT.from_string(
    """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{{ title | printable }}</title>
<style>
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 75rem; padding: 0 1rem; }
.scroll { margin: 1.5rem 0; overflow-x: auto; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
caption { font-weight: bold; padding-bottom: .5rem; text-align: left; }
th, td { border-bottom: 1px solid #8886; padding: .3rem .75rem; text-align: left; white-space: nowrap; }
.right { text-align: right; }
li { overflow-wrap: anywhere; }
</style>
</head>
<body>
<h1>{{ title | printable }}</h1>
{% for table in tables %}{{ table }}{% endfor %}
{%- if notes %}
<ul>
{%- for note in notes %}
<li>{{ note | printable }}</li>
{%- endfor %}
</ul>
{%- endif %}
</body>
</html>
"""
)


@dataclass(frozen=True)
class Column:
    """A column.

    Attributes:
        heading: Its heading.
        right: Whether it is aligned to the right, as numbers are.
    """

    heading: str
    right: bool = False


@dataclass(frozen=True)
class Table:
    """Rows of texts.

    Attributes:
        columns: The columns; the first names the rows.
        rows: The rows, with a cell for each column.
        caption: What stands above it; empty for none.
    """

    columns: Sequence[Column]
    rows: Sequence[Sequence[str]]
    caption: str = ""

    def lines(self, width: int) -> list[str]:
        """Return lines for a terminal. If they are wider, the columns follow in parts, each after the first column."""
        cells = [[printable(column.heading) for column in self.columns]]
        cells += [[printable(cell) for cell in row] for row in self.rows]
        widths = [max(map(display_width, column)) for column in zip(*cells, strict=True)]
        lines = textwrap.wrap(printable(self.caption), width)
        for number, part in enumerate(_parts(widths, width)):
            right = [at for at, column in enumerate(part) if self.columns[column].right]
            lines += [""] if number else []
            lines += columns([[row[column] for column in part] for row in cells], right=right)
        return lines

    def markdown(self) -> str:
        """Return a table of GitHub's Markdown; nothing in a cell is markup or HTML."""
        rule = ["---:" if column.right else "---" for column in self.columns]
        rows = [[markdown(column.heading) for column in self.columns], rule]
        rows += [[markdown(cell) for cell in row] for row in self.rows]
        caption = f"**{markdown(self.caption)}**\n\n" if self.caption else ""
        return caption + "".join(f"| {' | '.join(row)} |\n" for row in rows)

    def csv(self) -> str:
        """Return comma-separated values; an apostrophe stands before what a spreadsheet would take for a formula."""
        written = io.StringIO()
        writer = csv.writer(written, lineterminator="\n")
        writer.writerow([_plain(column.heading) for column in self.columns])
        writer.writerows([_plain(cell) for cell in row] for row in self.rows)
        return written.getvalue()

    def html(self) -> Markup:
        """Return a `table` element, within one that scrolls."""
        return Markup(_HTML.render(table=self, zip=zip))  # noqa: S704 - Jinja has escaped it


def page(title: str, tables: Sequence[Table], notes: Sequence[str] = ()) -> str:
    """Return a page of HTML that needs no other file and runs no script: a title, tables and notes after them."""
    return _PAGE.render(title=title, tables=[table.html() for table in tables], notes=notes)


def markdown(text: str) -> str:
    """Return a text for Markdown in one line, which is shown as it is."""
    html = printable(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _MARKDOWN.sub(r"\\\1", html)


def _parts(widths: Sequence[int], width: int) -> Iterator[list[int]]:
    """Yield the indexes of columns that fit next to each other, the first one with each of them."""
    part, used = [0], widths[0]
    for column, wide in enumerate(widths[1:], 1):
        if len(part) > 1 and used + len(GAP) + wide > width:
            yield part
            part, used = [0], widths[0]
        part.append(column)
        used += len(GAP) + wide
    yield part


def _plain(cell: str) -> str:
    text = printable(cell)
    return f"'{text}" if text.startswith(_FORMULA) and not _NUMBER.fullmatch(text) else text
