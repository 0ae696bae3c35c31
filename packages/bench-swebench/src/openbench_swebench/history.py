"""Copies of repositories for agents, without anything later than the base commit.

Agents have found SWE-bench's fixes in later commits of the images: https://github.com/SWE-bench/SWE-bench/issues/465
"""

import os
import shutil
import subprocess
from pathlib import Path

from openbench.errors import OpenbenchError

_ENVIRONMENT = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "GIT_TERMINAL_PROMPT": "0"}
_CONTENT = ("HEAD", "index", "info", "lfs", "modules", "objects", "packed-refs", "refs", "shallow")
_KEPT = frozenset([*_CONTENT, "branches", "config", "description", "hooks"])
"""The files kept in the .git folder; the rest are reflogs, state of unfinished operations, and other worktrees."""


def snapshot(repository: str | Path, base_commit: str, destination: Path) -> None:
    """Clone a repository into an empty or new folder, and remove everything later than a commit.

    Args:
        repository: The path or address of the repository.
        base_commit: The commit to check out.
        destination: The folder.

    Raises:
        OpenbenchError: git fails, or objects of later commits remain.
    """
    _git(Path.cwd(), "clone", "--quiet", "--no-local", "--no-checkout", str(repository), str(destination))
    remove_future(destination, base_commit)


def remove_future(repository: Path, base_commit: str) -> None:
    """Check out a commit as the only branch, `main`, and remove everything that is not part of its history.

    This removes all branches, tags, notes, stashes and other references that are not reachable from it, later tags,
    remotes, reflogs, unfinished merges, uncommitted changes, and finally the objects themselves. Untracked files are
    kept. Histories of submodules are not checked.

    Raises:
        OpenbenchError: git fails, or a later commit remains, for example in the objects of another repository.
    """
    base = _git(repository, "rev-parse", "--verify", "--end-of-options", f"{base_commit}^{{commit}}").strip()
    folder = repository / _git(repository, "rev-parse", "--git-common-dir").strip()
    _git(repository, "checkout", "--quiet", "--force", "--detach", base)
    for reference in _later_references(repository, base):
        _git(repository, "update-ref", "--no-deref", "-d", reference)
    for remote in _git(repository, "remote").split():
        _git(repository, "remote", "remove", remote)
    _git(repository, "checkout", "--quiet", "--force", "-B", "main", base)
    _git(repository, "reflog", "expire", "--expire=now", "--all")
    for branch in {line.rpartition(".")[0] for line in _configured(repository) if line.startswith("branch.")}:
        _git(repository, "config", "--local", "--remove-section", branch)
    for path in [*folder.iterdir(), *folder.glob("objects/info/commit-graph*")]:
        if path.parent != folder or path.name not in _KEPT:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    _git(repository, "gc", "--quiet", "--prune=now")
    _check(repository, base)


def _configured(repository: Path) -> list[str]:
    return _git(repository, "config", "--local", "--name-only", "--list").splitlines()


def _later_references(repository: Path, base: str) -> list[str]:
    """Return the references except HEAD that are not in a commit's history, and tags created after it."""
    when = int(_git(repository, "show", "--no-patch", "--format=%ct", base))
    form = "%(refname) %(*objectname) %(objectname) %(taggerdate:unix)"
    found = []
    for line in _git(repository, "for-each-ref", f"--format={form}").splitlines():
        name, *hashes = line.split(" ")
        commit = hashes[0] or hashes[1]
        later_tag = bool(hashes[2]) and int(hashes[2]) > when
        if later_tag or not name.startswith("refs/tags/") or not _reaches(repository, base, commit):
            found.append(name)
    return found


def _reaches(repository: Path, base: str, commit: str) -> bool:
    done = _run(repository, "merge-base", "--is-ancestor", commit, base)
    return done.returncode == 0


def _check(repository: Path, base: str) -> None:
    listed = _git(repository, "cat-file", "--batch-all-objects", "--batch-check=%(objecttype) %(objectname)")
    commits = {line.removeprefix("commit ") for line in listed.splitlines() if line.startswith("commit ")}
    if later := commits - set(_git(repository, "rev-list", base).split()):
        raise OpenbenchError(
            f"{repository} still has {len(later)} commits that are not in the history of {base[:12]}, such as "
            f"{min(later)[:12]}. Clone it without alternates and worktrees, and try again."
        )


def _git(repository: Path, *arguments: str) -> str:
    done = _run(repository, *arguments)
    if done.returncode:
        message = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise OpenbenchError(f"git {arguments[0]} in {repository}: {message}")
    return done.stdout


def _run(repository: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = ["git", "-C", str(repository), "-c", f"core.hooksPath={os.devnull}", *arguments]
    return subprocess.run(  # noqa: S603 - the arguments are safe
        command, env={**os.environ, **_ENVIRONMENT}, capture_output=True, text=True, errors="replace", check=False
    )
