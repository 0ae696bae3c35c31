"""The prompts of MT-Bench's judges, in this project's words, and the source of the originals."""

from collections.abc import Mapping

from openbench.datasets import read_rows
from openbench.errors import DataError
from openbench.metadata import DatasetSource
from openbench_judges.prompts import JudgePrompt

OFFICIAL = DatasetSource(
    source=(
        "https://raw.githubusercontent.com/lm-sys/FastChat/0e6d3e4beaab66f4d3f93db72541a4abab8af28d/"
        "fastchat/llm_judge/data/judge_prompts.jsonl"
    ),
    type="json",
    split="judge_prompts",
    sha256="fd283293406d024f44c174b094ef48031d0687a4682fd3a56b29b138f80281b6",
    licence="Apache-2.0",
)

SINGLE = JudgePrompt(
    "mt_bench_single",
    1,
    {
        "en": """\
You rate an answer of an assistant. What counts is how well it does what the user asks for: whether it is helpful, to
the point, correct, deep enough, and as creative and detailed as the question wants. Length for its own sake earns
nothing.
{focus}
{conversation}

First say in a few sentences what is good and what is not. Then give a rating from 1 (worthless) to 10 (excellent) on
the last line, in exactly this form: Rating: [[5]]""",
        "de": """\
Du bewertest die Antwort eines Assistenten. Es zählt, wie gut sie leistet, was der Nutzer verlangt: ob sie hilft, zur
Sache kommt, stimmt, tief genug geht und so einfallsreich und ausführlich ist, wie es die Frage verlangt. Länge allein
zählt nicht.
{focus}
{conversation}

Sage zuerst in wenigen Sätzen, was gut ist und was nicht. Gib dann in der letzten Zeile eine Bewertung von 1 (wertlos)
bis 10 (ausgezeichnet) ab, in genau dieser Form: Bewertung: [[5]]""",
        "fi": """\
Arvioit avustajan vastausta. Ratkaisevaa on, kuinka hyvin se tekee sen, mitä käyttäjä pyytää: onko se hyödyllinen,
asiaan kuuluva, oikea, riittävän syvällinen sekä niin luova ja yksityiskohtainen kuin kysymys edellyttää. Pelkkä pituus
ei ole ansio.
{focus}
{conversation}

Kerro ensin muutamalla lauseella, mikä on hyvää ja mikä ei. Anna sitten viimeisellä rivillä arvosana 1:stä (arvoton)
10:een (erinomainen) täsmälleen tässä muodossa: Arvosana: [[5]]""",
        "ko": """\
어시스턴트의 답변을 평가하세요. 사용자가 요청한 바를 얼마나 잘 수행했는지가 기준입니다.
도움이 되는지, 핵심을 짚는지, 정확한지, 충분히 깊이 있는지, 질문이 바라는 만큼 창의적이고 상세한지를 보세요.
길다는 이유만으로 점수를 주지 마세요.
{focus}
{conversation}

먼저 좋은 점과 부족한 점을 몇 문장으로 적으세요.
그런 다음 마지막 줄에 1(쓸모없음)부터 10(훌륭함)까지의 점수를 정확히 다음 형식으로 적으세요. 평가: [[5]]""",
    },
)

PAIR = JudgePrompt(
    "mt_bench_pair",
    1,
    {
        "en": """\
You compare the answers of two assistants, A and B. The better one does better what the user asks for: it is more
helpful, more to the point, more correct, and as deep, creative and detailed as the question wants. Neither their order
nor their length nor their names count.
{focus}
{conversation}

First compare both in a few sentences. Then give your verdict on the last line, in exactly one of these forms: [[A]] if
assistant A is better, [[B]] if assistant B is better, [[C]] for a tie.""",
        "de": """\
Du vergleichst die Antworten zweier Assistenten, A und B. Die bessere leistet besser, was der Nutzer verlangt: sie
hilft mehr, kommt mehr zur Sache, stimmt eher und ist so tief, einfallsreich und ausführlich, wie es die Frage
verlangt. Weder die Reihenfolge noch die Länge noch die Namen zählen.
{focus}
{conversation}

Vergleiche zuerst beide in wenigen Sätzen. Gib dann in der letzten Zeile dein Urteil ab, in genau einer dieser Formen:
[[A]], wenn Assistent A besser ist, [[B]], wenn Assistent B besser ist, [[C]] bei Gleichstand.""",
        "fi": """\
Vertaat kahden avustajan, A:n ja B:n, vastauksia. Parempi tekee paremmin sen, mitä käyttäjä pyytää: se on hyödyllisempi,
asiaan kuuluvampi, oikeampi sekä niin syvällinen, luova ja yksityiskohtainen kuin kysymys edellyttää. Järjestyksellä,
pituudella ja nimillä ei ole merkitystä.
{focus}
{conversation}

Vertaa ensin molempia muutamalla lauseella. Anna sitten ratkaisusi viimeisellä rivillä täsmälleen jossakin näistä
muodoista:
[[A]], jos avustaja A on parempi, [[B]], jos avustaja B on parempi, [[C]], jos ne ovat yhtä hyvät.""",
        "ko": """\
두 어시스턴트 A와 B의 답변을 비교하세요. 사용자가 요청한 바를 더 잘 수행한 쪽이 더 낫습니다.
더 도움이 되고, 핵심을 더 잘 짚고, 더 정확하며, 질문이 바라는 만큼 깊이 있고 창의적이고 상세한 쪽입니다.
순서나 길이나 이름은 따지지 마세요.
{focus}
{conversation}

먼저 둘을 몇 문장으로 비교하세요.
그런 다음 마지막 줄에 판정을 다음 형식 가운데 정확히 하나로 적으세요.
어시스턴트 A가 더 나으면 [[A]], 어시스턴트 B가 더 나으면 [[B]], 비기면 [[C]].""",
    },
)

WORDS: Mapping[str, Mapping[str, str]] = {
    "en": {
        "user": "User",
        "assistant": "Assistant",
        "reference": "Reference answer",
        "second": "Judge the answer to the second question; the first is there for context.",
        "guided": "Compare with the reference answer, and look for mistakes: correctness comes first.",
    },
    "de": {
        "user": "Nutzer",
        "assistant": "Assistent",
        "reference": "Referenzantwort",
        "second": "Beurteile die Antwort auf die zweite Frage; die erste steht nur des Zusammenhangs wegen da.",
        "guided": "Vergleiche mit der Referenzantwort und suche Fehler: Richtigkeit geht vor.",
    },
    "fi": {
        "user": "Käyttäjä",
        "assistant": "Avustaja",
        "reference": "Viitevastaus",
        "second": "Arvioi vastaus toiseen kysymykseen; ensimmäinen on mukana asiayhteyden vuoksi.",
        "guided": "Vertaa viitevastaukseen ja etsi virheitä: oikeellisuus ratkaisee.",
    },
    "ko": {
        "user": "사용자",
        "assistant": "어시스턴트",
        "reference": "모범 답안",
        "second": "두 번째 질문에 대한 답변을 평가하세요. 첫 번째 질문은 맥락을 보여 줄 뿐입니다.",
        "guided": "모범 답안과 비교하여 틀린 곳을 찾으세요. 정확성이 가장 중요합니다.",
    },
}
"""The words around a conversation, by language."""


def official_prompt(name: str) -> tuple[str, str]:
    """Return the system message and the prompt of an original, such as `single-math-v1-multi-turn`.

    Raises:
        DataError: The published file cannot be read, or lacks the prompt.
    """
    for row in read_rows(OFFICIAL).rows:
        if row["name"] == name:
            return str(row["system_prompt"]), str(row["prompt_template"])
    raise DataError(f"{OFFICIAL.source} has no prompt named {name!r}.")
