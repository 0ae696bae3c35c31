"""Writes the sample rows of all benchmarks: `python packages/bench-vision/tools/draw_samples.py`.

The rows have the columns of their sources, with images as small PNG files in base64.
"""

# ruff: noqa: INP001 -- a script

import io
import json
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from PIL import Image, ImageDraw

Draw = ImageDraw.ImageDraw

SAMPLES = Path(__file__).parent.parent / "src" / "openbench_vision" / "samples"
COLOURS = ("steelblue", "orange", "seagreen", "firebrick", "purple")


def png(paint: Callable[[Draw], None], width: int = 160, height: int = 100) -> str:
    """Return a picture with few colours as PNG in base64."""
    image = Image.new("RGB", (width, height), "white")
    paint(ImageDraw.Draw(image))
    buffer = io.BytesIO()
    image.quantize(16).save(buffer, format="PNG", optimize=True)
    return b64encode(buffer.getvalue()).decode()


def file(picture: str) -> dict[str, str | None]:
    """Return a picture as an image column of the Hub has it."""
    return {"bytes": picture, "path": None}


def bars(values: Mapping[str, float]) -> str:
    """Draw a bar chart with its values."""

    def paint(draw: Draw) -> None:
        most, step = max(values.values()), 150 // len(values)
        for number, (name, value) in enumerate(values.items()):
            left, top = 8 + number * step, 84 - int(64 * value / most)
            draw.rectangle((left, top, left + step - 10, 84), fill=COLOURS[number % len(COLOURS)])
            draw.text((left, top - 12), f"{value:g}", fill="black")
            draw.text((left, 87), name, fill="black")

    return png(paint)


def page(*lines: str) -> str:
    """Draw a page of text."""

    def paint(draw: Draw) -> None:
        for number, line in enumerate(lines):
            draw.text((8, 8 + 14 * number), line, fill="black")

    return png(paint, 240, 20 + 14 * len(lines))


def shapes(*names: str) -> str:
    """Draw circles, squares and triangles in a row."""

    def paint(draw: Draw) -> None:
        for number, name in enumerate(names):
            left, colour = 8 + 36 * number, COLOURS[number % len(COLOURS)]
            box = (left, 20, left + 28, 48)
            if name == "circle":
                draw.ellipse(box, fill=colour)
            elif name == "square":
                draw.rectangle(box, fill=colour)
            else:
                draw.polygon([(left, 48), (left + 14, 20), (left + 28, 48)], fill=colour)

    return png(paint, 16 + 36 * len(names), 68)


def right_triangle(base: str, height: str, angle: str) -> str:
    """Draw a right triangle with labels."""

    def paint(draw: Draw) -> None:
        draw.line([(20, 80), (120, 80), (120, 20), (20, 80)], fill="black", width=2)
        draw.text((66, 84), base, fill="black")
        draw.text((124, 46), height, fill="black")
        draw.text((42, 66), angle, fill="black")

    return png(paint)


def mmmu_row(
    subject: str, number: int, question: str, options: Sequence[str], answer: str, *pictures: str
) -> dict[str, Any]:
    """Return a row of MMMU; without options, its question is open."""
    images = {f"image_{place}": None for place in range(1, 8)}
    images |= {f"image_{place}": file(picture) for place, picture in enumerate(pictures, start=1)}
    return {
        "id": f"validation_{subject}_{number}",
        "question": question,
        "options": str(list(options)),
        "explanation": "",
        **images,
        "img_type": "['Diagrams']",
        "answer": answer,
        "topic_difficulty": "Easy",
        "question_type": "multiple-choice" if options else "open",
        "subfield": "General",
        "subject": subject,
    }


MMMU = [
    mmmu_row(
        "Economics",
        901,
        "<image 1> shows the sales of a shop in four quarters. In which quarter did they fall for the first time?",
        ["The second", "The third", "The fourth", "In none"],
        "B",
        bars({"Q1": 20, "Q2": 35, "Q3": 25, "Q4": 40}),
    ),
    mmmu_row(
        "Math",
        902,
        "Which of the pictures has the most corners?",
        ["<image 1>", "<image 2>", "<image 3>"],
        "C",
        shapes("circle", "circle", "triangle"),
        shapes("triangle", "triangle", "circle"),
        shapes("square", "triangle", "square"),
    ),
    mmmu_row(
        "Physics",
        903,
        "A cart rolls down the ramp in <image 1>, which is 3 m high and 4 m long at its base. How long, in metres, is "
        "the way that the cart rolls?",
        [],
        "5",
        right_triangle("4 m", "3 m", "?"),
    ),
    mmmu_row(
        "Art",
        904,
        "In <image 1> and <image 2>, an artist arranged the same forms twice. What sets <image 2> apart?",
        ["A form is missing.", "The order is reversed.", "The colours are inverted.", "The forms overlap.", "Nothing."],
        "A",
        shapes("circle", "square", "triangle"),
        shapes("circle", "square"),
    ),
    mmmu_row(
        "Biology",
        905,
        "The table in <image 1> lists the organs of a plant. Which one takes up water?",
        [],
        "['root', 'roots']",
        page("Organ      Task", "leaf       makes sugar", "root       takes up water", "flower     makes seeds"),
    ),
]

_COLOURS = ["blue", "orange", "green", "red", "purple", "black", "white", "pink", "grey", "brown"]
_PRO = [
    (
        "Design",
        911,
        "Which colour does the second bar of <image 1> have?",
        _COLOURS,
        "B",
        (bars({"a": 3, "b": 5, "c": 2}),),
    ),
    (
        "Accounting",
        912,
        "By how much does the income exceed the costs in <image 1>?",
        ["$10", "$15", "$20", "$25", "$30", "$35", "$40", "$45", "$50", "$55"],
        "E",
        (page("Income   $90", "Rent     $40", "Power    $20"),),
    ),
    (
        "Psychology",
        913,
        "Which picture would a child call the odd one out?",
        ["<image 2>", "<image 1>", "<image 4>", "<image 3>"],
        "D",
        (
            shapes("circle", "circle"),
            shapes("circle", "circle", "circle"),
            shapes("square", "square"),
            shapes("circle"),
        ),
    ),
    (
        "Chemistry",
        914,
        "According to <image 1>, which sample has the lowest value?",
        ["The sample P", "The sample Q", "The sample R", "The sample S", "All are equal", "None can be told"],
        "C",
        (bars({"P": 7, "Q": 9, "R": 4, "S": 6}),),
    ),
]


def _pro(most: int) -> list[dict[str, Any]]:
    """Return the rows of MMMU-Pro's standard configurations, with so many options at most."""
    rows = []
    for subject, number, question, options, answer, pictures in _PRO:
        right = ord(answer) - ord("A")
        kept = options if len(options) <= most else options[max(0, right - 2) :][:most]
        letter = chr(ord("A") + kept.index(options[right]))
        row = mmmu_row(subject, number, question, kept, letter, *pictures)
        row = {name: value for name, value in row.items() if name not in {"question_type", "subfield"}}
        rows.append({**row, "id": row["id"].replace("validation", "test")})
    return rows


def _screenshot(question: str, options: Sequence[str]) -> str:
    words, lines = question.split(), [""]
    for word in words:
        lines = [*lines[:-1], f"{lines[-1]} {word}".strip()] if len(lines[-1]) + len(word) < 36 else [*lines, word]  # noqa: PLR2004
    return page(*lines, *(f"{chr(ord('A') + place)}. {option}" for place, option in enumerate(options)))


MMMU_PRO_VISION = [
    {
        "id": f"test_{subject}_{number}",
        "image": file(_screenshot(question, options)),
        "options": str(options),
        "answer": answer,
        "subject": subject,
    }
    for subject, number, question, options, answer in [
        ("History", 921, "In which century does the year 1789 fall?", ["17th", "18th", "19th", "20th"], "B"),
        ("Geography", 922, "Which of these is a continent?", ["Peru", "Lake Chad", "Africa", "Paris", "Etna"], "C"),
        ("Computer_Science", 923, "How many bits does a byte have?", ["4", "6", "10", "8"], "D"),
        ("Music", 924, "How many lines does a staff have?", ["5", "4", "6"], "A"),
    ]
]


def math_row(
    pid: str,
    question: str,
    answer: str,
    picture: str,
    *,
    kind: str,
    task: str,
    choices: Sequence[str] | None = None,
    precision: int | None = None,
) -> dict[str, Any]:
    """Return a row of MathVista, with a prompt of the same parts as its authors'."""
    hints = {
        "text": "Hint: Choose one of the options, and end with its letter.",
        "integer": "Hint: The answer is an integer. End with it.",
        "float": f"Hint: The answer is a number with {precision} decimal places. End with it.",
        "list": "Hint: The answer is a list of numbers in brackets. End with it.",
    }
    query = f"{hints[kind]}\nQuestion: {question}"
    if choices:
        query += "\nChoices:\n" + "\n".join(f"({chr(ord('A') + n)}) {choice}" for n, choice in enumerate(choices))
    return {
        "pid": pid,
        "question": question,
        "image": f"images/{pid}.png",
        "decoded_image": file(picture),
        "choices": choices,
        "unit": None,
        "precision": precision,
        "answer": answer,
        "question_type": "multi_choice" if choices else "free_form",
        "answer_type": kind,
        "metadata": {
            "category": "general-vqa",
            "context": "synthetic scene",
            "grade": "elementary school",
            "img_height": 100,
            "img_width": 160,
            "language": "english",
            "skills": ["arithmetic reasoning"],
            "source": "written for openbench",
            "split": "testmini",
            "task": task,
        },
        "query": query,
    }


FIGURES, GEOMETRY, SCENES = "figure question answering", "geometry problem solving", "visual question answering"

MATHVISTA = [
    math_row(
        "9001",
        "How many more circles than squares are there?",
        "2",
        shapes("circle", "circle", "square", "circle"),
        kind="integer",
        task=SCENES,
    ),
    math_row(
        "9002",
        "What is the length of the hypotenuse?",
        "13 cm",
        right_triangle("12 cm", "5 cm", ""),
        kind="text",
        task=GEOMETRY,
        choices=["11 cm", "12 cm", "13 cm", "17 cm"],
    ),
    math_row(
        "9003",
        "What is the mean of the three values?",
        "3.67",
        bars({"x": 2, "y": 4, "z": 5}),
        kind="float",
        precision=2,
        task=FIGURES,
    ),
    math_row(
        "9004",
        "Which two values lie next to the highest one?",
        "[40, 30]",
        bars({"Mo": 10, "Tu": 40, "We": 60, "Th": 30}),
        kind="list",
        task=FIGURES,
    ),
    math_row(
        "9005",
        "Is the bar of the second year higher than that of the first?",
        "No",
        bars({"2001": 8, "2002": 7}),
        kind="text",
        task=FIGURES,
        choices=["Yes", "No"],
    ),
    math_row(
        "9006",
        "What is the ratio of the base to the height?",
        "0.8",
        right_triangle("4", "5", ""),
        kind="float",
        precision=1,
        task=GEOMETRY,
    ),
]

_LETTER = page(
    "Bluefield Tools Ltd.", "12 June 1974", "To: Ms A. Moreno", "Please send 40 boxes of nails.", "R. Okafor"
)
_FORM = page("EXPENSES    No. 5521", "Travel      $ 120.50", "Meals       $ 48.00", "Total       $ 168.50")


def doc_row(
    number: int, question: str, answers: Sequence[str], picture: str, document: str, kind: str
) -> dict[str, Any]:
    """Return a row of DocVQA."""
    return {
        "questionId": str(number),
        "question": question,
        "question_types": [kind],
        "image": file(picture),
        "docId": int(document[-2:]),
        "ucsf_document_id": document,
        "ucsf_document_page_no": "1",
        "answers": list(answers),
        "data_split": "val",
    }


DOCVQA = [
    doc_row(90001, "Who signed the letter?", ["R. Okafor", "Okafor"], _LETTER, "zzzz0001", "handwritten"),
    doc_row(90002, "What is the date of the letter?", ["12 June 1974"], _LETTER, "zzzz0001", "free_text"),
    doc_row(90003, "How many boxes are ordered?", ["40", "40 boxes"], _LETTER, "zzzz0001", "free_text"),
    doc_row(90004, "What is the sum of all expenses?", ["$ 168.50", "168.50"], _FORM, "zzzz0002", "form"),
]

_POPULATION = bars({"1990": 30, "2000": 45, "2010": 60, "2020": 54})
_FRUIT = bars({"Plum": 12, "Pear": 30, "Fig": 18})


def chart_row(
    kind: str, turns: Sequence[tuple[str, str]], picture: str, *, year: Sequence[str] = ("NO",), paragraph: str = ""
) -> dict[str, Any]:
    """Return a row of ChartQAPro, whose image is the file itself."""
    return {
        "Question": [question for question, _ in turns],
        "Answer": [answer for _, answer in turns],
        "Question Type": kind,
        "image": picture,
        "Year": list(year),
        "Paragraph": paragraph,
    }


CHARTQAPRO = [
    chart_row("Factoid", [("How many pears were sold?", "30")], _FRUIT),
    chart_row(
        "Factoid",
        [("In which two years did the town have more than 50 thousand people?", "[2010, 2020]")],
        _POPULATION,
        year=["YES", "YES"],
        paragraph="The bars give the people of a town in thousands.",
    ),
    chart_row(
        "Multi Choice",
        [("Which fruit sold least?\na) Pear\nb) Fig\nc) Plum\nd) all the same", "c")],
        _FRUIT,
    ),
    chart_row("Fact Checking", [("More figs than plums were sold.", "True")], _FRUIT),
    chart_row("Fact Checking", [("The town grew in every decade.", "False")], _POPULATION),
    chart_row("Hypothetical", [("If twice as many plums had been sold, how many would that be?", "24")], _FRUIT),
    chart_row(
        "Conversational",
        [
            ("In which year did the most people live there?", "2010"),
            ("And in the year after that on the chart?", "54"),
            ("By how many did it fall?", "6"),
        ],
        _POPULATION,
        year=["YES", "NO", "NO"],
    ),
    chart_row("Factoid", [("What do the fruits cost?", "unanswerable")], _FRUIT),
]


def star_row(index: int, question: str, answer: str, picture: str, category: str, finer: str) -> dict[str, Any]:
    """Return a row of MMStar."""
    return {
        "index": index,
        "question": question,
        "image": file(picture),
        "answer": answer,
        "category": category,
        "l2_category": finer,
        "meta_info": {"source": "written for openbench", "split": "val", "image_path": f"images/{index}.png"},
    }


MMSTAR = [
    star_row(
        9001,
        "Which form is in the middle?\nOptions: A: circle, B: square, C: triangle, D: star",
        "B",
        shapes("circle", "square", "triangle"),
        "fine-grained perception",
        "localization",
    ),
    star_row(
        9002,
        "Hint: Choose an option by its letter.\nQuestion: How many forms are there?\nChoices:\n(A) two\n(B) three\n"
        "(C) five\n(D) four",
        "D",
        shapes("circle", "square", "triangle", "circle"),
        "fine-grained perception",
        "object counting",
    ),
    star_row(
        9003,
        "What is the side between the labelled ones?\nOptions: A: it cannot be told, B: 10 cm, C: 5 cm, D: 8 cm",
        "A",
        right_triangle("6", "", ""),
        "math",
        "geometry",
    ),
    star_row(
        9004,
        "What does the image show?\nOptions: A: a map, B: a photograph, C: a bar chart, D: a letter",
        "C",
        bars({"a": 1, "b": 2, "c": 3}),
        "coarse perception",
        "image scene and topic",
    ),
]

ROWS = {
    "mmmu/validation": MMMU,
    "mmmu_pro/test": _pro(10),
    "mmmu_pro_4/test": _pro(4),
    "mmmu_pro_vision/test": MMMU_PRO_VISION,
    "mathvista/testmini": MATHVISTA,
    "docvqa/validation": DOCVQA,
    "chartqapro/test": CHARTQAPRO,
    "mmstar/val": MMSTAR,
}

if __name__ == "__main__":
    for name, rows in ROWS.items():
        path = SAMPLES / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
