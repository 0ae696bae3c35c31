"""How a scorer's language is found."""

import pytest

from openbench.errors import UsageError
from openbench.registry import discovery
from openbench.scorers.answer_phrases import ENGLISH, find_language
from openbench.scorers.mcq import create_mcq_scorer


@pytest.fixture
def alone(monkeypatch):
    """No plugin is installed."""
    monkeypatch.setenv("OPENBENCH_PLUGINS", "")


@pytest.mark.usefixtures("alone")
def test_a_language_that_is_not_installed_names_its_package():
    with pytest.raises(UsageError) as caught:
        create_mcq_scorer(language="any")
    assert str(caught.value) == "language='any' comes with openbench-scorers: pip install openbench-scorers"


@pytest.mark.usefixtures("alone")
def test_an_unknown_language():
    assert find_language("English") is ENGLISH
    with pytest.raises(UsageError, match=r"^language='english' is unknown. Known: English, any\.$"):
        find_language("english")


def test_a_language_of_another_distribution(tmp_path, monkeypatch):
    info = tmp_path / "acme_words-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-words\nVersion: 1.0\n", "utf-8")
    points = "[openbench.languages]\nEsperanto = acme_words:ESPERANTO\nbroken = acme_words:replace\n"
    (info / "entry_points.txt").write_text(points, "utf-8")
    source = "from dataclasses import replace\nfrom openbench.scorers.answer_phrases import ENGLISH\n"
    source += "ESPERANTO = replace(ENGLISH, name='Esperanto', answers='respondo')\n"
    (tmp_path / "acme_words.py").write_text(source, "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    discovery._scan.cache_clear()
    assert find_language("Esperanto").answers == "respondo"
    with pytest.raises(UsageError, match=r"^language='broken': .*acme-words.* refers to a function, expected a Lang"):
        find_language("broken")
