"""Multiple-choice prompts in the language of the question, with the cue for the answer in that language.

The options keep Latin letters, as in the originals. A model may also answer with a letter of the language's script, or
after an English cue: answers are read in the language `any`, which includes both.
"""

# ruff: noqa: RUF001 -- letters of other alphabets are intended

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from openbench.tasks.prompts import create_dynamic_multiple_choice_prompt, option_letters, option_lines

ANY = "any"
"""The language in which answers are read: about sixty languages at once, as defined by openbench-scorers."""


@dataclass(frozen=True)
class Wording:
    """The text of a prompt in one language.

    Attributes:
        cue: The word before the letter of the answer.
        instruction: The instruction, which contains the cue and the placeholder `{letters}` for the options' letters.
    """

    cue: str
    instruction: str


WORDINGS: Mapping[str, Wording] = {
    "am": Wording(
        "መልስ",
        "የሚከተለውን የምርጫ ጥያቄ ይመልሱ። መልሱን በመጨረሻው መስመር ላይ “መልስ: ፊደል” በሚል መልክ ይጻፉ፤ ፊደሉ ከ{letters} አንዱ ነው።",
    ),
    "ar": Wording(
        "الإجابة",
        "أجب عن سؤال الاختيار من متعدد التالي. اكتب الإجابة في السطر الأخير على هذا الشكل: «الإجابة: الحرف»، "
        "حيث الحرف واحد من {letters}.",
    ),
    "bn": Wording(
        "উত্তর",
        "নিচের বহুনির্বাচনী প্রশ্নের উত্তর দিন। শেষ লাইনে উত্তরটি এভাবে লিখুন: “উত্তর: অক্ষর”, যেখানে অক্ষরটি {letters}-এর একটি।",
    ),
    "cs": Wording(
        "Odpověď",
        "Odpovězte na následující otázku s výběrem odpovědí. Na poslední řádek napište odpověď ve tvaru "
        "„Odpověď: PÍSMENO“, kde PÍSMENO je jedno z {letters}.",
    ),
    "de": Wording(
        "Antwort",
        "Beantworte die folgende Multiple-Choice-Frage. Schreibe die Antwort in die letzte Zeile, in der Form "
        "„Antwort: BUCHSTABE“, wobei BUCHSTABE einer von {letters} ist.",
    ),
    "el": Wording(
        "Απάντηση",
        "Απάντησε στην ακόλουθη ερώτηση πολλαπλής επιλογής. Γράψε την απάντηση στην τελευταία γραμμή, με τη μορφή "
        "«Απάντηση: ΓΡΑΜΜΑ», όπου ΓΡΑΜΜΑ είναι ένα από τα {letters}.",
    ),
    "es": Wording(
        "Respuesta",
        "Responde a la siguiente pregunta de opción múltiple. Escribe la respuesta en la última línea, con la forma "
        "«Respuesta: LETRA», donde LETRA es una de {letters}.",
    ),
    "fa": Wording(
        "پاسخ",
        "به پرسش چندگزینه‌ای زیر پاسخ دهید. پاسخ را در سطر آخر به این شکل بنویسید: «پاسخ: حرف»، "
        "که در آن حرف یکی از {letters} است.",
    ),
    "fil": Wording(
        "Sagot",
        "Sagutin ang sumusunod na tanong na may mga pagpipilian. Isulat ang sagot sa huling linya sa anyong "
        "“Sagot: TITIK”, kung saan ang TITIK ay isa sa {letters}.",
    ),
    "fr": Wording(
        "Réponse",
        "Réponds à la question à choix multiple suivante. Écris la réponse sur la dernière ligne, sous la forme "
        "« Réponse : LETTRE », où LETTRE est l'une de {letters}.",
    ),
    "ha": Wording(
        "Amsa",
        "Amsa wannan tambaya mai zaɓi. Rubuta amsar a layi na ƙarshe kamar haka: “Amsa: HARAFI”, inda HARAFI ɗaya ne "
        "daga cikin {letters}.",
    ),
    "he": Wording(
        "תשובה",
        'ענו על השאלה הבאה, שיש לבחור לה תשובה. כתבו את התשובה בשורה האחרונה בצורה "תשובה: אות", '
        "כאשר האות היא אחת מ-{letters}.",
    ),
    "hi": Wording(
        "उत्तर",
        "निम्नलिखित बहुविकल्पीय प्रश्न का उत्तर दें। अंतिम पंक्ति में उत्तर इस रूप में लिखें: “उत्तर: अक्षर”, जहाँ अक्षर {letters} में से एक है।",
    ),
    "id": Wording(
        "Jawaban",
        "Jawablah pertanyaan pilihan ganda berikut. Tulis jawaban pada baris terakhir dalam bentuk “Jawaban: HURUF”, "
        "dengan HURUF salah satu dari {letters}.",
    ),
    "ig": Wording(
        "Azịza",
        "Zaa ajụjụ a nwere nhọrọ. Dee azịza n'ahịrị ikpeazụ otu a: “Azịza: MKPỤRỤEDEMEDE”, ebe MKPỤRỤEDEMEDE bụ otu "
        "n'ime {letters}.",
    ),
    "it": Wording(
        "Risposta",
        "Rispondi alla seguente domanda a scelta multipla. Scrivi la risposta nell'ultima riga, nella forma "
        "«Risposta: LETTERA», dove LETTERA è una tra {letters}.",
    ),
    "ja": Wording(
        "答え",
        "次の選択式の問題に答えてください。最後の行に、答えを「答え: 文字」の形で書いてください。"
        "文字は{letters}のいずれかです。",
    ),
    "ko": Wording(
        "정답",
        "다음 객관식 문제에 답하세요. 마지막 줄에 “정답: 글자” 형식으로 답을 쓰세요. 글자는 {letters} 중 하나입니다.",
    ),
    "ky": Wording(
        "Жооп",
        "Төмөнкү тандоо суроосуна жооп бериңиз. Жоопту акыркы сапка мындай жазыңыз: «Жооп: ТАМГА», мында ТАМГА — "
        "{letters} тамгаларынын бири.",
    ),
    "lt": Wording(
        "Atsakymas",
        "Atsakykite į šį klausimą su pasirenkamais atsakymais. Paskutinėje eilutėje parašykite atsakymą taip: "
        "„Atsakymas: RAIDĖ“, kur RAIDĖ yra viena iš {letters}.",
    ),
    "mg": Wording(
        "Valiny",
        "Valio ity fanontaniana misy safidy ity. Soraty amin'ny andalana farany toy izao ny valiny: “Valiny: LITERA”, "
        "ka iray amin'ireo {letters} ny LITERA.",
    ),
    "ms": Wording(
        "Jawapan",
        "Jawab soalan aneka pilihan berikut. Tulis jawapan pada baris terakhir dalam bentuk “Jawapan: HURUF”, dengan "
        "HURUF salah satu daripada {letters}.",
    ),
    "ne": Wording(
        "उत्तर",
        "तलको बहुवैकल्पिक प्रश्नको उत्तर दिनुहोस्। अन्तिम लाइनमा उत्तर यसरी लेख्नुहोस्: “उत्तर: अक्षर”, जहाँ अक्षर {letters} मध्ये एक हो।",
    ),
    "nl": Wording(
        "Antwoord",
        "Beantwoord de volgende meerkeuzevraag. Schrijf het antwoord op de laatste regel, in de vorm "
        "“Antwoord: LETTER”, waarbij LETTER een van {letters} is.",
    ),
    "ny": Wording(
        "Yankho",
        "Yankhani funso lotsatirali posankha yankho limodzi. Lembani yankho pa mzere womaliza motere: "
        "“Yankho: CHILEMBO”, pomwe CHILEMBO ndi chimodzi mwa {letters}.",
    ),
    "pl": Wording(
        "Odpowiedź",
        "Odpowiedz na poniższe pytanie wielokrotnego wyboru. W ostatnim wierszu napisz odpowiedź w postaci "
        "„Odpowiedź: LITERA”, gdzie LITERA to jedna z {letters}.",
    ),
    "pt": Wording(
        "Resposta",
        "Responda à seguinte pergunta de múltipla escolha. Escreva a resposta na última linha, na forma "
        "“Resposta: LETRA”, em que LETRA é uma de {letters}.",
    ),
    "ro": Wording(
        "Răspuns",
        "Răspunde la următoarea întrebare cu variante de răspuns. Scrie răspunsul pe ultima linie, sub forma "
        "„Răspuns: LITERA”, unde LITERA este una dintre {letters}.",
    ),
    "ru": Wording(
        "Ответ",
        "Ответьте на следующий вопрос с вариантами ответа. В последней строке напишите ответ в виде "
        "«Ответ: БУКВА», где БУКВА — одна из {letters}.",
    ),
    "si": Wording(
        "පිළිතුර",
        "පහත බහුවරණ ප්‍රශ්නයට පිළිතුරු දෙන්න. අවසාන පේළියේ පිළිතුර මෙසේ ලියන්න: “පිළිතුර: අකුර”. අකුර {letters} යන අකුරුවලින් එකකි.",
    ),
    "sn": Wording(
        "Mhinduro",
        "Pindura mubvunzo unotevera une mhinduro dzekusarudza. Nyora mhinduro pamutsara wekupedzisira seizvi: "
        "“Mhinduro: BHII”, apo BHII riri rimwe pakati pa{letters}.",
    ),
    "so": Wording(
        "Jawaab",
        "Ka jawaab su'aashan xulashada leh. Jawaabta ku qor sadarka ugu dambeeya sidan: “Jawaab: XARAF”, halka XARAF "
        "uu yahay mid ka mid ah {letters}.",
    ),
    "sr": Wording(
        "Одговор",
        "Одговорите на следеће питање са понуђеним одговорима. У последњем реду напишите одговор у облику "
        "„Одговор: СЛОВО“, где је СЛОВО једно од {letters}.",
    ),
    "sv": Wording(
        "Svar",
        "Besvara följande flervalsfråga. Skriv svaret på sista raden, i formen ”Svar: BOKSTAV”, där BOKSTAV är en av "
        "{letters}.",
    ),
    "sw": Wording(
        "Jibu",
        "Jibu swali lifuatalo la kuchagua. Andika jibu kwenye mstari wa mwisho kwa muundo “Jibu: HERUFI”, ambapo "
        "HERUFI ni mojawapo ya {letters}.",
    ),
    "te": Wording(
        "సమాధానం",
        "క్రింది బహుళైచ్ఛిక ప్రశ్నకు సమాధానం ఇవ్వండి. చివరి వరుసలో సమాధానాన్ని ఇలా రాయండి: “సమాధానం: అక్షరం”. అక్షరం {letters} లలో ఒకటి.",
    ),
    "tr": Wording(
        "Cevap",
        "Aşağıdaki çoktan seçmeli soruyu yanıtlayın. Cevabı son satıra “Cevap: HARF” biçiminde yazın; HARF, {letters} "
        "harflerinden biridir.",
    ),
    "uk": Wording(
        "Відповідь",
        "Дайте відповідь на запитання з варіантами. В останньому рядку напишіть відповідь у вигляді "
        "«Відповідь: ЛІТЕРА», де ЛІТЕРА — одна з {letters}.",
    ),
    "vi": Wording(
        "Đáp án",
        "Hãy trả lời câu hỏi trắc nghiệm sau. Viết đáp án ở dòng cuối cùng theo dạng “Đáp án: CHỮ CÁI”, trong đó "
        "CHỮ CÁI là một trong {letters}.",
    ),
    "yo": Wording(
        "Ìdáhùn",
        "Dáhùn ìbéèrè aláṣàyàn yìí. Kọ ìdáhùn sí ìlà tó kẹ́yìn báyìí: “Ìdáhùn: LẸ́TÀ”, níbi tí LẸ́TÀ ti jẹ́ ọ̀kan "
        "nínú {letters}.",
    ),
    "zh": Wording(
        "答案",
        "请回答下面的选择题。在最后一行按“答案：字母”的格式写出答案，其中字母是{letters}之一。",
    ),
}


def native_prompt(language: str, question: str, options: Sequence[str | float]) -> str:
    """Format the prompt of a question in its language, an ISO 639 code; for English it is core's prompt.

    Raises:
        ValueError: The language has no prompt, or there are more options than letters.
    """
    if language == "en":
        return create_dynamic_multiple_choice_prompt(question, options)
    if language not in WORDINGS:
        raise ValueError(f"the language {language!r} has no prompt (known: en, {', '.join(WORDINGS)})")
    instruction = WORDINGS[language].instruction.format(letters=", ".join(option_letters(len(options))))
    return "\n".join([instruction, "", question, "", *option_lines(options)])
