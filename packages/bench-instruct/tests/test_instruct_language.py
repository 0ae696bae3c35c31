"""Tests that the detected language of a text is the same in every process."""

import subprocess
import sys

from langdetect.detector_factory import DetectorFactory

from openbench_instruct.language import language_of

UNSURE = [
    "並查看更",
    "OKAY HOTEL MENU",
    "the of de la",
    "THIS IS AN ENGLISH SENTENCE. EVERY LETTER IS CAPITALIZED!!! AMAZING.",
]


def test_languages():
    assert language_of("Der Hund schläft vor der Tür.") == "de"
    assert language_of("यह एक सुंदर दिन है।") == "hi"
    assert language_of("12345 !!") is None


def test_every_process_and_call_gives_the_same_result():
    script = f"from openbench_instruct.language import language_of; print([language_of(t) for t in {UNSURE!r}])"
    here = str([language_of(text) for text in UNSURE])
    for seed in ("0", "1"):
        completed = subprocess.run(
            [sys.executable, "-c", script], env={"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        )
        assert completed.stdout.strip() == here
    assert str([language_of(text) for text in reversed(UNSURE)][::-1]) == here


def test_the_globals_of_langdetect_are_unchanged():
    language_of("Guten Morgen.")
    assert DetectorFactory.seed is None
