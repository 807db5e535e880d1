"""The containers of `.hosting`, as far as tests can check them without a container engine.

`tests/containers.py` runs the containers on an engine.
"""

import os
import re
import subprocess
import sys
from fnmatch import fnmatch
from importlib.metadata import requires
from pathlib import PurePosixPath

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

from hosting import (
    FOLDER,
    STICKY_SINCE,
    needs_nginx,
    nginx_complaints,
    text_of_file,
    write_for_a_container,
    write_for_one_machine,
)
from serving import ROOT

IGNORED = (FOLDER / "Dockerfile.dockerignore").read_text().splitlines()
CONFIGURATIONS = {"one machine": write_for_one_machine, "a container": write_for_a_container}
UPSTREAMS = sorted((FOLDER / "nginx").glob("*.conf"))
NO_INDEX = re.compile("NewConnectionError|ConnectTimeout|NameResolutionError")


def is_let_through(path: str) -> bool:
    """Return whether Docker may copy the file `path` into the image, by the ignore file of the Dockerfile.

    If several lines of the ignore file name the file or one of its folders, the last of these lines counts.
    """
    passes = True
    for line in IGNORED:
        pattern = line.removeprefix("!").removeprefix("**/")
        places = [path, *map(str, PurePosixPath(path).parents)]
        if pattern and not line.startswith("#") and any(fnmatch(place, pattern) for place in _tails(places, line)):
            passes = line.startswith("!")
    return passes


def _tails(places: list[str], line: str) -> list[str]:
    return [PurePosixPath(place).name for place in places] if line.startswith("**/") else places


def copied_sources() -> list[str]:
    """Return what the Dockerfile copies into the image: the paths of files and folders."""
    lines = re.findall(r"^COPY (.*) \S+$", (FOLDER / "Dockerfile").read_text(), re.MULTILINE)
    return [source for line in lines for source in line.split()]


def files_of(source: str) -> list[str]:
    """Return the files of the project in the folder `source`, or `source` itself if it is a file."""
    listed = subprocess.run(["git", "ls-files", source], cwd=ROOT, capture_output=True, text=True, check=True)
    return listed.stdout.splitlines()


@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="what belongs to the project is only known in a git checkout")
def test_all_that_the_image_copies_passes_its_ignore_file():
    files = {source: files_of(source) for source in copied_sources()}
    assert [source for source, found in files.items() if not found] == []
    assert [file for found in files.values() for file in found if not is_let_through(file)] == []


@pytest.mark.parametrize("kept_out", ["README.md", "tests/conftest.py", ".streamlit/secrets.toml", ".git/config"])
def test_the_ignore_file_keeps_all_else_out(kept_out):
    assert not is_let_through(kept_out)
    assert not is_let_through("pages/__pycache__/a.pyc")


@needs_nginx
@pytest.mark.parametrize("configuration", CONFIGURATIONS.values(), ids=CONFIGURATIONS)
def test_nginx_accepts_its_files(configuration, tmp_path):
    configuration(tmp_path)
    assert nginx_complaints(tmp_path) == ""


@needs_nginx
def test_a_zone_with_two_uses_is_refused(tmp_path):
    write_for_a_container(tmp_path)
    site = tmp_path / "conf.d" / "site.conf"
    site.write_text(site.read_text().replace("attention_lab_files", "attention_lab"))
    assert "already declared for a different use" in nginx_complaints(tmp_path)


@pytest.mark.parametrize("file", UPSTREAMS, ids=lambda file: file.name)
def test_a_name_with_several_addresses_is_told_apart_by_a_sticky_cookie(file):
    for upstream in re.findall(r"^upstream .*?^}", file.read_text(), re.MULTILINE | re.DOTALL):
        several = re.search(r"^ *server .*\bresolve\b", upstream, re.MULTILINE)
        by_line = re.search(r"^ *(hash|ip_hash|random|least_conn)\b", upstream, re.MULTILINE)
        assert not (several and by_line), by_line
        assert bool(several) == ("sticky cookie" in upstream)


def test_the_containers_have_one_nginx_which_knows_sticky_cookies():
    (image,) = re.findall(r"image: (\S*nginx\S*)", text_of_file("compose.yaml"))
    assert Version(image.split(":")[1].split("-")[0]) >= STICKY_SINCE


def needed_packages(names: list[str]) -> set[str]:
    """Return the names of some packages, and of all packages that they need on this machine."""
    found, asked = set[str](), [canonicalize_name(name) for name in names]
    while asked:
        name = asked.pop()
        if name not in found:
            found.add(name)
            parts = [Requirement(part) for part in requires(name) or ()]
            asked += [canonicalize_name(p.name) for p in parts if not p.marker or p.marker.evaluate({"extra": ""})]
    return found


def test_every_package_that_the_image_installs_has_its_exact_version():
    names = [Requirement(line).name for line in (ROOT / "requirements.txt").read_text().splitlines()]
    pinned = {
        canonicalize_name(line.split("==")[0]) for line in text_of_file("constraints.txt").splitlines() if "==" in line
    }
    assert needed_packages(names) - pinned == set()


@pytest.mark.long
def test_the_exact_versions_are_there_and_fit_each_other():
    asked = ["-r", "requirements.txt", "-c", ".hosting/constraints.txt"]
    command = [sys.executable, "-m", "pip", "install", "--dry-run", "--ignore-installed", *asked]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    if NO_INDEX.search(done.stderr) and "ATTENTION_LAB_REQUIRE_ALL" not in os.environ:
        pytest.skip("the package index cannot be reached")
    assert done.returncode == 0, done.stderr
    assert "Would install" in done.stdout
