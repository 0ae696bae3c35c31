"""The letters that label options in each script."""

# ruff: noqa: RUF001 -- these are letters of other alphabets, not typos

# The letters of the options in each script, in order.
NATIVE_LETTERS = {
    "Amharic": "ሀ ለ ሐ መ ሠ ረ",
    "Arabic": "أ ب ج د هـ و ز ح ط ي",
    "Arabic, bare": "ا ب ج د ه",
    "Armenian": "ա բ գ դ ե զ",
    "Bengali, Assamese": "ক খ গ ঘ ঙ চ ছ জ ঝ ঞ",
    "Bengali, vowels": "অ আ ই ঈ উ ঊ",
    "Bengali, names": "এ বি সি ডি",
    "Burmese": "က ခ ဂ ဃ င",
    "Chinese": "甲 乙 丙 丁 戊 己 庚",
    "Cyrillic": "а б в г д е ж з и к",
    "Georgian": "ა ბ გ დ ე ვ",
    "Greek": "α β γ δ ε ζ η θ ι κ",
    "Gujarati": "અ બ ક ડ",
    "Hebrew": "א ב ג ד ה ו ז ח ט י",
    "Hindi": "क ख ग घ ङ च छ ज",
    "Hindi, after Latin": "अ ब स द",
    "Hindi, vowels": "अ आ इ ई उ ऊ",
    "Hindi, names": "ए बी सी डी ई",
    "Japanese": "ア イ ウ エ オ カ キ ク ケ コ",
    "Kannada": "ಎ ಬಿ ಸಿ ಡಿ",
    "Kannada, vowels": "ಅ ಆ ಇ ಈ",
    "Khmer": "ក ខ គ ឃ ង",
    "Korean": "가 나 다 라 마 바 사 아 자 차",
    "Lao": "ກ ຂ ຄ ງ",
    "Malayalam": "എ ബി സി ഡി",
    "Malayalam, vowels": "അ ആ ഇ ഈ",
    "Persian, Urdu": "الف ب ج د",
    "Punjabi": "ੳ ਅ ੲ ਸ",
    "Tamil": "அ ஆ இ ஈ உ",
    "Tamil, names": "ஏ பி சி டி",
    "Telugu": "ఎ బి సి డి",
    "Telugu, vowels": "అ ఆ ఇ ఈ",
    "Thai": "ก ข ค ง จ ฉ ช ซ",
}

# Letters that look like Latin capitals.
LOOKALIKES = dict(zip("авсеикмнорстхαβεζηικμνορτυχ", "ABCEIKMHOPCTXABEZHIKMNOPTYX", strict=True))
