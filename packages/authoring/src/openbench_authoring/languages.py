"""The languages that a benchmark may declare."""

from enum import Enum

from iso639 import iter_langs


class Language(Enum):
    """A language, by the three letters of ISO 639-3 in capitals; its value is its English name.

    Those listed here have a short name; all others, such as `Language["ABK"]`, have the standard's. A name shared by
    two codes belongs to the one listed.
    """

    _ignore_ = ("_language",)  # type: ignore[assignment]

    ARB = "Arabic"
    BUL = "Bulgarian"
    CES = "Czech"
    DAN = "Danish"
    DEU = "German"
    ELL = "Greek"
    ENG = "English"
    FIN = "Finnish"
    FRA = "French"
    HEB = "Hebrew"
    HIN = "Hindi"
    HRV = "Croatian"
    HUN = "Hungarian"
    IND = "Indonesian"
    ITA = "Italian"
    JPN = "Japanese"
    KOR = "Korean"
    NLD = "Dutch"
    NOR = "Norwegian"
    POL = "Polish"
    POR = "Portuguese"
    RON = "Romanian"
    RUS = "Russian"
    SPA = "Spanish"
    SRP = "Serbian"
    SWE = "Swedish"
    TUR = "Turkish"
    UKR = "Ukrainian"
    VIE = "Vietnamese"
    ZHO = "Chinese"

    for _language in iter_langs():
        if _language.pt3 and _language.pt3.upper() not in locals():
            locals()[_language.pt3.upper()] = _language.name
