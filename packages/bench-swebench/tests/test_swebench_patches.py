"""How a diff is read from an answer; git applies what is read."""

import difflib
import re
import subprocess

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from openbench_swebench.patches import read_patch

DIFF = """\
--- a/f.py
+++ b/f.py
@@ -1,3 +1,3 @@ def f():
 a
-b
+c

"""
DIFF = DIFF.replace("\n\n", "\n \n")
NEW = """\
diff --git a/g.py b/g.py
new file mode 100644
--- /dev/null
+++ b/g.py
@@ -0,0 +1,2 @@
+x
+--- y
\\ No newline at end of file
"""
MISCOUNTED = DIFF.replace("-1,3 +1,3", "-1,9 +1,7")


@pytest.mark.parametrize(
    ("answer", "patch"),
    [
        (DIFF, DIFF),
        (DIFF + NEW, DIFF + NEW),
        (f"I change a line.\n<patch>\n{DIFF}</patch>\nDone.", DIFF),
        (f"<diff>\n{DIFF.rstrip()}\n</diff>", DIFF.replace("-1,3 +1,3", "-1,2 +1,2").replace("\n \n", "\n")),
        (f"```diff\n{DIFF}```\n", DIFF),
        (f"```python\nprint()\n```\nThen:\n```\n{DIFF}```\n", DIFF),
        (f"```python\nprint()\n```\n```patch\n{NEW}```\n", NEW),
        (f"<think>\n{NEW}</think>\n{DIFF}", DIFF),
        (f"{DIFF}\nThat is all.\n", DIFF),
        (f"<patch>\n{MISCOUNTED}</patch>", DIFF),
        (DIFF.replace("\n \n", "\n\n") + NEW,) * 2,
        (DIFF.replace("\n", "\r\n"), DIFF),
        (f"<patch>nothing</patch>\n```diff\n{DIFF}```\n", DIFF),
        ("diff --git a/x b/y\nsimilarity index 100%\nrename from x\nrename to y\n",) * 2,
    ],
)
def test_a_diff_is_read(answer, patch):
    assert read_patch(answer) == patch
    assert read_patch(patch) == patch


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I cannot reproduce it.",
        "--- a/f\n+++ b/f\n",
        "--- a/f\n+++ b/f\n@@ ... @@\n-a\n+b\n",
        "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n",
        "*** Begin Patch\n*** Update File: f\n-a\n+b\n*** End Patch",
        "-a\n+b\n",
    ],
)
def test_an_answer_without_a_diff(answer):
    assert read_patch(answer) is None


LINES = st.lists(
    st.sampled_from(["a", "b", "", "-- x", "++ y", " c", "@@ -1 +1 @@", "diff --git a/f b/f"]), max_size=14
)


@settings(max_examples=40, deadline=None)
@given(LINES, LINES, st.data())
def test_git_applies_a_diff_whose_counts_were_wrong(tmp_path_factory, before, after, data):
    """Every diff of two texts is read, with its own counts and with others, and makes one of the other."""
    old, new = ("".join(f"{line}\n" for line in lines) for lines in (before, after))
    diff = "".join(difflib.unified_diff(old.splitlines(True), new.splitlines(True), "a/f", "b/f"))
    assume(diff)
    assert read_patch(diff) == diff
    assume("\n--- x\n+++ y" not in diff)  # looks like the head of another file
    count = data.draw(st.integers(0, 30))
    wrong = re.sub(r"(?m)^(@@ -\d+),?\d* (\+\d+),?\d* @@$", rf"\1,{count} \2,{count} @@", diff)
    patch = read_patch(f"```diff\n{wrong}```")
    folder = tmp_path_factory.mktemp("applied")
    (folder / "f").write_text(old)
    subprocess.run(["git", "apply", "-"], cwd=folder, input=patch, text=True, check=True, capture_output=True)
    assert (folder / "f").read_text() == new
