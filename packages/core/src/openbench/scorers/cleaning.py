"""Removes reasoning, further questions and markup from completions, in linear time."""

# ruff: noqa: RUF001 -- look-alike characters are what is replaced

import re
import unicodedata
from functools import cache

from openbench.scorers.answer_phrases import ENGLISH, Language

_REASONING_TAG = re.compile(
    r"[<\[◁][ |]?(?:begin_of_|start_)?(?P<close>/|end_(?:of_)?)? ?(?:[a-z]{1,12}:)?"
    r"(?:think(?:ing)?|thoughts?|reason(?:ing)?|scratchpad|chain_of_thought)[ |]?[>\]▷]",
    re.IGNORECASE,
)
# A tag before such a word, within a line, is only mentioned.
_MENTIONED = re.compile(r"[\"'`*]{0,3} (?:tags?|tokens?|blocks?|elements?)\b")
# Models with channels reason in all but the last. If special tokens are dropped, these words remain of them.
_CHANNEL, _FINAL = "<|channel|>", "<|channel|>final<|message|>"
_BARE_CHANNEL, _BARE_FINAL = "analysis", "assistantfinal"

_END_OF_TURN = re.compile(
    r"<\|(?:im_end|im_start|endoftext|end_of_text|eot_id|start_header_id|return|user|end)\|>"
    r"|</s>|<end_of_turn>|<start_of_turn>|<｜end▁of▁sentence｜>|\[INST\]"
)

_NUMBER = r"[ #(]{0,3}(?:no\.? ?|№ ?)?\d{1,4}\)?"
# A new paragraph that may also be a step of this answer, or a quartile: "Q1: 5".
_HEADING = re.compile(
    rf"\n[ \t]*+\n[ \t>#*]{{0,8}}+(?=[a-zA-Z])(?i:(?P<question>q ?\d{{1,4}}[ *]{{0,4}}[:：.)])"
    rf"|(?:problem|exercise|example|passage|context|article|text|task)(?:{_NUMBER})?[ *]{{0,4}}[:.])"
)
# Only after such a line does a vague heading begin another question.
_ANSWER_LINE = re.compile(r"(?:\n|^)\W*[A-Z](?:[).:][^\n]*)?\W*$|(?i:answer(?: is)?):? ?\W*[A-Z]\W*$")
_LINE_REACH = 120
_QUESTION_REACH = 1_000
_ANSWERER_LINE = re.compile(r"\n\W*a(?:nswer)?[ *]{0,4}[:：]", re.IGNORECASE)
_ANSWERED_AT_ONCE = re.compile(r"\(?[A-Za-z](?:[).:][^\n]{0,300}+)?[ \t]*+\n[ \t]*+\n")
_NEXT_OPTIONS = re.compile(r"\n\(?A[.):]")

_TEX_COMMAND = re.compile(
    r"\\(?:(?:text|math|up)(?:bf|it|rm|tt|sf|normal|md)?(?![a-z])|(?:mbox|bf|bm|boldsymbol|operatorname|left|right"
    r"|displaystyle|large|Large|huge|Huge|quad|qquad)(?![a-z])|[()\[\],;:! ])"
)
# "finalAnswer" and "answerLetter" in JSON, XML and code are two words.
_COMPOUND = re.compile(r"[ACLO](?<=[a-z].)(?:(?<=answer.)|(?=nswer|hoice|ption|etter))")
_HTML_TAG = re.compile(r"</?(?:b|i|u|p|em|strong|code|span|div|br|mark)\s?/?>")
_MARKUP = (("*", ""), ("`", ""), ("$", ""), ("&nbsp;", " "), ("_", " "))


def strip_reasoning(completion: str) -> str:
    """Remove the text between reasoning tags, after an unclosed tag, and before a closing tag that was not opened."""
    completion = _final_channel(completion)
    kept: list[str] = []
    start, inside, depth, outside = 0, False, 0, 0
    for tag in _REASONING_TAG.finditer(completion):
        if not tag["close"]:
            if _is_mentioned(completion, tag):
                continue
            if not inside:
                kept.append(completion[start : tag.start()])
            inside, depth = True, depth + 1
            outside = len(kept) if depth == 1 else outside
        elif inside or depth or not kept:
            # The prompt may have opened the reasoning. With nested tags, the outermost closing tag ends it.
            kept[outside:] = [" "]
            inside, start, depth = False, tag.end(), max(0, depth - 1)
    if not inside:
        kept.append(completion[start:])
    return "".join(kept)


def _is_mentioned(completion: str, tag: re.Match[str]) -> bool:
    """Return whether an opening tag is only mentioned in a sentence: "it uses <think> tags"."""
    before = completion[max(0, tag.start() - _LINE_REACH) : tag.start()].rpartition("\n")[2]
    return _MENTIONED.match(completion, tag.end()) is not None and before.strip() != ""


def _final_channel(completion: str) -> str:
    """Return the final channel of a completion with channels, or else the completion."""
    if _CHANNEL in completion:
        _, final, after = completion.rpartition(_FINAL)
        return after if final else completion.partition(_CHANNEL)[0]
    if completion.startswith(_BARE_CHANNEL) and _BARE_FINAL in completion:
        return completion.rpartition(_BARE_FINAL)[2]
    return completion


@cache
def _run_on(language: Language) -> re.Pattern[str]:
    words = dict.fromkeys(language.questions.split("|"))
    question = "|".join(sorted(words, key=len, reverse=True))
    heading, begins = language.question_headings
    first = begins + "".join({first for word in words for first in (word[0], word[0].upper())} | set("QHUITqhuit"))
    return re.compile(
        rf"\n[ \t>#*]{{0,8}}+(?=[{first}])(?i:"
        rf"(?:{question})(?:{_NUMBER})?[ *]{{0,4}}[:：]"
        rf"|(?:{question}){_NUMBER}[ *]{{0,4}}(?:[.)\n]|$)"
        rf"|{heading}"
        r"|(?P<symbol>q[ *]{0,4}[:：]|q[.)] )"
        r"|(?:human|user|instruction)[ *]{0,4}:"
        r"|the following are multiple choice questions)",
    )


def cut_run_on(completion: str, language: Language = ENGLISH) -> str:
    """Cut where a base model continues with another question or another turn of a chat.

    A question at the very beginning restates this one.
    """
    # Its lower case is two characters, which would shift positions.
    text = completion.strip().replace("İ", "I")
    if ("<" in text or "[INST]" in text) and (turn := _END_OF_TURN.search(text, 1)):
        text = text[: turn.start()]
    for further in _run_on(language).finditer(text):
        if not further["symbol"] or _asks(text, further):
            text = text[: further.start()]
            break
    for heading in _HEADING.finditer(text):
        if heading["question"] or _follows_an_answer(text, heading):
            return text[: heading.start()]
    return _cut_bare_question(text)


def _asks(text: str, heading: re.Match[str]) -> bool:
    """Return whether "Q:" begins a question, rather than naming a quantity Q."""
    line = text[heading.end() : heading.end() + _QUESTION_REACH]
    return "?" in line or _follows_an_answer(text, heading) or _ANSWERER_LINE.search(line) is not None


def _follows_an_answer(text: str, heading: re.Match[str]) -> bool:
    return _ANSWER_LINE.search(text[max(0, heading.start() - _LINE_REACH) : heading.start()]) is not None


def _cut_bare_question(text: str) -> str:
    """Cut after a letter at the beginning of the text if a question without a heading follows."""
    answer = _ANSWERED_AT_ONCE.match(text)
    options = answer and _NEXT_OPTIONS.search(text, answer.end())
    if answer and options and text.find("\nAnswer:", options.end()) >= 0:
        return text[: answer.end()]
    return text


def plain(text: str) -> str:
    """Remove formatting (Markdown, LaTeX, HTML), and write full-width and styled characters in ASCII."""
    if not text.isascii():
        text = _UNUSUAL.sub(lambda character: _USUAL.get(character[0], character[0]), text)
    text = _TEX_COMMAND.sub("", text)
    if "<" in text and "</" in text:
        text = _HTML_TAG.sub("", text)
    if "Answer" in text or ('"' in text and '":' in text):
        text = _COMPOUND.sub(r" \g<0>", text)
    for mark, usual in _MARKUP:
        text = text.replace(mark, usual)
    return text


def _usual_characters() -> dict[str, str]:
    """Map variants of characters to the usual ones: a table, since NFKC takes quadratic time at worst."""
    styled = [*range(0x249C, 0x24EA), *range(0x1D400, 0x1D6A4), *range(0xFF01, 0xFF5F)]
    usual = {chr(code): unicodedata.normalize("NFKC", chr(code)) for code in styled}
    # Squared and circled capitals, some of which Unicode does not decompose.
    usual |= {chr(block + n): chr(65 + n) for block in (0x1F130, 0x1F150, 0x1F170) for n in range(26)}
    usual |= dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff\u00ad\ufe0f\u200e\u200f", "")
    usual |= dict.fromkeys("\u00a0\u2007\u202f\u3000", " ")
    usual |= dict.fromkeys("‘’‛ʼ´", "'") | dict.fromkeys("“”„‟「」『』", '"')
    usual |= dict(zip("【】〔〕〈〉։՝‑‐", "[][]<>.:--", strict=True))
    return {character: text for character, text in usual.items() if character != text}


_USUAL = _usual_characters()
# `re` searches the characters of a set beyond the first plane one by one, hence the ranges.
_UNUSUAL = re.compile("[" + "".join(re.escape(c) for c in _USUAL if c < "\U00010000") + "𝐀-𝚣🄰-🆉]")
