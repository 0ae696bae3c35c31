"""The letters of a language, from which typing errors are drawn."""

# ruff: noqa: RUF001 -- these are letters of other alphabets, not slips

import unicodedata
from functools import lru_cache
from string import ascii_lowercase

_GREEK = "αβγδεζηθικλμνξοπρσςτυφχψω"
_RUSSIAN = "абвгдеёжзийклмнопрстуфхцчшщъыьэюя"

# ISO 639-1 and 639-3 codes and the English name -> the lower-case letters.
_LANGUAGES = {
    ("ar", "ara", "arabic"): "ابتثجحخدذرزسشصضطظعغفقكلمنهوي",
    ("bg", "bul", "bulgarian"): "абвгдежзийклмнопрстуфхцчшщъьюя",
    ("cs", "ces", "czech"): ascii_lowercase + "áčďéěíňóřšťúůýž",
    ("da", "dan", "danish"): ascii_lowercase + "æøå",
    ("de", "deu", "german"): ascii_lowercase + "äöüß",
    ("el", "ell", "greek"): _GREEK,
    ("en", "eng", "english"): ascii_lowercase,
    ("es", "spa", "spanish"): ascii_lowercase + "áéíñóúü",
    ("fi", "fin", "finnish"): ascii_lowercase + "äöå",
    ("fr", "fra", "french"): ascii_lowercase + "àâæçèéêëîïôœùûüÿ",
    ("he", "heb", "hebrew"): "אבגדהוזחטיכלמנסעפצקרשתךםןףץ",
    ("hu", "hun", "hungarian"): ascii_lowercase + "áéíóöőúüű",
    ("id", "ind", "indonesian"): ascii_lowercase,
    ("it", "ita", "italian"): ascii_lowercase + "àèéìòù",
    ("nl", "nld", "dutch"): ascii_lowercase + "éëïóöü",
    ("no", "nor", "norwegian"): ascii_lowercase + "æøå",
    ("pl", "pol", "polish"): "abcdefghijklmnoprstuwyz" + "ąćęłńóśźż",
    ("pt", "por", "portuguese"): ascii_lowercase + "àáâãçéêíóôõú",
    ("ro", "ron", "romanian"): ascii_lowercase + "ăâîșț",
    ("ru", "rus", "russian"): _RUSSIAN,
    ("sv", "swe", "swedish"): ascii_lowercase + "äöå",
    ("tr", "tur", "turkish"): "abcçdefgğhıijklmnoöprsştuüvyz",
    ("uk", "ukr", "ukrainian"): "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя",
    ("vi", "vie", "vietnamese"): "abcdeghiklmnopqrstuvxy" + "ăâđêôơư",
}
_LETTERS = {name: letters for names, letters in _LANGUAGES.items() for name in names}


def alphabet(language: str | None, text: str) -> str:
    """Return the lower-case letters of a language, each once.

    Args:
        language: Its English name or its code, with or without a region: `German`, `de`, `deu`, `de-AT`.
        text: A text in it. If the language is not given, or not in our table, the letters are those of the text itself,
            or a to z if it uses only these.
    """
    name = (language or "").casefold().strip()
    known = _LETTERS.get(name) or _LETTERS.get(name.replace("_", "-").partition("-")[0])
    if known:
        return known
    own = "".join(sorted({letter for letter in text.lower() if letter.isalpha()}))
    return ascii_lowercase if own.isascii() else own


def of_the_same_script(letters: str, other: str) -> str:
    """Return the letters that share another letter's script, or all letters if none do."""
    return _of_script(letters, _script(other[:1]))


@lru_cache(maxsize=100)
def _of_script(letters: str, script: str) -> str:
    return "".join(letter for letter in letters if _script(letter) == script) or letters


def _script(letter: str) -> str:
    return unicodedata.name(letter, "").partition(" ")[0]  # LATIN, CYRILLIC, CJK, …
