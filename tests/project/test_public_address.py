"""The scripts of `.hosting` that give the app a public address, and its README, which names them."""

import re
import shutil
import subprocess
import sys

import pytest

from hosting import FOLDER, needs_nginx, nginx_complaints, text_of_file, write_for_one_machine
from house_rules import check_rule
from serving import ROOT

README = text_of_file("README.md")
SPACE = (
    "app.py",
    "requirements.txt",
    "Dockerfile",
    ".dockerignore",
    ".hosting/constraints.txt",
    ".streamlit/config.toml",
)
on_linux = pytest.mark.skipif(sys.platform != "linux", reason="the script is for Debian")
needs_openssl = pytest.mark.skipif(not shutil.which("openssl"), reason="openssl is not installed here")


def make_space(folder):
    """Run the script that makes the folder of a Space, and return the completed process."""
    command = [sys.executable, FOLDER / "hugging_face.py", folder]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def test_a_space_has_what_its_dockerfile_copies_and_a_head_of_settings(tmp_path):
    assert make_space(tmp_path / "space").returncode == 0
    assert [name for name in SPACE if not (tmp_path / "space" / name).is_file()] == []
    copied = re.findall(r"^COPY (.*) \S+$", (tmp_path / "space" / "Dockerfile").read_text(), re.MULTILINE)
    assert [name for line in copied for name in line.split() if not (tmp_path / "space" / name).exists()] == []
    head = (tmp_path / "space" / "README.md").read_text("utf-8").split("---\n")[1]
    assert "sdk: docker\n" in head
    assert f"app_port: {re.findall(r'^EXPOSE (.*)$', text_of_file('Dockerfile'), re.MULTILINE)[0]}\n" in head
    assert not list((tmp_path / "space").rglob("__pycache__"))


def test_a_space_that_is_made_again_has_no_old_code_and_keeps_what_else_is_there(tmp_path):
    make_space(tmp_path)
    (tmp_path / "pages" / "99_old.py").touch()
    (tmp_path / ".git").mkdir()
    assert make_space(tmp_path).returncode == 0
    assert not (tmp_path / "pages" / "99_old.py").exists()
    assert (tmp_path / ".git").is_dir()


def test_a_space_is_not_made_within_the_project():
    assert make_space(ROOT).stderr.startswith("FOLDER must lie outside of the project; got")
    assert "got" in make_space(ROOT / "pages").stderr


def _write_by_the_script(folder, name):
    """Write into a folder the files for nginx that the script for one machine writes.

    `name` holds the name of the site for HTTPS, or is empty for plain HTTP.
    """
    functions, found, _ = text_of_file("one_machine.sh").partition("\ncheck\n")
    assert found
    functions = re.sub("^project=.*", f"project={ROOT}", functions, flags=re.MULTILINE)
    functions = functions.replace("/etc/nginx/conf.d", str(folder)).replace(
        "own=/etc/attention-lab", f"own={folder}/own"
    )
    writing = '[ -z "$name" ] || make_own_certificate; write_site $own'
    subprocess.run(["sh", "-c", f"{functions}\n{writing}", "sh", *name], check=True, capture_output=True)


@on_linux
@needs_nginx
@needs_openssl
@pytest.mark.parametrize("name", [["lab.example.org"], []], ids=["HTTPS", "plain HTTP"])
def test_nginx_accepts_what_the_script_for_one_machine_writes(name, tmp_path):
    write_for_one_machine(tmp_path)
    _write_by_the_script(tmp_path, name)
    site = (tmp_path / "site.conf").read_text()
    (tmp_path / "site.conf").write_text(site.replace("/var/cache/", f"{tmp_path}/"))
    assert nginx_complaints(tmp_path) == ""
    assert ("ssl_certificate" in site, (tmp_path / "redirect.conf").exists()) == (bool(name), bool(name))
    assert "listen 80;" not in site or not name


@on_linux
@needs_openssl
def test_the_script_for_one_machine_keeps_its_own_certificate_until_the_name_changes(tmp_path):
    read = []
    for name in ("lab.example.org", "lab.example.org", "other.example.org"):
        _write_by_the_script(tmp_path, [name])
        read.append((tmp_path / "own" / "fullchain.pem").read_text())
    assert read[0] == read[1] != read[2]


@on_linux
def test_the_script_for_one_machine_reads_every_port():
    _, _, line = text_of_file("one_machine.sh").partition("\nports=")
    command = f"files={FOLDER}; echo {line.splitlines()[0]}"
    read = subprocess.run(["sh", "-c", command], capture_output=True, text=True, check=True).stdout.split()
    assert read == re.findall(r"127\.0\.0\.1:(\d+)", text_of_file("nginx/processes.conf"))


def test_the_readme_lists_every_file():
    files = {path.relative_to(FOLDER).as_posix() for path in FOLDER.rglob("*") if path.is_file()}
    files = {file for file in files if "__pycache__" not in file} - {"README.md"}
    _, _, table = README.partition("## The files")
    rows = [line.split("|")[1] for line in table.splitlines() if line.startswith("| `")]
    listed = {name for row in rows for name in re.findall("`(.*?)`", row)}
    check_rule(
        files ^ listed, "The README of .hosting lists each of its files.", "add it to the table, or take it out."
    )
