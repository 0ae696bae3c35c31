"""Prompts for graders, in the languages of the judges."""

DEFAULT_GRADER = "openai/gpt-4.1-2025-04-14"

GRADES = {"A": "CORRECT", "B": "INCORRECT", "C": "NOT_ATTEMPTED"}

GRADE_TEMPLATE = """\
You compare an answer with the answer that is known to be right.

[Question]
{question}

[Right answer]
{target}

[Answer to be graded]
{answer}

Grade the answer with one letter:
A: CORRECT. It says what the right answer says, in whatever words, and nothing that contradicts it.
B: INCORRECT. It contradicts the right answer, or leaves out what was asked for.
C: NOT_ATTEMPTED. It gives no answer, or declines to.

Ignore style, length and language. Do not answer the question yourself. Reply with the letter alone."""

SINGLE = {
    "en": """\
You judge an answer by one criterion.

[Criterion]
{criterion}

[Question]
{question}

[Reference]
{target}

[Answer to be judged]
{answer}

Give a score from {worst} (the criterion is not met at all) to {best} (it is fully met). Judge nothing else.
Reply with one JSON object and nothing else. It must fit this JSON schema:
{schema}""",
    "de": """\
Du beurteilst eine Antwort nach einem Kriterium.

[Kriterium]
{criterion}

[Frage]
{question}

[Referenz]
{target}

[Zu beurteilende Antwort]
{answer}

Gib eine Bewertung von {worst} (das Kriterium ist gar nicht erfüllt) bis {best} (es ist ganz erfüllt). Beurteile \
nichts anderes.
Antworte mit einem JSON-Objekt und sonst nichts. Es muss zu diesem JSON-Schema passen:
{schema}""",
    "fr": """\
Vous jugez une réponse selon un seul critère.

[Critère]
{criterion}

[Question]
{question}

[Référence]
{target}

[Réponse à juger]
{answer}

Donnez une note de {worst} (le critère n'est pas du tout rempli) à {best} (il est entièrement rempli). Ne jugez rien \
d'autre.
Répondez par un objet JSON et rien d'autre. Il doit respecter ce schéma JSON :
{schema}""",
    "fi": """\
Arvioit vastauksen yhden kriteerin mukaan.

[Kriteeri]
{criterion}

[Kysymys]
{question}

[Vertailuvastaus]
{target}

[Arvioitava vastaus]
{answer}

Anna pisteet väliltä {worst} (kriteeri ei täyty lainkaan) ja {best} (se täyttyy kokonaan). Älä arvioi mitään muuta.
Vastaa yhdellä JSON-oliolla äläkä muulla. Sen on noudatettava tätä JSON-skeemaa:
{schema}""",
}
"""The prompt for one answer, by language."""

PAIR = {
    "en": """\
You compare two answers by one criterion.

[Criterion]
{criterion}

[Question]
{question}

[Answer A]
{answer_a}

[Answer B]
{answer_b}

Say which answer meets the criterion better: "A", "B", or "tie" if neither does. Neither order nor length matters.
Reply with one JSON object and nothing else. It must fit this JSON schema:
{schema}""",
    "de": """\
Du vergleichst zwei Antworten nach einem Kriterium.

[Kriterium]
{criterion}

[Frage]
{question}

[Antwort A]
{answer_a}

[Antwort B]
{answer_b}

Sage, welche Antwort das Kriterium besser erfüllt: "A", "B" oder "tie", wenn es keine tut. Weder die Reihenfolge noch \
die Länge zählt.
Antworte mit einem JSON-Objekt und sonst nichts. Es muss zu diesem JSON-Schema passen:
{schema}""",
    "fr": """\
Vous comparez deux réponses selon un seul critère.

[Critère]
{criterion}

[Question]
{question}

[Réponse A]
{answer_a}

[Réponse B]
{answer_b}

Dites quelle réponse remplit mieux le critère : "A", "B", ou "tie" si aucune ne l'emporte. Ni l'ordre ni la longueur \
ne comptent.
Répondez par un objet JSON et rien d'autre. Il doit respecter ce schéma JSON :
{schema}""",
    "fi": """\
Vertaat kahta vastausta yhden kriteerin mukaan.

[Kriteeri]
{criterion}

[Kysymys]
{question}

[Vastaus A]
{answer_a}

[Vastaus B]
{answer_b}

Kerro, kumpi vastaus täyttää kriteerin paremmin: "A", "B" tai "tie", jos kumpikaan ei. Järjestyksellä ja pituudella \
ei ole väliä.
Vastaa yhdellä JSON-oliolla äläkä muulla. Sen on noudatettava tätä JSON-skeemaa:
{schema}""",
}
"""The prompt for two answers, by language."""
