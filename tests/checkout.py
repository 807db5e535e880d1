"""What git says about the checkout of the project. A copy without git, or a shallow clone, can be tested as well."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

AS_SOMEBODY = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
LAST_TITLES = 50  # as many titles are read where the history does not go back to a given commit
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed here")


def git(folder: Path, *arguments: str) -> str:
    """Run git in a folder, and return what it prints. Tests can make commits with it on every machine."""
    command = ["git", *AS_SOMEBODY, *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=True).stdout.strip()


def has_commits(folder: Path) -> bool:
    """Return whether a folder is the top of a checkout, with at least one commit, and git can read it."""
    if shutil.which("git") is None or not (folder / ".git").exists():
        return False
    asked = ["git", "rev-parse", "--quiet", "--verify", "HEAD"]
    return subprocess.run(asked, cwd=folder, capture_output=True).returncode == 0


def titles_since(folder: Path, commit: str) -> list[str]:
    """Return the titles of the commits since a commit, without it, each after its short id. Merges are left out.

    If the history does not go back to this commit, as in a shallow clone, return the last titles that there are.
    """
    known = subprocess.run(["git", "merge-base", "--is-ancestor", commit, "HEAD"], cwd=folder, capture_output=True)
    since = [f"{commit}..HEAD"] if known.returncode == 0 else [f"--max-count={LAST_TITLES}"]
    return git(folder, "log", "--no-merges", "--format=%h %s", *since).splitlines()
