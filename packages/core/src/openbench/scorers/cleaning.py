"""Takes from a completion what is not the answer: reasoning, further questions, markup. Linear in its length."""

# ruff: noqa: RUF001 -- look-alike characters are what is replaced

import re
import unicodedata

from openbench.scorers.languages import QUESTIONS, words

_REASONING_TAG = re.compile(
    r"[<\[◁](?:\|begin_of_)?(?P<close>/|\|end_of_)?(?:think(?:ing)?|thought|reasoning|scratchpad)\|?[>\]▷]",
    re.IGNORECASE,
)

_END_OF_TURN = re.compile(r"<\|(?:im_end|im_start|endoftext|end_of_text|eot_id|end)\|>|</s>|<end_of_turn>")

_QUESTION = "|".join(sorted(words(QUESTIONS), key=len, reverse=True))
_RUN_ON = re.compile(
    rf"\n[ \t>#*]{{0,8}}(?:"
    rf"(?:{_QUESTION})(?:[ #]{{0,3}}\d{{1,4}})?[ *]{{0,4}}[:：]"
    rf"|(?:{_QUESTION})[ #]{{0,3}}\d{{1,4}}[ *]{{0,4}}(?:[.)\n]|$)"
    r"|第\s?\d{1,4}\s?[题題問]"
    r"|q[ *]{0,4}[:：]"
    # "Q1: 5" may be a quartile; a new paragraph is a new question.
    r"|\n[ \t>#*]{0,8}q\d{1,4}[ *]{0,4}[:：.)]"
    r"|(?:human|user)[ *]{0,4}:)"
)
_ANSWERED_AT_ONCE = re.compile(r"\(?[A-Za-z](?:[).:][^\n]{0,300})?[ \t]*\n[ \t]*\n")
_NEXT_OPTIONS = re.compile(r"\n\(?A[.):]")

_TEX_COMMAND = re.compile(
    r"\\(?:(?:text|math|up)(?:bf|it|rm|tt|sf|normal|md)?(?![a-z])|(?:mbox|bf|bm|boldsymbol|operatorname|left|right"
    r"|displaystyle|large|Large|huge|Huge|quad|qquad)(?![a-z])|[()\[\],;:! ])"
)
_HTML_TAG = re.compile(r"</?(?:b|i|u|p|em|strong|code|span|div|br|mark)\s?/?>")


def strip_reasoning(completion: str) -> str:
    """Remove what stands between reasoning tags; after an unclosed one, and before one that was never opened."""
    if not any(bracket in completion for bracket in "<[◁"):
        return completion
    kept: list[str] = []
    start, inside = 0, False
    for tag in _REASONING_TAG.finditer(completion):
        if not tag["close"]:
            if not inside:
                kept.append(completion[start : tag.start()])
            inside = True
        elif inside or not kept:
            # Chat templates may open the reasoning in the prompt.
            inside, start = False, tag.end()
            kept.append(" ")
    if not inside:
        kept.append(completion[start:])
    return "".join(kept)


def cut_run_on(completion: str) -> str:
    """Cut where a base model goes on to a further question, or to a further turn of a chat.

    A question at the very beginning is this one, restated.
    """
    # The only capital whose lower case is longer, which would shift positions.
    text = completion.strip().replace("İ", "I")
    if "<" in text and (turn := _END_OF_TURN.search(text, 1)):
        text = text[: turn.start()]
    if further := _RUN_ON.search(text.lower()):
        text = text[: further.start()]
    return _cut_bare_question(text)


def _cut_bare_question(text: str) -> str:
    """Cut after a letter that opens the text, where a question without a heading follows it."""
    answer = _ANSWERED_AT_ONCE.match(text)
    options = answer and _NEXT_OPTIONS.search(text, answer.end())
    if answer and options and text.find("\nAnswer:", options.end()) >= 0:
        return text[: answer.end()]
    return text


def plain(text: str) -> str:
    """Remove markup that says nothing (Markdown, LaTeX, HTML), and write full-width and styled characters in ASCII."""
    if not text.isascii():
        text = _UNUSUAL.sub(lambda character: _USUAL.get(character[0], character[0]), text)
    if "\\" in text:
        text = _TEX_COMMAND.sub("", text)
    if "</" in text:
        text = _HTML_TAG.sub("", text)
    # Faster than `str.translate` unless all is ASCII.
    text = text.replace("*", "").replace("`", "").replace("$", "")
    return text.replace("_", " ").replace("&nbsp;", " ")


def _usual_characters() -> dict[str, str]:
    """Map characters that stand for others to those: only these, as a full NFKC takes quadratic time at worst."""
    styled = [*range(0x249C, 0x24EA), *range(0x1D400, 0x1D6A4), *range(0xFF01, 0xFF5F)]
    usual = {chr(code): unicodedata.normalize("NFKC", chr(code)) for code in styled}
    # Squared and circled capitals, some of which Unicode does not decompose.
    usual |= {chr(block + n): chr(65 + n) for block in (0x1F130, 0x1F150, 0x1F170) for n in range(26)}
    usual |= dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0f\u200e\u200f", "")
    usual |= dict.fromkeys("\u00a0\u2007\u202f\u3000", " ")
    usual |= dict.fromkeys("‘’‛ʼ´", "'") | dict.fromkeys("“”„‟「」『』", '"')
    usual |= {
        "【": "[",
        "】": "]",
        "〔": "[",
        "〕": "]",
        "〈": "<",
        "〉": ">",
        "։": ".",
        "՝": ":",
        "‑": "-",
        "‐": "-",
    }
    return {character: text for character, text in usual.items() if character != text}


_USUAL = _usual_characters()
# Beyond the first plane a set is searched item by item, so that it gets ranges there.
_UNUSUAL = re.compile("[" + "".join(re.escape(c) for c in _USUAL if c < "\U00010000") + "𝐀-𝚣🄰-🆉]")
