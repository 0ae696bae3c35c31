"""Repositories made by git, and what is left of them."""

import pytest

from openbench.errors import OpenbenchError
from openbench_swebench.history import remove_future, snapshot

from .conftest import git

DATES = {"base": "2020-01-02T00:00:00Z", "later": "2021-01-01T00:00:00Z"}


def commit(folder, name, when, monkeypatch):
    for variable in ("GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"):
        monkeypatch.setenv(variable, DATES[when])
    (folder / "file").write_text(name)
    git(folder, "add", "file")
    git(folder, "commit", "--quiet", "--message", name)
    return git(folder, "rev-parse", "HEAD")


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A repository with two commits, tags and a branch, and then with a fix in every place that git has."""
    folder = tmp_path / "origin"
    folder.mkdir()
    git(folder, "init", "--quiet")
    first = commit(folder, "first", "base", monkeypatch)
    git(folder, "tag", "--annotate", "--message", "one", "v1")
    base = commit(folder, "base", "base", monkeypatch)
    git(folder, "tag", "light")
    git(folder, "branch", "old", first)
    git(folder, "checkout", "--quiet", "-b", "fixes")
    fix = commit(folder, "the fix", "later", monkeypatch)
    git(folder, "tag", "v2")
    git(folder, "tag", "--annotate", "--message", "made later, of the fix in v2", "late", first)
    git(folder, "notes", "add", "--message", "see the fix", base)
    (folder / "file").write_text("stashed fix")
    git(folder, "stash", "--quiet")
    git(folder, "checkout", "--quiet", "trunk")
    lost = commit(folder, "amended fix", "later", monkeypatch)
    git(folder, "reset", "--quiet", "--hard", base)
    return folder, first, base, [fix, lost, git(folder, "rev-parse", "refs/stash")]


def objects(folder):
    return {line.split()[0] for line in git(folder, "cat-file", "--batch-all-objects", "--batch-check").splitlines()}


def check(folder, first, base, later):
    assert git(folder, "rev-list", "--all", "--reflog").split() == [base, first]
    assert objects(folder).isdisjoint(later)
    kept = [path for path in (folder / ".git").rglob("*") if path.is_file() and "hooks" not in path.parts]
    assert [path for path in kept if b"fix" in path.read_bytes()] == []
    references = git(folder, "for-each-ref", "--format=%(refname)").split()
    assert references == ["refs/heads/main", "refs/tags/light", "refs/tags/v1"]
    assert (git(folder, "rev-parse", "HEAD"), git(folder, "branch", "--show-current")) == (base, "main")
    assert git(folder, "remote") == ""
    assert git(folder, "reflog") == ""
    assert (folder / "file").read_text() == "base"
    assert git(folder, "status", "--porcelain") == ""
    git(folder, "fsck", "--strict")


def test_what_came_later_is_removed(repository):
    folder, first, base, later = repository
    assert set(later) <= objects(folder)
    remove_future(folder, base)
    check(folder, first, base, later)


def test_a_copy_has_no_more_than_the_history(repository, tmp_path):
    folder, first, base, later = repository
    git(folder, "gc", "--quiet")
    snapshot(folder, base, tmp_path / "copy")
    check(tmp_path / "copy", first, base, later)
    assert set(later) <= objects(folder)


def test_uncommitted_changes_and_a_merge_that_was_begun_are_dropped(repository):
    folder, first, base, later = repository
    git(folder, "merge", "--quiet", "--no-commit", "--no-ff", "fixes")
    (folder / "new").write_text("untracked")
    (folder / "file").write_text("half a fix")
    remove_future(folder, base[:10])
    (folder / "new").unlink()
    check(folder, first, base, later)


def test_objects_of_another_repository_are_found_out(repository, tmp_path):
    folder, _, base, _ = repository
    git(tmp_path, "clone", "--quiet", "--shared", str(folder), "shared")
    with pytest.raises(OpenbenchError, match=r"still has \d commits that are not in the history of [0-9a-f]{12}, such"):
        remove_future(tmp_path / "shared", base)


def test_an_unknown_commit_changes_nothing(repository):
    folder, _, _, later = repository
    with pytest.raises(OpenbenchError, match=r"^git rev-parse in .*: fatal: Needed a single revision$"):
        remove_future(folder, "--all")
    assert set(later) <= objects(folder)
