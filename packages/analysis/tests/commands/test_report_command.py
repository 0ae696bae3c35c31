"""`bench report`."""

import json


def test_a_page_is_written(bench, make_log, tmp_path):
    make_log("a.eval", {"1": ["C"], "2": ["I"]}, model="local/a")
    make_log("b.eval", {"1": ["C"], "2": ["C"]}, model="local/b")
    (tmp_path / "broken.eval").write_text("no log")
    done = bench("report", tmp_path, "-o", tmp_path / "page.html", "--title", "My <models>", cwd=tmp_path)
    assert done.code == 0, done.err
    assert done.out.startswith(f"{tmp_path / 'page.html'}: 2 systems on 1 benchmark, ")
    assert "broken.eval" in done.err
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "<title>My &lt;models&gt;</title>" in page
    assert "broken.eval" in page
    [data] = [line for line in page.splitlines() if 'id="benchmark-1-samples"' in line]
    assert len(json.loads(data.partition(">")[2].partition("<")[0])["samples"]) == 1


def test_a_directory_is_no_file(bench, make_log, tmp_path):
    make_log("a.eval", {"1": ["C"]})
    done = bench("report", tmp_path / "a.eval", "-o", tmp_path, cwd=tmp_path)
    assert (done.code, done.out) == (2, "")
    assert f"--output {tmp_path}: expected a file in a directory that exists." in " ".join(done.err.split())
