"""The phrases with which models announce the letter of an option in some sixty languages (`ANY`).

`ANY` reads all languages at once: the language of a completion need not be known, since a word of another language
counts only if a letter follows it. All words are in lower case; a table has them by language, separated by `|`, and
`words` flattens it.
"""

# ruff: noqa: RUF001 -- these are letters of other alphabets, not typos

import re
from collections.abc import Mapping, Sequence
from string import ascii_uppercase

from openbench.scorers.answer_phrases import ENGLISH, Language
from openbench_scorers.alphabets import LOOKALIKES, NATIVE_LETTERS


def words(table: Mapping[str, str]) -> tuple[str, ...]:
    """Return the distinct words and phrases of a table, which separates them by `|`."""
    return tuple(dict.fromkeys(word for line in table.values() for word in line.split("|")))


# "Answer": any link may follow ("Answer: B", "the answer to this is B", "answer B").
ANSWERS = {
    "English": ENGLISH.answers,
    "Afrikaans, Dutch": "antwoord|eindantwoord",
    "Albanian": "përgjigja|përgjigje",
    "Amharic": "መልስ|መልሱ",
    "Arabic, Persian, Urdu": "إجابة|اجابة|جواب|پاسخ",
    "Armenian": "պատասխան|պատասխանը",
    "Azerbaijani, Turkish, Uzbek": "cavab|cevap|cevabı|yanıt|yanıtı|javob|doğru seçenek|doğru şık",
    "Basque": "erantzuna",
    "Bengali, Assamese": "উত্তর|উত্তৰ|সঠিক বিকল্প",
    "Bulgarian, Serbian, Macedonian": "отговор|отговорът|отговора|одговор|odgovor",
    "Burmese": "အဖြေ",
    "Catalan, Galician, Portuguese": "resposta|gabarito",
    "Chichewa": "yankho",
    "Chinese": "答案|答",
    "Czech, Slovak": "odpověď|odpovědí|odpoveď|odpoveďou",
    "Danish, Norwegian, Swedish, Icelandic": "svar|svaret|svarið|fasit|slutsvar",
    "Estonian": "vastus",
    "Filipino": "sagot|kasagutan",
    "Finnish": "vastaus",
    "French": "réponse|reponse",
    "Georgian": "პასუხია|პასუხი",
    "German": "antwort|endantwort|lösung",
    "Greek": "απάντηση",
    "Gujarati": "જવાબ",
    "Hausa": "amsa|amsar",
    "Hebrew": "תשובה",
    "Hindi, Marathi, Nepali": "उत्तर|जवाब|सही विकल्प",
    "Hungarian": "válasz",
    "Igbo": "azịza",
    "Indonesian, Malay": "jawaban|jawabannya|jawapan|jawapannya",
    "Italian": "risposta",
    "Japanese": "答え|正解|解答|回答",
    "Kannada": "ಉತ್ತರ",
    "Kazakh, Kyrgyz": "жауап|жауабы|жооп",
    "Khmer": "ចម្លើយ",
    "Korean": "답|답변",
    "Lao": "ຄຳຕອບ|ຄໍາຕອບ",
    "Latvian, Lithuanian": "atbilde|atsakymas",
    "Malagasy": "valiny",
    "Malayalam": "ഉത്തരം",
    "Mongolian": "хариулт",
    "Polish": "odpowiedź|odpowiedzią",
    "Punjabi": "ਉੱਤਰ|ਜਵਾਬ",
    "Romanian": "răspuns|răspunsul|raspuns|raspunsul",
    "Russian": "ответ|ответом",
    "Shona": "mhinduro",
    "Sinhala": "පිළිතුර",
    "Somali": "jawaab|jawaabta",
    "Spanish": "respuesta",
    "Swahili": "jibu",
    "Tamil": "பதில்|விடை",
    "Telugu": "సమాధానం|జవాబు",
    "Thai": "ตอบ|เฉลย",
    "Ukrainian": "відповідь|відповіддю",
    "Vietnamese": "đáp án|trả lời",
    "Yoruba": "ìdáhùn",
    "Zulu, Xhosa": "impendulo",
}

# "Option", "the correct one": a colon or "is" must follow immediately ("correct option: B", not "option B").
OPTIONS = {
    "English": ENGLISH.options,
    "Arabic, Persian, Urdu": "خيار|الخيار|گزینه|آپشن",
    "Chinese": "选项|選項",
    "Czech, Slovak, Croatian": "možnost|možnosť|opcija",
    "Danish, Norwegian, Swedish": "alternativ|mulighed",
    "Dutch": "optie",
    "Finnish": "vaihtoehto",
    "French": "option",
    "German": "option|richtig",
    "Hindi, Marathi, Bengali": "विकल्प|पर्याय|বিকল্প",
    "Indonesian, Vietnamese": "pilihan|opsi|lựa chọn|phương án",
    "Italian": "opzione",
    "Japanese": "選択肢",
    "Polish": "opcja",
    "Portuguese, Galician": "alternativa|opção|letra",
    "Romanian": "varianta|opțiunea",
    "Russian, Ukrainian": "вариант|варіант",
    "Spanish, Catalan": "opción|opció|alternativa|letra",
    "Turkish": "seçenek|şık",
}

# "I choose": the letter must follow immediately.
CHOICES = {
    "English": ENGLISH.choices,
    "Chinese": "故选|故選|所以选|所以選|因此选|因此選|选择|選擇|应选|應選|本题选|本題選|我选|我選",
    "Dutch": "ik kies",
    "French": "je choisis|je choisirais",
    "German": "ich wähle",
    "Italian": "scelgo",
    "Japanese": "正しいのは|適切なのは|正しい選択肢は",
    "Polish": "wybieram|odpowiedź to|odpowiedzią to",
    "Portuguese": "escolho",
    "Russian, Ukrainian": "я выбираю|выбираю|я обираю|обираю",
    "Spanish": "elijo|escojo",
    "Vietnamese": "chọn",
}

# Conclusions that do not mention an answer ("so it's B"). Read only if nothing above was found.
CONCLUSIONS = {
    "English": ENGLISH.conclusions,
    "Chinese": "所以是|因此是|应该是|认为是|認為是|而是|選|选",
    "French, Italian, Spanish": "donc|quindi|por lo tanto|por tanto",
    "German": "also|daher",
    "Japanese, Korean": "ではなく|아니라",
    "Korean": "것은",
}

# After a letter: phrases that declare it the answer. Read only if no answer was announced.
VERDICTS = {
    "English": ENGLISH.verdicts,
    "Arabic": "هو الصحيح|هي الصحيحة|صحيح",
    "Bengali": "সঠিক",
    "Chinese": "是正确|正确|是對的|是对的|是正確|正確",
    "French": "est correct|est correcte|est la bonne",
    "German": "ist richtig|ist korrekt|ist die richtige",
    "Hindi": "सही है|सही उत्तर",
    "Italian": "è corretta|è quella corretta",
    "Japanese": "が正解|が正しい",
    "Korean": "가 정답|이 정답",
    "Persian": "صحیح است|درست است",
    "Portuguese": "está correta|está correto|é a correta|é a alternativa correta",
    "Russian": "верный|верен|правильный",
    "Spanish": "es correcta|es correcto|es la correcta",
}

# After a verdict: words that reverse it. A pattern.
DENIALS = "ন(?:য\u09bc|\u09df)|না|नहीं"

# Between a cue and its letter: "the answer, then, *is* B", "the answer'*s* B".
LINKS = {
    "English": ENGLISH.links,
    "Amharic, Swahili, Hausa": "ni|ce",
    "Arabic, Persian, Urdu": "هو|هي|ہے",
    "Baltic": "ir|yra",
    "Bengali": "হল|হলো|হচ্ছে|হ'ল",
    "Bulgarian": "е",
    "Filipino, Tamil": "ay",
    "Finnish, Estonian": "on",
    "French": "est|serait|n'est|c'est",
    "German, Dutch": "ist|lautet|wäre|is",
    "Greek": "είναι",
    "Gujarati, Hindi, Nepali, Punjabi": "છે|है|हो|ਹੈ",
    "Hebrew": "היא|הוא",
    "Indonesian, Malay": "adalah|ialah",
    "Italian": "è|sarebbe",
    "Polish": "jest|brzmi",
    "Portuguese, Catalan": "é|és|seria|está",
    "Romanian": "este|e",
    "Russian": "является|это|будет",
    "Scandinavian": "är|er",
    "Slavic": "je|је",
    "Spanish": "es|sería",
    "Vietnamese": "là",
}

# The same, in scripts without spaces or with an appended link.
PARTICLES = "应该是|應該是|应为|應為|应该选|应选|是|为|為|选|選|は|が|은|는|이|가|ที่ถูกต้องคือ|ที่ถูกคือ|คือ|ແມ່ນ|မှာ"
NEGATIVE_PARTICLES = "不应该是|不是|不为|不選|不选"

# Between an answer cue and its colon: "Respuesta *correcta*: B".
QUALIFIERS = (
    f"{ENGLISH.qualifiers}|correcta|correta|certa|correcte|finale|corretta|giusta|esatta|richtige|الصحيحة"
    "|الصحيح|صحیح|درست|صحيح|النهائية|النهائي|צחיחה|הנכונה|הסופית|yang|benar|betul"
    "|tepat|đúng|chính|xác|cuối|cùng|akhir|akhirnya|sahihi|corect|correctă|finală"
    "|правильный|верный"
)

# Names of an option, between a cue and its letter: "the answer is *option* B".
NOUNS = {
    "English": ENGLISH.nouns,
    "Arabic, Persian, Urdu": "الخيار|الحرف|خيار|گزینه|گزینۀ|آپشن",
    "Bengali, Hindi": "বিকল্প|विकल्प|অপশন|ऑप्शन|पर्याय",
    "Danish, Swedish, Dutch": "alternativ|alternativet|mulighed|optie",
    "Finnish, Turkish": "vaihtoehto|seçenek",
    "French": "l'option|option|réponse|lettre",
    "German": "option|antwort|buchstabe",
    "Greek, Hebrew": "επιλογή|אפשרות|תשובה",
    "Indonesian, Malay, Vietnamese": "opsi|pilihan|phương án|lựa chọn",
    "Italian": "l'opzione|opzione|lettera",
    "Polish, Czech": "opcja|možnost|wariant",
    "Romanian": "varianta|opțiunea|litera",
    "Portuguese": "a alternativa|a letra|a opção|alternativa|letra|opção",
    "Russian, Ukrainian, Bulgarian": "вариант|варіант|ответ|пункт|буква|буквой|опция",
    "Spanish": "opción|letra|alternativa",
}

# Between a link and its letter: "the answer is *clearly the* B".
FILLERS = {
    "English": ENGLISH.fillers,
    "Dutch": "de|het|dus",
    "Danish, Norwegian, Swedish": "altså|derfor|således",
    "French": "la|le|l'|donc|alors|ainsi|bien|c'est",
    "German": "die|der|das|also|somit|daher|folglich|demnach",
    "Greek": "η|το",
    "Hungarian": "az",
    "Italian": "la|quindi|dunque|pertanto",
    "Polish": "więc|zatem",
    "Portuguese": "portanto|então|assim|a seguinte",
    "Spanish": "la|siguiente|entonces|por tanto|por lo tanto",
    "Swahili, Hausa": "ita",
}
# Articles of Hungarian and Portuguese, which are also letters: only those in lower case are skipped.
ARTICLES = "ao"
UNSPACED_FILLERS = "选项|選項|选择|選擇|选|選|選択肢|ข้อ"

NEGATIONS = f"{ENGLISH.negations}|nicht|kein|pas|n'est|não|non|nie|не|ne|niet|nem"
CONTRASTS = f"{ENGLISH.contrasts}|sondern|sino|mais|ma|mas|bensì|а|maar|而是|是"
UNSPACED_CONTRASTS = "而?是"

# After a letter: another letter means several answers.
JOINERS = {
    "spaced": f"{ENGLISH.joiners}|et|ou|und|oder|en|и|или|або"
    "|lub|i|ve|veya|dan|atau|và|hoặc|और|या|এবং|বা|و|أو|또는|와|과",
    "unspaced": "和|或|与|及|と|와|과|または",
}

# After the last of several letters: "정답은 A와 C입니다". A pattern.
COPULAS = "입니다|이다|です|である|है|हैं"

# After a letter: a verdict against it. A pattern.
REJECTIONS = (
    f"{ENGLISH.rejections}|还是|還是|ではな|ではあり|じゃな|가 아|이 아|नहीं|নয়|değil|不对|不對|错|錯|不正确"
    "|ist (?:falsch|nicht)|es incorrect|est incorrect"
)

# After a letter that is also a word ("A", "I"): signs that it is the letter. A pattern.
SEQUELS = (
    f"{ENGLISH.sequels}|porque|pues|ya que|parce|puisque|weil|denn|da"
    "|perché|poiché|omdat|потому|так как|ponieważ|bo|çünkü|karena|vì"
    "|es|est|ist|è|é|está|şıkk\\w*|seçene\\w*|dir|dır"
    "|است|ہے|है|हैं|आहे|हो|છે|ਹੈ|হয়|ነው|не"
)

# After a cue: an answer that names no letter.
NO_ANSWERS = {
    "English": ENGLISH.no_answers,
    "Bengali, Hindi": "কোনোটিই|इनमें से कोई नहीं|कोई नहीं",
    "Chinese": "以上|无法|無法|不知道|没有|沒有|都不",
    "French": "aucun|aucune|je ne sais",
    "German": "kein|keine|keiner|keines|ich weiß",
    "Italian": "nessuna|nessuno|non lo so",
    "Japanese": "なし|該当なし|わかりません",
    "Korean": "없음|모르",
    "Polish": "żadna|żadne|nie wiem",
    "Portuguese": "nenhuma|nenhum|não sei",
    "Russian": "ни один|нет правильного|не знаю|ничего из",
    "Spanish": "ninguna|ninguno|no sé|no lo sé",
}

# The beginning of a further question, before its number or its colon.
QUESTIONS = {
    "English": ENGLISH.questions,
    "Arabic, Hebrew": "سؤال|السؤال|שאלה",
    "Bengali, Hindi, Tamil, Telugu": "প্রশ্ন|प्रश्न|கேள்வி|ప్రశ్న",
    "Chinese": "问题|問題|题目|題目|问|問",
    "Dutch, German": "vraag|frage",
    "Greek": "ερώτηση",
    "Indonesian, Malay": "pertanyaan|soalan",
    "Japanese": "質問|問題",
    "Korean": "문제|질문",
    "Romance": "pregunta|pergunta|domanda|întrebare",
    "Scandinavian, Finnish, Hungarian": "spørgsmål|spørsmål|fråga|kysymys|kérdés",
    "Slavic": "вопрос|питання|pytanie|otázka|pitanje",
    "Swahili": "swali",
    "Thai": "คำถาม",
    "Turkish": "soru",
    "Vietnamese": "câu hỏi|câu",
}

_NATIVE: dict[str, str] = {}
for _sequence in NATIVE_LETTERS.values():
    for _token, _letter in zip(_sequence.split(), ascii_uppercase, strict=False):
        _NATIVE.setdefault(_token, _letter)

_LATIN_LABEL = re.compile(r"(?<!\w)[B-HС][).]")
_CYRILLIC_LABEL = re.compile(r"(?<!\w)[БГДбгд][).]")


def readings(letter: str, cue: str, text: str) -> Sequence[str]:
    """Return the Latin letters that a letter of another script may mean, the most likely first.

    A Cyrillic or Greek letter that looks like a Latin one is native after a cue in its own script, unless Latin letters
    label the options; elsewhere it is the Latin one.

    Args:
        letter: The letter.
        cue: The cue before it.
        text: The whole text, which may contain option labels.
    """
    small = letter.lower()
    native, latin = _NATIVE.get(small), LOOKALIKES.get(small)
    script = _script(letter)
    in_script = _script(cue) == script
    if script == "Greek" and cue and not in_script:
        # Greek letters are used as symbols in any language: "the answer is β".
        native, latin = None, latin if letter.isupper() else None
    labels = _labels(text) if script == "Cyrillic" else ""
    is_native = letter.islower() or (labels == script if labels else in_script or not script)
    ordered = (native, latin) if is_native else (latin, native)
    return [reading for reading in ordered if reading]


def _script(text: str) -> str:
    """Return the script of a text's first letter if it has letters that look Latin, else ""."""
    first = text[:1]
    return "Cyrillic" if "\u0400" <= first <= "\u04ff" else "Greek" if "\u0370" <= first <= "\u03ff" else ""


def _labels(text: str) -> str:
    """Return the script of the options' labels in a text; "" if it is unclear."""
    if _CYRILLIC_LABEL.search(text):
        return "Cyrillic"
    return "Latin" if _LATIN_LABEL.search(text) else ""


def _table(table: Mapping[str, str]) -> str:
    return "|".join(words(table))


ANY = Language(
    name="any",
    answers=_table(ANSWERS),
    options=_table(OPTIONS),
    choices=_table(CHOICES),
    conclusions=_table(CONCLUSIONS),
    verdicts=_table(VERDICTS),
    denials=DENIALS,
    links=_table(LINKS),
    particles=PARTICLES,
    negative_particles=NEGATIVE_PARTICLES,
    qualifiers=QUALIFIERS,
    nouns=_table(NOUNS),
    fillers=_table(FILLERS),
    articles=ARTICLES,
    unspaced_fillers=UNSPACED_FILLERS,
    negations=NEGATIONS,
    hedges=ENGLISH.hedges,
    contrasts=CONTRASTS,
    unspaced_contrasts=UNSPACED_CONTRASTS,
    joiners=JOINERS["spaced"],
    unspaced_joiners=JOINERS["unspaced"],
    copulas=COPULAS,
    rejections=REJECTIONS,
    sequels=SEQUELS,
    no_answers=_table(NO_ANSWERS),
    questions=_table(QUESTIONS),
    question_headings=(r"第\s?\d{1,4}\s?[题題問]", "第"),
    letters=frozenset({*_NATIVE, *LOOKALIKES}),
    read_letter=readings,
)
