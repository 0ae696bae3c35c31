"""Perturbation: what changes in a text, how much of it, what never does, and that it can be had again."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from openbench.errors import UsageError
from openbench_authoring.alphabets import alphabet, of_the_same_script
from openbench_authoring.perturbation import KINDS, Perturbation, perturb

QUESTION = "Question: Which of the following cities is the capital of {country}, with 84,000,000 inhabitants?"
INNER = ["permute", "replace", "delete"]

TEXTS = st.text(max_size=200) | st.text(alphabet="Question theße हिन्दी 東京0189{}\\_.,\n\u0301", max_size=200)
PLAIN = st.lists(st.text(alphabet="abcdefghiäöü", min_size=1, max_size=12), min_size=1, max_size=9).map(" ".join)
SHARES = st.floats(0, 1)
SEEDS = st.integers(0, 10)


def distance(text, other):
    """Return Levenshtein's distance, in which a transposition of neighbours counts as two edits at most."""
    last = list(range(len(other) + 1))
    for number, letter in enumerate(text, start=1):
        row = [number]
        for place, opposite in enumerate(other):
            row.append(min(last[place + 1] + 1, row[place] + 1, last[place] + (letter != opposite)))
        last = row
    return last[-1]


# --- what each kind does ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "p", "perturbed"),
    [
        (
            "editor",
            0.1,
            "Question: Which of the following cIties is th e capitayl fo {country}, with 84,000,000 inhabItants?",
        ),
        (
            "permute",
            0.2,
            "Question: Which of the fololwing cities is the caiptal of {country}, with 84,000,000 inahbitatns?",
        ),
        (
            "replace",
            0.2,
            "Question: Which of the folmowing cheies is the catotal of {country}, wijh 84,000,000 inhabitants?",
        ),
        ("delete", 0.2, "Question: Which of the folowing cies is the catal of {country}, wih 84,000,000 inhabitants?"),
        (
            "uppercase",
            0.1,
            "Question: WHICH OF THE FOLLOWING CITIES IS THE CAPITAL OF {country}, WITH 84,000,000 INHABITANTS?",
        ),
    ],
)
def test_a_question_is_perturbed_in_the_same_way_for_ever(kind, p, perturbed):
    assert perturb(QUESTION, Perturbation(kind, p=p, protected=["question"]), key="q1") == perturbed


@given(PLAIN, SHARES, SEEDS)
def test_as_many_edits_as_the_share_of_all_letters(text, p, seed):
    letters = sum(len(word) for word in text.split())
    perturbed = perturb(text, Perturbation("editor", p=p, seed=seed))
    edits = int(letters * p) if any(len(word) > 1 for word in text.split()) else 0
    assert distance(text, perturbed) <= 2 * edits
    assert edits != 1 or perturbed != text
    assert len(perturbed.split()) - len(text.split()) == perturbed.count(" ") - text.count(" ") <= edits


@given(PLAIN, SHARES, SEEDS)
def test_as_many_inner_letters_as_the_share(text, p, seed):
    inner = sum(max(len(word) - 2, 0) for word in text.split())
    replaced = perturb(text, Perturbation("replace", p=p, seed=seed))
    deleted = perturb(text, Perturbation("delete", p=p, seed=seed))
    permuted = perturb(text, Perturbation("permute", p=p, seed=seed))
    if len(set(text) - {" "}) > 1:  # else no other letter is known
        assert sum(a != b for a, b in zip(text, replaced, strict=True)) == int(inner * p)
    assert len(text) - len(deleted) == int(inner * p)
    neighbours = re.findall(r"(?<=[^ ])(?=([^ ])(?!\1)[^ ][^ ])", text)
    assert sum(a != b for a, b in zip(text, permuted, strict=True)) <= 2 * int(len(neighbours) * p)
    assert list(map(sorted, text.split())) == list(map(sorted, permuted.split()))


@pytest.mark.parametrize("kind", INNER)
@given(st.text(alphabet="abcdxyz019 \t\n.,?'-", max_size=200), SHARES)
def test_the_ends_of_words_and_all_between_words_stay(kind, text, p):
    def outside(text):
        return re.sub(r"(?<=[a-z])[a-z]+(?=[a-z])", "", text)

    assert outside(perturb(text, Perturbation(kind, p=p))) == outside(text)


def test_letters_inside_words_at_the_most():
    assert perturb("abcdef abc ab a", Perturbation("delete", p=1)) == "af ac ab a"
    assert perturb("aaaa bbbb", Perturbation("permute", p=1)) == "aaaa bbbb"
    assert sorted(perturb("abcd", Perturbation("permute", p=1))) == ["a", "b", "c", "d"]
    assert perturb("abcd", Perturbation("permute", p=1)) == "acbd"


def test_uppercase_needs_no_share():
    assert perturb("Große Städte", Perturbation("uppercase")) == perturb("Große Städte", Perturbation("uppercase", p=1))
    assert perturb("Große Städte", Perturbation("uppercase")) == "GROSSE STÄDTE"


# --- what never changes -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS)
@given(text=TEXTS, p=SHARES, seed=SEEDS, language=st.sampled_from([None, "German", "Klingon"]))
@example(text="\ud800 İstanbul ßß", p=1.0, seed=0, language=None)
def test_any_text_can_be_perturbed(kind, text, p, seed, language):
    perturbation = Perturbation(kind, p=p, seed=seed)
    perturbed = perturb(text, perturbation, language=language)
    assert perturbed == perturb(text, perturbation, language=language)
    assert [digit for digit in perturbed if digit.isdigit()] == [digit for digit in text if digit.isdigit()]
    if p == 0:
        assert perturbed == text
    if kind != "editor":
        assert re.findall(r"\s+", perturbed) == re.findall(r"\s+", text)


@pytest.mark.parametrize("kind", KINDS)
@given(
    words=st.lists(st.sampled_from(["Question", "ANSWER", "who", "Städte", "{answer}", "\\frac", "3.5"]), min_size=1)
)
def test_protected_words_placeholders_commands_and_numbers_survive(kind, words):
    protected = ["question", "answer", "STÄDTE"]
    perturbed = perturb(" ".join(words), Perturbation(kind, p=1, protected=protected)).split()
    kept = [word for word in words if word != "who"]
    remaining = iter(perturbed)
    assert all(word in remaining for word in kept)


def test_words_are_protected_whole():
    perturbed = perturb("because becauses", Perturbation("uppercase", protected=["Because"]))
    assert perturbed == "because BECAUSES"
    perturbed = perturb("the multi-step plan", Perturbation("uppercase", protected=["multi-step"]))
    assert perturbed == "THE multi-step PLAN"


@pytest.mark.parametrize("text", ["", " ", "A", "A B C", "42", "____", "?!", "{whole thing}", "\u0301"])
@pytest.mark.parametrize("kind", ["editor", *INNER])
def test_nothing_to_perturb(kind, text):
    assert perturb(text, Perturbation(kind, p=1)) == text


def test_marks_stay_with_their_letters():
    accented = "e\u0301a\u0308o\u0302u\u0300"
    assert perturb(accented, Perturbation("delete", p=1)) == "e\u0301u\u0300"
    assert perturb(accented, Perturbation("permute", p=1)) == "e\u0301o\u0302a\u0308u\u0300"


# --- seeds ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["editor", *INNER])
def test_the_key_and_the_seed_decide(kind):
    perturbation = Perturbation(kind, p=0.2)
    texts = [perturb(QUESTION, perturbation, key=key) for key in range(50)]
    assert texts == [perturb(QUESTION, perturbation, key=str(key)) for key in range(50)]
    assert len(set(texts)) > 45
    assert perturb(QUESTION, Perturbation(kind, p=0.2, seed=1), key=0) != texts[0]
    assert perturb(QUESTION, perturbation) == perturb(QUESTION, perturbation, key=QUESTION)


# --- letters ----------------------------------------------------------------------------------------------------------


def test_the_letters_of_the_language():
    text = "Städte " * 400
    put = set(perturb(text, Perturbation("replace", p=1), language="German")) - {" "}
    assert put == set(alphabet("de", "")) | {"S"}
    assert "ß" in put
    assert set(perturb(text, Perturbation("replace", p=1), language="en")) - {" "} <= set("abcdefghijklmnopqrstuvwxyzS")


@pytest.mark.parametrize(
    ("language", "text", "letters"),
    [
        ("German", "", "abcdefghijklmnopqrstuvwxyzäöüß"),
        ("de", "", "abcdefghijklmnopqrstuvwxyzäöüß"),
        ("DEU", "", "abcdefghijklmnopqrstuvwxyzäöüß"),
        ("de-AT", "", "abcdefghijklmnopqrstuvwxyzäöüß"),
        ("pt_BR", "", "abcdefghijklmnopqrstuvwxyzàáâãçéêíóôõú"),
        (None, "Is it so?", "abcdefghijklmnopqrstuvwxyz"),
        ("Klingon", "Is it so?", "abcdefghijklmnopqrstuvwxyz"),
        (None, "", "abcdefghijklmnopqrstuvwxyz"),
        (None, "東京はどこ", "こどは京東"),
        ("Klingon", "Größe", "egrßö"),
    ],
)
def test_alphabets(language, text, letters):
    assert alphabet(language, text) == letters


def test_letters_keep_to_a_words_script_and_case():
    assert of_the_same_script("abж", "Я") == "ж"
    assert of_the_same_script("ab", "東") == "ab"
    capital, city = perturb("CAPITAL город", Perturbation("replace", p=1)).split()
    assert capital.isascii()
    assert capital.isupper()
    assert of_the_same_script(city, "ж") == city
    assert city.islower()


# --- wrong use --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        (
            {"kind": "typos"},
            "perturbation: the kind 'typos' is unknown. Known: editor, permute, replace, delete, uppercase.",
        ),
        ({"p": 1.5}, "perturbation: p is 1.5, where a number from 0 to 1 is expected."),
        ({"p": -0.1}, "perturbation: p is -0.1, where a number from 0 to 1 is expected."),
        ({"p": float("nan")}, "perturbation: p is nan, where a number from 0 to 1 is expected."),
        ({"p": "0.1"}, "perturbation: p is '0.1', where a number from 0 to 1 is expected."),
        ({"protected": [1]}, "perturbation: protected is [1], where a list of words is expected."),
        ({"protected": 5}, "perturbation: protected is 5, where a list of words is expected."),
        ({"protected": "Question"}, "perturbation: protected is 'Question', where a list of words is expected."),
    ],
)
def test_wrong_use(wrong, reason):
    with pytest.raises(UsageError) as caught:
        Perturbation(**wrong)
    assert str(caught.value) == reason


def test_defaults():
    assert Perturbation() == Perturbation(kind="editor", p=0.1, seed=42, protected=[])
    assert hash(Perturbation(protected=["a"])) == hash(Perturbation(protected=("a",)))
