"""The titles of commits, as CONTRIBUTING asks for them: of all commits since the rule is checked."""

import pytest

from checkout import git, has_commits, needs_git, titles_since
from house_rules import check_rule
from serving import ROOT

MOST_CHARACTERS = 72
FIRST_CHECKED_AFTER = "41073a5354268e34fdf617bade06a3680cc8b18d"


def too_long(titles):
    """Return the titles that are too long. Each stands after the short id of its commit."""
    return [title for title in titles if len(title.partition(" ")[2]) > MOST_CHARACTERS]


@pytest.mark.skipif(not has_commits(ROOT), reason="the titles are only known in a git checkout")
def test_the_title_of_a_commit_is_short():
    check_rule(
        too_long(titles_since(ROOT, FIRST_CHECKED_AFTER)),
        f"The title of a commit has at most {MOST_CHARACTERS} characters.",
        "shorten it with `git commit --amend` or `git rebase -i`, and write the reason below it.",
    )


def test_a_title_may_have_72_characters():
    assert too_long([f"41073a53 {'a' * 72}", f"6063e80f {'a' * 73}"]) == [f"6063e80f {'a' * 73}"]


@pytest.fixture
def repository(tmp_path):
    """Give the test a repository with five commits, “0” to “4”, and a merge."""
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "--quiet", "--initial-branch=main")
    for title in range(4):
        git(folder, "commit", "--quiet", "--allow-empty", "-m", str(title))
    git(folder, "switch", "--quiet", "-c", "aside", "HEAD~")
    git(folder, "commit", "--quiet", "--allow-empty", "-m", "4")
    git(folder, "merge", "--quiet", "--no-edit", "main")
    return folder


def titles_only(lines):
    """Return the titles in lines of `titles_since`, in alphabetical order."""
    return sorted(line.partition(" ")[2] for line in lines)


@needs_git
def test_the_titles_since_a_commit_are_read_on_all_branches_that_were_merged(repository):
    commit = git(repository, "rev-parse", "main~2")
    assert titles_only(titles_since(repository, commit)) == ["2", "3", "4"]


@needs_git
def test_a_shallow_clone_reads_the_titles_that_it_has(repository, tmp_path):
    first = git(repository, "rev-list", "--max-parents=0", "HEAD")
    git(tmp_path, "clone", "--quiet", "--depth", "2", repository.as_uri(), "shallow")
    assert titles_only(titles_since(tmp_path / "shallow", first)) == ["3", "4"]


def test_without_a_repository_or_without_git_no_title_is_known(tmp_path, monkeypatch):
    assert not has_commits(tmp_path)
    monkeypatch.setenv("PATH", "")
    assert not has_commits(ROOT)
