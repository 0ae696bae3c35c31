"""What counts as the answer to a multiple-choice question in languages other than English."""

# ruff: noqa: RUF001 -- letters that look alike in several scripts are what is tested

from functools import partial

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.model import get_model

from openbench.scorers import extraction
from openbench.scorers.answer_phrases import find_language
from openbench.scorers.mcq import create_mcq_scorer
from openbench.tasks.mcq import MCQEval, MCQRecord
from openbench_scorers.fallback import announced
from openbench_scorers.languages import ANY

Cases = dict[str, str | None]

extract_mcq_answer = partial(extraction.extract_mcq_answer, language=ANY)

# Language -> what the model wrote -> the letter that it answers with. The valid letters are A to J here.
LANGUAGES: dict[str, Cases] = {
    "Amharic": {"መልስ: B": "B", "መልሱ C ነው": "C", "መልስ: ሐ": "C"},
    "Arabic": {
        "الإجابة: B": "B",
        "الجواب: (ج)": "C",
        "الإجابة الصحيحة هي ب": "B",
        "الإجابة الصحيحة هي: د": "D",
        "الإجابة هي الخيار أ.": "A",
        "الإجابة الصحيحة هي (هـ)": "E",
        "الجواب الصحيح هو B.": "B",
        "ب": "B",
        "ب) باريس": "B",
        "لا أعرف": None,
    },
    "Armenian": {"Պատասխան՝ B": "B", "Պատասխան: Գ": "C"},
    "Azerbaijani": {"Cavab: E": "E", "Düzgün cavab B-dir.": "B"},
    "Basque": {"Erantzuna: B": "B"},
    "Bengali": {
        "উত্তর: ক": "A",
        "উত্তর: খ": "B",
        "উত্তর: গ": "C",
        "উত্তর: ঘ": "D",
        "উত্তর: ঙ": "E",
        "উত্তর: B": "B",
        "সঠিক উত্তর হলো খ।": "B",
        "সঠিক উত্তর হল (গ) ঢাকা": "C",
        "উত্তর: অ": "A",
        "উত্তর: আ": "B",
        "উত্তর: বি": "B",
        "খ": "B",
        "(খ) ঢাকা": "B",
        "উত্তর: কলকাতা": None,
        "উত্তর জানি না": None,
    },
    "Bulgarian": {"Отговор: Б": "B", "Правилният отговор е Г.": "D", "Верният отговор е B": "B"},
    "Burmese": {"အဖြေ: B": "B", "အဖြေမှာ (ခ)": "B"},
    "Catalan": {"La resposta correcta és B.": "B", "Resposta: C": "C"},
    "Chinese": {
        "答案：C": "C",
        "答案：Ｃ": "C",
        "答案是B": "B",
        "答案是 B。": "B",
        "答案为：D": "D",
        "正确答案是：(B)": "B",
        "正确答案是选项B。": "B",
        "正确答案应该是C。": "C",
        "答案选D": "D",
        "因此，答案是**A**。": "A",
        "所以选B。": "B",
        "故选：C": "C",
        "故选 D。": "D",
        "因此选择B选项。": "B",
        "我选择B": "B",
        "本题选E": "E",
        "【答案】B": "B",
        "【答案】：（C）": "C",
        "正確答案是 D": "D",
        "選項C是正確的。": "C",
        "选项B正确。选项A错误。": "B",
        "答案：乙": "B",
        "B。因为巴黎是首都。": "B",
        "B、巴黎": "B",
        "（B）": "B",
        "答案不是B，而是C。": "C",
        "答案不是B。": None,
        "答案：A和C": None,
        "答案：A、C": None,
        "答案：以上都不对": None,
        "我不知道。": None,
        "A、北京 B、上海 C、广州": None,
        "答案是A。不对，重新计算，答案是C。": "C",
        "答案：B\n\n问题：下一题？\n答案：C": "B",
    },
    "Croatian and Serbian": {"Odgovor: B": "B", "Točan odgovor je C.": "C", "Одговор: Б": "B"},
    "Czech": {"Odpověď: B": "B", "Správná odpověď je C.": "C", "Správná odpověď: D)": "D"},
    "Danish": {"Svar: B": "B", "Det rigtige svar er C.": "C", "Svaret er: D": "D"},
    "Dutch": {"Antwoord: B": "B", "Het juiste antwoord is C.": "C", "Het antwoord is optie D": "D"},
    "Estonian": {"Vastus: B": "B", "Õige vastus on C.": "C"},
    "Filipino": {"Sagot: B": "B", "Ang tamang sagot ay C.": "C"},
    "Finnish": {"Vastaus: B": "B", "Oikea vastaus on C.": "C", "Oikea vaihtoehto on D.": "D"},
    "French": {
        "Réponse : B": "B",
        "Réponse: E": "E",
        "La réponse est C.": "C",
        "La bonne réponse est la réponse D.": "D",
        "La bonne réponse est l'option B.": "B",
        "La réponse correcte est donc (A).": "A",
        "La réponse est A car il pleut.": "A",
        "La réponse est a": "A",
        "Je choisis B.": "B",
        "L'option C est correcte.": "C",
        "La réponse n'est pas B mais C.": "C",
        "Réponse : aucune des réponses": None,
        "Réponse : A et C": None,
        "La réponse est à trouver": None,
    },
    "Galician and Portuguese": {
        "Resposta: E": "E",
        "A resposta correta é B.": "B",
        "A resposta é a letra C.": "C",
        "A resposta certa é a alternativa (D).": "D",
        "Alternativa correta: B": "B",
        "Gabarito: C": "C",
        "Letra D": "D",
        "A opção B está correta.": "B",
        "A resposta é A porque chove.": "A",
        "A resposta é o Brasil": None,
        "Resposta: nenhuma das anteriores": None,
        "Não sei.": None,
    },
    "Georgian": {"პასუხი: B": "B", "პასუხი: ბ": "B"},
    "German": {
        "Antwort: B": "B",
        "Die Antwort ist C.": "C",
        "Die richtige Antwort ist (D).": "D",
        "Die richtige Antwort lautet: A": "A",
        "Die richtige Antwort ist Option B.": "B",
        "Richtig ist Antwort C.": "C",
        "Lösung: D": "D",
        "Ich wähle B.": "B",
        "Option C ist richtig.": "C",
        "Die Antwort ist nicht B, sondern C.": "C",
        "Die Antwort ist nicht B.": None,
        "Antwort: A und C": None,
        "Antwort: Keine der genannten": None,
        "Ich weiß es nicht.": None,
    },
    "Greek": {
        "Απάντηση: Β": "B",
        "Η απάντηση είναι Γ.": "C",
        "Η σωστή απάντηση είναι η Δ.": "D",
        "Απάντηση: γ": "C",
        "Απάντηση: B": "B",
        "Γ": "C",
    },
    "Gujarati": {"જવાબ: B": "B", "સાચો જવાબ છે: C": "C", "જવાબ: બ": "B"},
    "Hausa": {"Amsa: B": "B", "Amsar ita ce C": "C"},
    "Hebrew": {
        "תשובה: ב": "B",
        "התשובה היא ג.": "C",
        "התשובה הנכונה היא ד'": "D",
        "התשובה הנכונה היא B": "B",
        "תשובה: אולי": None,
    },
    "Hindi": {
        "उत्तर: क": "A",
        "उत्तर: ख": "B",
        "उत्तर: ग": "C",
        "उत्तर: घ": "D",
        "उत्तर: अ": "A",
        "उत्तर: ब": "B",
        "उत्तर: स": "C",
        "उत्तर: द": "D",
        "उत्तर: बी": "B",
        "उत्तर: (B)": "B",
        "सही उत्तर B है।": "B",
        "सही उत्तर विकल्प ग है।": "C",
        "सही उत्तर है: (D)": "D",
        "सही जवाब है: C": "C",
        "विकल्प C सही है।": "C",
        "सही विकल्प (B) है": "B",
        "(ख) दिल्ली": "B",
        "उत्तर: कमल": None,
        "उत्तर B नहीं है।": None,
        "मुझे नहीं पता": None,
    },
    "Hungarian": {
        "Válasz: B": "B",
        "A helyes válasz: C": "C",
        "A helyes válasz a C.": "C",
        "A válasz a B.": "B",
    },
    "Icelandic": {"Svar: B": "B", "Rétt svar er C.": "C"},
    "Indonesian and Malay": {
        "Jawaban: B": "B",
        "Jawaban yang benar adalah C.": "C",
        "Jawabannya adalah D.": "D",
        "Jawapan: E": "E",
        "Jawapan yang betul ialah A.": "A",
        "Jadi, jawabannya adalah (B).": "B",
    },
    "Italian": {
        "Risposta: B": "B",
        "La risposta è C.": "C",
        "La risposta corretta è la D.": "D",
        "La risposta corretta è: (E)": "E",
        "La risposta giusta è l'opzione B.": "B",
        "Scelgo B.": "B",
        "Risposta: nessuna delle precedenti": None,
    },
    "Japanese": {
        "答え: B": "B",
        "答え：Ｂ": "B",
        "答えはBです。": "B",
        "答えは（C）です。": "C",
        "正解はDである。": "D",
        "正解: イ": "B",
        "正解はウです。": "C",
        "解答：エ": "D",
        "回答：C": "C",
        "したがって、正解はAです。": "A",
        "Cが正解です。": "C",
        "選択肢Bが正しい。": "B",
        "答えはBではありません。": None,
        "答えはアメリカです。": None,
        "わかりません": None,
        "イ": "B",
    },
    "Kannada": {"ಉತ್ತರ: B": "B", "ಸರಿಯಾದ ಉತ್ತರ: ಬಿ": "B"},
    "Kazakh": {"Жауап: B": "B", "Дұрыс жауап: Б": "B"},
    "Khmer": {"ចម្លើយ: B": "B", "ចម្លើយ: ខ": "B"},
    "Korean": {
        "정답: C": "C",
        "정답은 C입니다": "C",
        "정답은 C입니다.": "C",
        "정답은 (D)입니다.": "D",
        "정답은 **B**입니다.": "B",
        "답은 A이다.": "A",
        "답: E": "E",
        "정답은 'C'입니다": "C",
        "정답: 나": "B",
        "정답은 다입니다.": "C",
        "따라서 정답은 B. 파리입니다.": "B",
        "C가 정답입니다.": "C",
        "가장 적절한 것은 B입니다.": "B",
        "옳지 않은 것은 **B**이다.": "B",
        "옳은 것은 A이지만 정답은 B입니다.": "B",
        "옳은 것은 A와 C입니다.": None,
        "옳은 것은 B가 아닙니다.": None,
        "정답은 B가 아닙니다.": None,
        "정답: 나비": None,
        "모르겠습니다.": None,
    },
    "Lao": {"ຄຳຕອບ: B": "B", "ຄຳຕອບແມ່ນ C": "C"},
    "Latvian": {"Atbilde: B": "B", "Pareizā atbilde ir C.": "C"},
    "Lithuanian": {"Atsakymas: B": "B", "Teisingas atsakymas yra C.": "C"},
    "Malayalam": {"ഉത്തരം: B": "B", "ശരിയായ ഉത്തരം: സി": "C"},
    "Marathi and Nepali": {"उत्तर: B": "B", "सही उत्तर हो: C": "C", "योग्य उत्तर B आहे": "B"},
    "Mongolian": {"Хариулт: B": "B"},
    "Norwegian": {"Svar: B": "B", "Riktig svar er C.": "C"},
    "Persian": {"پاسخ: B": "B", "پاسخ صحیح گزینه ب است.": "B", "جواب: الف": "A"},
    "Polish": {
        "Odpowiedź: B": "B",
        "Poprawna odpowiedź to C.": "C",
        "Prawidłowa odpowiedź: D": "D",
        "Prawidłową odpowiedzią jest B.": "B",
        "Odpowiedź: żadna": None,
    },
    "Punjabi": {"ਉੱਤਰ: B": "B", "ਜਵਾਬ: C": "C", "ਸਹੀ ਜਵਾਬ ਹੈ: D": "D"},
    "Romanian": {"Răspuns: B": "B", "Răspunsul corect este C.": "C", "Răspunsul este (D).": "D"},
    "Russian": {
        "Ответ: B": "B",
        "Ответ: Б": "B",
        "Ответ: Г": "D",
        "Ответ: а": "A",
        "Ответ: б)": "B",
        "Правильный ответ: D": "D",
        "Правильный ответ — C.": "C",
        "Правильный ответ - Б.": "B",
        "Правильным ответом является Г.": "D",
        "Ответ: вариант B": "B",
        "Верный ответ: (Д)": "E",
        "Я выбираю B.": "B",
        "Вариант Б верный.": "B",
        "Ответ не B, а C.": "C",
        "Ответ: в Москве": None,
        "Ответ: ни один из них": None,
        "Я не знаю.": None,
    },
    "Sinhala": {"පිළිතුර: B": "B"},
    "Slovak": {"Odpoveď: B": "B", "Správna odpoveď je C.": "C"},
    "Slovenian": {"Odgovor: B": "B", "Pravilen odgovor je C.": "C"},
    "Spanish": {
        "Respuesta: E": "E",
        "Respuesta: B": "B",
        "La respuesta es C.": "C",
        "La respuesta correcta es la D.": "D",
        "La respuesta correcta es la opción (B).": "B",
        "La opción correcta es la A.": "A",
        "La respuesta correcta es: **B) París**": "B",
        "La respuesta es A porque llueve.": "A",
        "La opción C es correcta.": "C",
        "Elijo B.": "B",
        "La respuesta no es B, sino C.": "C",
        "Respuesta: A y C": None,
        "Respuesta: ninguna de las anteriores": None,
        "La respuesta es a veces difícil": None,
        "No sé.": None,
    },
    "Swahili": {"Jibu: B": "B", "Jibu sahihi ni C.": "C"},
    "Swedish": {"Svar: B": "B", "Rätt svar är C.": "C", "Svaret är D": "D"},
    "Tamil": {"பதில்: B": "B", "விடை: ஆ": "B", "சரியான விடை: (இ)": "C", "விடை: பி": "B"},
    "Telugu": {"సమాధానం: B": "B", "సరైన సమాధానం: సి": "C", "జవాబు: ఆ": "B"},
    "Thai": {
        "คำตอบ: ข": "B",
        "คำตอบ: B": "B",
        "คำตอบคือ C": "C",
        "คำตอบที่ถูกต้องคือ ค.": "C",
        "ตอบ ง": "D",
        "ข้อ ก": "A",
        "คำตอบคือข้อ ข": "B",
        "คำตอบ: กรุงเทพ": None,
    },
    "Turkish": {
        "Cevap: B": "B",
        "Doğru cevap C'dir.": "C",
        "Doğru cevap: D": "D",
        "Doğru cevap B şıkkıdır.": "B",
        "Yanıt: E": "E",
        "İşte cevap: A": "A",
        "Cevap B değil.": None,
    },
    "Ukrainian": {"Відповідь: B": "B", "Правильна відповідь: Г": "D", "Правильна відповідь — Б.": "B"},
    "Urdu": {"جواب: B": "B", "درست جواب ہے: ج": "C", "جواب: الف": "A"},
    "Uzbek": {"Javob: B": "B", "To‘g‘ri javob: C": "C"},
    "Vietnamese": {
        "Đáp án: B": "B",
        "Đáp án đúng là C.": "C",
        "Câu trả lời là D.": "D",
        "Trả lời: A": "A",
        "Chọn B": "B",
        "Vậy đáp án là B.": "B",
    },
    "Yoruba": {"Ìdáhùn: B": "B"},
    "Zulu and Xhosa": {"Impendulo: B": "B"},
}

# Language -> the same.
MORE: dict[str, Cases] = {
    "a run-on": {
        "답: B\n\n질문: 다음은?\n답: C": "B",
        "Respuesta: B\n\nPregunta 2: ¿Qué?\nRespuesta: C": "B",
        "Ответ: Б\n\nВопрос 2: Что?\nОтвет: В": "B",
        "उत्तर: ख\n\nप्रश्न: क्या?\nउत्तर: ग": "B",
        "答え: B\n\n問題：次は？\n答え: C": "B",
        "Jawaban: B\n\nPertanyaan: Apa?\nJawaban: C": "B",
        "Đáp án: B\n\nCâu 2: Gì?\nĐáp án: C": "B",
        "Cevap: B\n\nSoru 2: Ne?\nCevap: C": "B",
    },
    "not one but another, or either of two": {
        "答案是A还是B？我认为是B。": "B",
        "选 B 而不选 A": "B",
        "AではなくBです": "B",
        "답은 A가 아니라 B입니다": "B",
        "答案是A還是B？我認為是B。": "B",
        "正解はAではなくBです": "B",
        "答案是A而不是B": "A",
        "不是A而是B": "B",
    },
    "Chinese": {
        "正确答案：B、C": None,
        "答案是D，因为": "D",
        "因此答案为 (J)。": "J",
        "综上，选C": "C",
        "综上所述，正确选项为D。": "D",
        "答案：ＡＢ": None,
        "我无法回答": None,
        "最终答案：\\boxed{E}": "E",
        "【解析】A错误；B错误；故选C。": "C",
        "故答案为：B": "B",
        "所以正确的答案是 B": "B",
        "应该选择D选项": "D",
        "答案：无": None,
        "正解：B": "B",
    },
    "Korean": {
        "정답은 (가)입니다": "A",
        "최종 답변: D": "D",
        "따라서 답은 (B)이다.": "B",
        "정답: (J)": "J",
        "정답은 A와 C입니다": None,
        "정답은 없습니다.": None,
        "B번이 정답입니다.": "B",
        "정답은 B번입니다.": "B",
        "답을 모르겠습니다": None,
    },
    "Japanese": {
        "正解は「B」です。": "B",
        "答えは B です": "B",
        "答えは J です。": "J",
        "よって答えはＣ。": "C",
        "最終的な答え：D": "D",
        "答えはAとCです。": None,
        "正解は（ウ）": "C",
        "正しいのはBです。": "B",
        "解答はDになります。": "D",
    },
    "Hindi": {
        "सही उत्तर (ग) है": "C",
        "अंतिम उत्तर: J": "J",
        "उत्तर: (घ) दिल्ली": "D",
        "सही विकल्प ख है": "B",
        "उत्तर A और B": None,
        "अतः सही उत्तर विकल्प (B) है।": "B",
        "सही उत्तर: **C**": "C",
    },
    "Arabic": {
        "الإجابة الصحيحة: (أ)": "A",
        "الإجابة النهائية: J": "J",
        "الخيار الصحيح هو ج": "C",
        "الجواب هو: د": "D",
        "الإجابة: أ و ب": None,
        "الإجابة الصحيحة هي الخيار (ب)": "B",
    },
    "Russian": {
        "Правильный вариант: Б": "B",
        "Правильный ответ: Б)": "B",
        "Итак, ответ: J": "J",
        "Ответ: А и Б": None,
        "Правильный ответ — вариант Г.": "D",
        "Окончательный ответ: (C)": "C",
        "Верный вариант — Б.": "B",
        "Ответ под буквой Б": "B",
    },
    "Spanish": {
        "La respuesta correcta es la opción J.": "J",
        "La alternativa correcta es la B": "B",
        "Respuesta final: **C**": "C",
        "La respuesta es la letra D": "D",
        "Respuesta: A o B": None,
        "Por lo tanto, la respuesta es (C).": "C",
        "La opción correcta es: B) París": "B",
        "No puedo responder.": None,
        "La respuesta correcta sería la B.": "B",
    },
    "French": {
        "La réponse correcte est J.": "J",
        "Réponse finale : C": "C",
        "La bonne réponse est : B) Paris": "B",
        "La bonne réponse est donc la B.": "B",
        "Réponse : A ou B": None,
        "Je ne sais pas.": None,
        "La réponse est l’option C.": "C",
    },
    "German": {
        "Die Antwort ist J.": "J",
        "Richtige Antwort: B": "B",
        "Die korrekte Antwort ist somit C.": "C",
        "Endgültige Antwort: D": "D",
        "Antwort: A oder B": None,
        "Antwort B ist richtig.": "B",
        "Die richtige Lösung ist (E).": "E",
    },
    "Portuguese": {
        "A resposta correta é a letra J.": "J",
        "Resposta final: C": "C",
        "A alternativa correta é a B.": "B",
        "Resposta: A ou B": None,
        "A resposta é a": "A",
        "A resposta correta é: D) Madri": "D",
    },
    "Italian": {
        "La risposta corretta è J.": "J",
        "Risposta finale: C": "C",
        "La risposta esatta è la B.": "B",
        "Risposta: A o B": None,
        "L'opzione corretta è la C.": "C",
    },
    "Indonesian": {
        "Jawaban: J": "J",
        "Jawaban yang tepat adalah opsi C.": "C",
        "Jawaban akhir: B": "B",
        "Jawaban: A dan B": None,
        "Jawabannya adalah pilihan D": "D",
        "Jadi jawaban yang benar adalah C. Roma": "C",
    },
    "Vietnamese": {
        "Đáp án: J": "J",
        "Đáp án chính xác là B.": "B",
        "Đáp án cuối cùng: C": "C",
        "Câu trả lời đúng là C.": "C",
        "Đáp án: A và B": None,
        "Vậy chọn đáp án D.": "D",
    },
    "Turkish": {
        "Cevap: J": "J",
        "Doğru cevap B'dir.": "B",
        "Doğru cevap: C) Roma": "C",
        "Doğru seçenek D'dir.": "D",
        "Cevap: A ve B": None,
        "Nihai cevap: E": "E",
    },
    "Polish": {
        "Odpowiedź: J": "J",
        "Prawidłowa odpowiedź to B.": "B",
        "Ostateczna odpowiedź: C": "C",
        "Odpowiedź: A lub B": None,
        "Poprawną odpowiedzią jest D": "D",
    },
    "Dutch": {
        "Antwoord: J": "J",
        "Het juiste antwoord is B.": "B",
        "Het antwoord is dus C.": "C",
        "Antwoord: A of B": None,
        "Eindantwoord: D": "D",
    },
    "Bengali": {
        "উত্তর: J": "J",
        "সঠিক উত্তর: (গ)": "C",
        "সঠিক উত্তর হল ঘ": "D",
        "উত্তর: ক এবং খ": None,
        "চূড়ান্ত উত্তর: B": "B",
    },
    "Thai": {
        "คำตอบ: J": "J",
        "คำตอบที่ถูกต้องคือข้อ ข": "B",
        "ดังนั้น คำตอบคือ ค": "C",
        "คำตอบคือ (ง)": "D",
        "ตอบข้อ ก": "A",
    },
    "Ukrainian": {
        "Відповідь: J": "J",
        "Правильна відповідь: Б": "B",
        "Відповідь: А або Б": None,
        "Правильний варіант: В": "C",
    },
    "Greek": {
        "Απάντηση: Α": "A",
        "Η σωστή απάντηση είναι το Β.": "B",
        "Απάντηση: J": "J",
    },
    "Hebrew": {
        "תשובה: J": "J",
        "התשובה הנכונה היא (ג)": "C",
        "התשובה היא א": "A",
    },
    "Persian": {
        "پاسخ: J": "J",
        "پاسخ درست: ب": "B",
        "گزینه ج صحیح است": "C",
        "پاسخ صحیح گزینه (د) است": "D",
    },
    "Urdu": {
        "جواب: J": "J",
        "صحیح جواب (ب) ہے": "B",
    },
    "Tamil": {
        "விடை: J": "J",
        "சரியான பதில் B": "B",
        "பதில்: (இ)": "C",
    },
    "Telugu": {
        "సమాధానం: J": "J",
        "సరైన సమాధానం B": "B",
    },
    "Swahili": {
        "Jibu: J": "J",
        "Jibu ni B.": "B",
    },
    "Yoruba": {
        "Ìdáhùn: J": "J",
        "Ìdáhùn ni B": "B",
    },
    "Marathi": {
        "उत्तर: J": "J",
        "योग्य पर्याय: ब": "B",
    },
    "Gujarati": {
        "જવાબ: J": "J",
        "સાચો જવાબ B છે": "B",
    },
    "Swedish": {
        "Svar: J": "J",
        "Rätt svar är alternativ B.": "B",
    },
    "Czech": {
        "Odpověď: J": "J",
        "Správná odpověď je možnost B.": "B",
    },
    "Hungarian": {
        "Válasz: J": "J",
        "A helyes válasz: B)": "B",
    },
    "Romanian": {
        "Răspuns: J": "J",
        "Răspunsul corect este varianta B.": "B",
    },
    "Finnish": {
        "Vastaus: J": "J",
        "Oikea vastaus on B": "B",
    },
    "Filipino": {
        "Sagot: J": "J",
        "Ang tamang sagot ay (B)": "B",
    },
    "Georgian": {
        "სწორი პასუხია ბ": "B",
        "პასუხი: გ": "C",
    },
    "Serbian": {
        "Тачан одговор је Б": "B",
        "Одговор: В": "C",
    },
    "Bengali, after the noun": {
        "বিকল্প খ সঠিক": "B",
        "বিকল্প খ সঠিক নয়": None,
        "বিকল্প খ সঠিক নামের": "B",
    },
    "Portuguese, with a noun left out": {
        "A resposta é a seguinte: D": "D",
        "A resposta correta é a seguinte: B": "B",
    },
}

CASES = [
    pytest.param(completion, expected, id=f"{language}-{number}")
    for language, cases in [*LANGUAGES.items(), *MORE.items()]
    for number, (completion, expected) in enumerate(cases.items())
]


@pytest.mark.parametrize(("completion", "expected"), CASES)
def test_stated_letter(completion: str, expected: str | None):
    assert extract_mcq_answer(completion, "ABCDEFGHIJ") == expected


# Cyrillic letters that look Latin are the third, the sixth... of their alphabet, or a slip of the keyboard.
LOOKALIKES: Cases = {
    "Ответ: А": "A",
    "Ответ: В": "C",
    "Ответ: Е": "F",
    "Ответ: С": "C",
    "А) Лондон\nБ) Париж\nВ) Рим\n\nОтвет: В": "C",
    "A) Лондон\nB) Париж\nC) Рим\n\nОтвет: В": "B",
    "А) Лондон\nВ) Париж\nС) Рим\n\nОтвет: В": "B",
    "Answer: В": "B",
    "The answer is С.": "C",
    "Answer: А": "A",
    "В": "B",
    "Б": "B",
    "Answer: Β": "B",
    "Answer: β": None,
    "The answer is Δ": None,
}


@pytest.mark.parametrize(("completion", "expected"), LOOKALIKES.items())
def test_lookalikes(completion: str, expected: str):
    assert extract_mcq_answer(completion, "ABCDEFGHIJ") == expected


def test_the_reading_that_is_valid_wins():
    assert extract_mcq_answer("Ответ: В", "AB") == "B"
    assert extract_mcq_answer("Ответ: Е", "ABCDE") == "E"


def test_option_text_in_other_scripts():
    assert extract_mcq_answer("答案：巴黎。", options=["伦敦", "巴黎"]) == "B"
    assert extract_mcq_answer("ঢাকা", options=["কলকাতা", "ঢাকা"]) == "B"
    assert extract_mcq_answer("Ответ: Париж", options=["Лондон", "ПАРИЖ"]) == "B"


# A letter that each language announces, for all ten letters: a frame, and the letters' names where they are native.
FRAMES: dict[str, tuple[str, str]] = {
    "Arabic": ("الإجابة: {}", "أ ب ج د هـ و ز ح ط ي"),
    "Bengali": ("সঠিক উত্তর: {}", "ক খ গ ঘ ঙ চ ছ জ ঝ ঞ"),
    "Chinese": ("答案：{}", "甲 乙 丙 丁 戊 己 庚"),
    "Greek": ("Απάντηση: {}", "α β γ δ ε ζ η θ ι κ"),
    "Hebrew": ("תשובה: {}", "א ב ג ד ה ו ז ח ט י"),
    "Hindi": ("उत्तर: {}", "क ख ग घ ङ च छ ज"),
    "Japanese": ("答え：{}", "ア イ ウ エ オ カ キ ク ケ コ"),
    "Korean": ("정답: {}", "가 나 다 라 마 바 사 아 자 차"),
    "Russian": ("Ответ: {}", "А Б В Г Д Е Ж З И К"),
    "Thai": ("คำตอบ: {}", "ก ข ค ง จ ฉ ช ซ"),
    **{
        language: (frame, "")
        for language, frame in {
            "Czech": "Odpověď: {}",
            "Dutch": "Het antwoord is {}.",
            "English": "The answer is ({}).",
            "Filipino": "Ang tamang sagot ay {}.",
            "Finnish": "Vastaus: {}",
            "French": "La réponse est {}.",
            "German": "Die Antwort ist {}.",
            "Hungarian": "Válasz: {}",
            "Indonesian": "Jawaban: {}",
            "Italian": "La risposta è {}.",
            "Polish": "Poprawna odpowiedź to {}.",
            "Portuguese": "A resposta é {}.",
            "Romanian": "Răspunsul corect este {}.",
            "Spanish": "La respuesta es {}.",
            "Swahili": "Jibu: {}",
            "Swedish": "Svaret är {}.",
            "Tamil": "விடை: {}",
            "Telugu": "సమాధానం: {}",
            "Turkish": "Cevap: {}",
            "Ukrainian": "Відповідь: {}",
            "Urdu": "جواب: {}",
            "Vietnamese": "Đáp án: {}",
        }.items()
    },
}


@pytest.mark.parametrize("language", FRAMES)
def test_every_letter_of_a_language(language: str):
    frame, native = FRAMES[language]
    letters = [*zip("ABCDEFGHIJ", "ABCDEFGHIJ", strict=True), *zip(native.split(), "ABCDEFGHIJ", strict=False)]
    wrong = {said: letter for said, letter in letters if extract_mcq_answer(frame.format(said), "ABCDEFGHIJ") != letter}
    assert wrong == {}


PADDING = "The treaty of that year moved the border, as the passage says at some length. "


def test_what_follows_an_answer_may_be_of_any_length():
    before, after = PADDING * 6, PADDING * 21
    texts = (f"{before}सही उत्तर: (ख) {after[:length]}x" for length in range(0, len(after), 7))
    assert {extract_mcq_answer(text, "ABCD") for text in texts} == {"B"}


def test_english_alone_does_not_read_other_languages():
    """A benchmark must request them: a score must not depend on what is installed."""
    assert extraction.extract_mcq_answer("答案：C", "ABCD") is None
    assert find_language("any") is ANY
    assert create_mcq_scorer(language="any")()


def test_a_task_asks_for_other_languages(tmp_path):
    (tmp_path / "rows.jsonl").write_text('{"question": "首都？"}\n', "utf-8")
    task = MCQEval(
        name="quiz",
        dataset_type="json",
        dataset_path=str(tmp_path / "rows.jsonl"),
        record_to_mcq_sample=lambda row: MCQRecord(row["question"], ["伦敦", "巴黎"], 1),
        language="any",
    )
    model = get_model("baseline/constant", answer="答案：B", memoize=False)
    [log] = inspect_eval(task, model=model, log_dir=str(tmp_path), display="none")
    assert log.results.scores[0].metrics["accuracy"].value == 1
    assert log.eval.scorers[0].options == {"language": "any"}


@pytest.mark.parametrize(
    ("text", "answer"), [("정답은 5", "5"), ("答案：5", "5"), ("Respuesta: 7.", "7"), ("Antwort: sieben", "sieben")]
)
def test_announcements_of_other_answers(text, answer):
    assert announced(text, ANY) == answer
