"""Reads the option of a multiple-choice question that a completion answers with: `extract_mcq_answer`."""

from collections.abc import Sequence

from openbench.scorers.answer_phrases import ENGLISH, Language
from openbench.scorers.cleaning import cut_run_on, plain, strip_reasoning
from openbench.scorers.extraction.choices import choices_of
from openbench.scorers.extraction.reader import Reader


def extract_mcq_answer(
    completion: str,
    letters: Sequence[str] | None = None,
    options: Sequence[str] | None = None,
    *,
    language: Language = ENGLISH,
) -> str | None:
    r"""Return the letter of the option that a completion finally answers with.

    - Reasoning between `<think>`, `<thinking>` or `<reasoning>` tags does not count, nor after an unclosed one, nor in
      any channel but the final one. Nor does a base model's run-on: what follows a heading "Question 2:" or "Q:", a
      heading "Problem:" or "Context:" after an answer, or the end of a turn of a chat.
    - A completion that is an option's text gives its letter, and so does an option's text after a cue ("Answer:
      Paris"). Case, spacing, markup and punctuation around it do not matter. A text of two options gives none, nor
      does the text of one with the letter of another ("Paris (C)").
    - The last announced answer wins: "Answer: B", "the answer is (B)", `\boxed{B}`, `"answer": "B"`, "I choose B",
      and likewise in other languages. "Not B but C" announces C. To announce several letters ("A and C"), none of the
      options or ignorance is to give no answer. Nobody else's answer counts ("the wrong answer is A").
    - Where nothing is announced, the last verdict or conclusion counts: "Option B is right", "so it's B".
    - Where there is none, the one option counts that is marked as correct in a list of them ("A: wrong", "B: right").
    - Else a letter counts that stands alone on the last or the first line, or that begins it ("B) Paris") without being
      part of a list of the options; likewise an option's text.
    - A letter is Latin, full-width or one of the language. A letter that is also a word ("A", "I", any in
      lower case) needs a sign that it is meant: brackets, or after it the end of the clause or a "because".

    Args:
        completion: The text that the model wrote.
        letters: The valid letters, of A to Z; others are passed over. By default one for each option, or all.
        options: The options' texts, in the order of the letters.
        language: The language of the announcements; see `openbench.scorers.answer_phrases`.

    Returns:
        The letter in upper case, or None if the completion gives no answer.
    """
    choices = choices_of(letters, options)
    text = plain(cut_run_on(strip_reasoning(completion), language)).strip()
    if named := choices.named(text):
        return named
    reader = Reader(text, choices, language)
    for find in (reader.announced, reader.concluded, reader.marked, reader.bare):
        answer = find()
        if answer is not None:
            return answer or None
    return None
