"""The extraction of translations from completions."""

# ruff: noqa: RUF001 -- full-width colons and quotation marks are removed

import pytest

from openbench_translation.text import translation_of

SOURCE = "The dog sleeps."


@pytest.mark.parametrize(
    ("completion", "text"),
    [
        ("Der Hund schläft.", "Der Hund schläft."),
        ("  Der Hund\nschläft. \n", "Der Hund schläft."),
        ("<think>Dog: Hund.</think>Der Hund schläft.", "Der Hund schläft."),
        ("Here is the translation:\n\nDer Hund schläft.", "Der Hund schläft."),
        ("Sure! Here's the German translation of the text:\nDer Hund schläft.", "Der Hund schläft."),
        ("This is the translation: Der Hund schläft.", "Der Hund schläft."),
        ("**Translation:** Der Hund schläft.", "Der Hund schläft."),
        ("Translation：Der Hund schläft.", "Der Hund schläft."),
        ("German: Der Hund schläft.", "Der Hund schläft."),
        ("German phrase: Der Hund schläft.", "Der Hund schläft."),
        ("**German:** Der Hund schläft.", "Der Hund schläft."),
        ("Der Hund schläft.\n\nNote: a simple sentence.", "Der Hund schläft."),
        ("```\nDer Hund schläft.\n```", "Der Hund schläft."),
        ("```text\nDer Hund schläft.\n```", "Der Hund schläft."),
        ('"Der Hund schläft."', "Der Hund schläft."),
        ("„Der Hund schläft.“", "Der Hund schläft."),
        ("«\u00a0Der Hund schläft.\u00a0»", "Der Hund schläft."),
        ("「犬は眠る。」", "犬は眠る。"),
        ("**Der Hund schläft.**", "Der Hund schläft."),
        ('"Hund" heißt es, nicht "Katze"', '"Hund" heißt es, nicht "Katze"'),  # not around the whole text
        ("Der Hund sagt: Translation: ja.", "Der Hund sagt: Translation: ja."),
        ("Translators sleep.", "Translators sleep."),
        ("", ""),
        ('"', '"'),
        ("<think>Dog", ""),
    ],
)
def test_text_around_a_translation_is_removed(completion, text):
    assert translation_of(completion, SOURCE, language="German") == text


@pytest.mark.parametrize(
    ("completion", "source"),
    [
        ('"Der Hund schläft."', '"The dog sleeps."'),
        ("„Der Hund schläft.“", "“The dog sleeps.”"),
        ("**Der Hund**", "**The dog**"),
        ("Translation: ein Wort.", "Translation: a word."),
        ("German: eine Sprache.", "German: a language."),
    ],
)
def test_marks_of_the_source_are_kept(completion, source):
    assert translation_of(completion, source, language="German") == completion


def test_only_the_first_line_of_a_base_model_counts():
    completion = " Der Hund schläft.\nEnglish phrase: It rains."
    assert translation_of(completion, SOURCE, language="German", first_line=True) == "Der Hund schläft."
