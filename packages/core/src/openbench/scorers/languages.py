"""How models announce the letter of an option, by language.

All words are in lower case. A word of another language does no harm, since a letter must follow it; so the
tables need not know which language a completion is in. `words` flattens a table.
"""

# ruff: noqa: RUF001 -- these are letters of other alphabets, not slips

from collections.abc import Mapping


def words(table: Mapping[str, str]) -> tuple[str, ...]:
    """Return every word or phrase of a table, each once; they are separated by `|` there."""
    return tuple(dict.fromkeys(word for line in table.values() for word in line.split("|")))


# "Answer": any link may follow ("Answer: B", "the answer to this is B", "answer B").
ANSWERS = {
    "English": "answer|answers|ans|ans.|verdict",
    "LaTeX": r"\boxed|\fbox",
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
    "Malayalam": "ഉത്തരം",
    "Mongolian": "хариулт",
    "Polish": "odpowiedź|odpowiedzią",
    "Punjabi": "ਉੱਤਰ|ਜਵਾਬ",
    "Romanian": "răspuns|răspunsul|raspuns|raspunsul",
    "Russian": "ответ|ответом",
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

# "Option", "the correct one": a colon or "is" must follow at once ("correct option: B", not "option B").
OPTIONS = {
    "English": "option|choice|selection|selected|solution|response|conclusion|correction|letter|statement"
    "|correct|final|correct one|right one|best one|guess|result|output|assistant",
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

# "I choose": the letter must follow at once.
CHOICES = {
    "English": "i choose|i would choose|i'd choose|i'll choose|i chose|i pick|i would pick|i'd pick|i'll pick"
    "|i select|i would select|i'd select|i'll select|i go with|i would go with|i'd go with|i'll go with"
    "|i will go with|i am going with|i'm going with|i guess|i'd guess|my choice|my pick|changed to"
    "|lean toward|lean towards",
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

# What concludes without naming an answer ("so it's B"). Read only where nothing above was found.
CONCLUSIONS = {
    "English": "therefore|thus|hence|so|it is|it's|its|must be|which is|this is|i think|i believe|i'd say"
    "|i would say|go with|choose|select|pick|opt for|corresponds to|correspond to|matches|conclude that"
    "|in summary|to sum up|leaves|leaves us with|left with",
    "Chinese": "所以是|因此是|应该是|认为是|認為是|而是|選|选",
    "French, Italian, Spanish": "donc|quindi|por lo tanto|por tanto",
    "German": "also|daher",
    "Japanese, Korean": "ではなく|아니라",
}

# What says, after a letter, that it is the answer. Read only where no answer was announced.
VERDICTS = {
    "English": "is correct|is right|is the correct|is the right|is the best|is the answer|is the most appropriate"
    "|must be correct|must be right|must be the|would be the best|would be the correct|would be correct"
    "|seems correct|is therefore correct|is our answer|is my answer",
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

# After a verdict: what turns it round. A pattern.
DENIALS = "ন(?:য\u09bc|\u09df)|না|नहीं"

# Between a cue and its letter: "the answer, then, *is* B", "the answer'*s* B".
LINKS = {
    "English": "is|are|was|be|being|isn't|wasn't|remains|becomes|s",
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

# The same, in scripts that write no spaces or append the link.
PARTICLES = "应该是|應該是|应为|應為|应该选|应选|是|为|為|选|選|は|が|은|는|이|가|ที่ถูกต้องคือ|ที่ถูกคือ|คือ|ແມ່ນ|မှာ"
NEGATIVE_PARTICLES = "不应该是|不是|不为|不選|不选"

# Between an answer cue and its colon: "Respuesta *correcta*: B".
QUALIFIERS = frozenset(
    [
        "choice",
        "option",
        "letter",
        "key",
        "is",
        "correct",
        "final",
        "correcta",
        "correta",
        "certa",
        "final",
        "correcte",
        "finale",
        "corretta",
        "giusta",
        "esatta",
        "richtige",
        "الصحيحة",
        "الصحيح",
        "صحیح",
        "درست",
        "صحيح",
        "النهائية",
        "النهائي",
        "צחיחה",
        "הנכונה",
        "הסופית",
        "yang",
        "benar",
        "betul",
        "tepat",
        "đúng",
        "chính",
        "xác",
        "cuối",
        "cùng",
        "akhir",
        "akhirnya",
        "sahihi",
        "corect",
        "correctă",
        "finală",
        "правильный",
        "верный",
    ]
)

# What an option is called, between a cue and its letter: "the answer is *option* B".
NOUNS = {
    "English": "option|choice|answer|letter|answer choice|labeled|labelled|item",
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
    "English": "the|an|indeed|therefore|thus|then|likely|most|also|still|that|it is|it's|correct|with|of course|in fact"
    "|for sure|for certain|without doubt|without a doubt|without question|beyond doubt",
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
# Likewise any English adverb but those that deny or doubt. A pattern.
ADVERBS = (
    "(?!unlikely|hardly|scarcely|barely|rarely|improbably|incorrectly|wrongly|falsely|mistakenly|supposedly|allegedly"
    "|possibly|potentially|conceivably)[a-z]{1,15}ly"
)
# Articles of Hungarian and Portuguese, which are also letters: only these in lower case are passed over.
ARTICLES = "ao"
UNSPACED_FILLERS = "选项|選項|选择|選擇|选|選|選択肢|ข้อ"

NEGATIONS = frozenset(
    [
        "not",
        "never",
        "isn't",
        "wasn't",
        "cannot",
        "can't",
        "n't",
        "nicht",
        "kein",
        "pas",
        "n'est",
        "no",
        "não",
        "non",
        "nie",
        "не",
        "ne",
        "niet",
        "nem",
    ]
)
HEDGES = frozenset(["could", "might", "may"])
CONTRASTS = "but|rather|instead|it is|it's|is|sondern|sino|mais|ma|mas|bensì|а|maar|而是|是|should be"

# After a letter: another letter makes it several answers.
JOINERS = {
    "spaced": "and|or|y|o|e|et|ou|und|oder|en|of|и|или|або|lub|i|ve|veya|dan|atau|và|hoặc|और|या|এবং|বা|و|أو|또는|와|과",
    "unspaced": "和|或|与|及|と|와|과|または",
}

# After the last of several letters: "정답은 A와 C입니다". A pattern.
COPULAS = "입니다|이다|です|である|है|हैं"

# After a letter: a verdict against it. A pattern.
REJECTIONS = (
    "(?:is|are|was|would be|seems) (?:not|wrong|incorrect|false|never)|isn't|is also wrong"
    "|还是|還是|ではな|ではあり|じゃな|가 아|이 아|नहीं|নয়|değil|不对|不對|错|錯|不正确"
    "|ist (?:falsch|nicht)|es incorrect|est incorrect"
)

# After a letter that is also a word ("A", "I"): what shows that it is the letter. A pattern.
SEQUELS = (
    "because|since|as|is(?= (?:the )?(?:correct|right|best|answer|only|most|true|also))"
    "|due to|for the|from|over|instead|which|so|and not|if|but|although|though|with"
    "|porque|pues|ya que|car|parce|puisque|weil|denn|da|perché|poiché|omdat|потому|так как|ponieważ|bo|çünkü|karena|vì"
    "|es|est|ist|è|é|está|şıkk\\w*|seçene\\w*|dir|dır"
    "|است|ہے|है|हैं|आहे|हो|છે|ਹੈ|হয়|ነው|не"
)

# After a cue: an answer that names no letter.
NO_ANSWERS = {
    "English": "none|neither|n/a|null|unknown|not sure|unsure|both|either|all of the|all of them|no answer|cannot be"
    "|i don't know|i do not know|i am not|i'm not|i cannot|i can't|not given|undetermined|impossible to",
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

# How a further question begins, before its number or its colon.
QUESTIONS = {
    "English": "question|next question|new question",
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
