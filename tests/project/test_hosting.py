"""The app behind nginx, as `.hosting` sets it up.

The tests check which visitor reaches which process, what is lost when a process ends, and which headers are sent.

Also its public address.
"""

import asyncio
import base64
import gzip
import hashlib
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import pytest
import streamlit
from packaging.requirements import Requirement

from crowd import ask, come_at_once, connect_visitor, run
from hosting import FOLDER, PROCESSES, behind_nginx, needs_nginx, nginx_complaints, text_of_file, write_for_one_machine
from house_rules import check_rule
from serving import ROOT

VISITORS = 12
N_AT_ONCE = 25  # no multiple of the processes, so taking turns would not lead visitors back
EDITED = "example=hand&x=5,0,0,2,0;1,0,1,0,0;0,1,0,1,1"
STATIC = Path(streamlit.__file__).parent / "static"
POLICY = re.compile(r'Content-Security-Policy "([^"]*)"')
PINS = dict(line.split("==") for line in (FOLDER / "constraints.txt").read_text().splitlines() if "==" in line)


@pytest.fixture(scope="module")
def hosted():
    """Give the tests the app behind nginx, with three processes."""
    with behind_nginx() as running:
        yield running


def get_answer(url, **headers):
    with urlopen(Request(url, headers=headers)) as response:
        return response.headers, response.read()


@pytest.mark.long
@needs_nginx
def test_all_who_come_at_once_see_their_pages(hosted):
    answers = run(come_at_once(hosted.server, N_AT_ONCE))
    assert [answer for answer in answers if answer.errors or answer.elements < 10] == []


@pytest.mark.long
@needs_nginx
def test_visitors_are_spread_over_the_processes_and_each_comes_back_to_his(hosted):
    run(come_at_once(hosted.server, N_AT_ONCE))
    first = [hosted.process_of(f"v{i}") for i in range(N_AT_ONCE)]
    run(come_at_once(hosted.server, N_AT_ONCE))
    assert [hosted.process_of(f"v{i}") for i in range(N_AT_ONCE)] == first
    assert set(first) == set(hosted.processes)


@pytest.mark.long
@needs_nginx
def test_a_visitor_without_a_cookie_gets_one_and_keeps_it(hosted):
    given = get_answer(hosted.server.url)[0]["Set-Cookie"]
    assert re.fullmatch(r"attention_lab=[0-9a-f]{32}; Path=/; HttpOnly; SameSite=Lax", given)
    assert get_answer(hosted.server.url, Cookie=given.split(";")[0])[0]["Set-Cookie"] is None


@pytest.mark.long
@needs_nginx
def test_files_that_never_change_are_kept_and_come_compressed(hosted):
    page = get_answer(hosted.server.url)[0]
    assert page["Cache-Control"] == "no-cache"
    script = next((STATIC / "static" / "js").glob("index.*.js"))
    headers, sent = get_answer(f"{hosted.server.url}/static/js/{script.name}", **{"Accept-Encoding": "gzip"})
    assert headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(sent) == script.read_bytes()


@pytest.mark.long
@needs_nginx
def test_a_file_that_the_app_does_not_have_is_asked_for_again(hosted):
    assert get_answer(f"{hosted.server.url}/static/js/of_yesterday.js")[0]["Cache-Control"] == "no-cache"


@pytest.mark.long
@needs_nginx
def test_what_is_sent_bears_the_security_headers_errors_too(hosted):
    named = {"Content-Security-Policy", "X-Content-Type-Options", "X-Frame-Options", "Referrer-Policy"}
    too_large = Request(hosted.server.url, data=b"0" * 3_000_000)
    with pytest.raises(HTTPError, match="413") as refused:
        urlopen(too_large)
    for headers in (get_answer(hosted.server.url)[0], refused.value.headers):
        assert named - set(headers) == set()
    assert refused.value.headers["Server"] == "nginx"
    refused.value.close()


@pytest.mark.long
@needs_nginx
def test_no_log_of_nginx_holds_what_is_in_an_address(hosted):
    too_large = Request(f"{hosted.server.url}/room?code=ABCDE&key=secret", data=b"0" * 3_000_000)
    with pytest.raises(HTTPError, match="413") as refused:
        urlopen(too_large)
    refused.value.close()
    assert "secret" not in (hosted.folder / "error.log").read_text()


@pytest.mark.long
@needs_nginx
def test_one_process_is_killed_and_only_its_visitors_notice_and_lose_nothing():
    with behind_nginx() as hosted:
        run(_kill_one(hosted))


async def _kill_one(hosted):
    """Kill one process, and check that only its visitors lose their connection.

    When these visitors connect again, they must find their edits.
    """
    names = [f"k{i}" for i in range(VISITORS)]
    sockets = {name: await connect_visitor(hosted.server, name) for name in names}
    before = {name: await ask(socket, "attention", EDITED) for name, socket in sockets.items()}
    # Nginx logs a connection of a visitor only when it ends. It logs this request now.
    get_answer(hosted.server.url, Cookie=f"attention_lab={names[0]}")
    os.kill(hosted.process_of(names[0]).pid, signal.SIGKILL)
    lost = [name for name in names if await _has_ended(sockets[name])]
    assert names[0] in lost
    assert len(lost) < VISITORS
    for name in names:
        if name not in lost:
            assert (await ask(sockets[name], "attention", EDITED)).errors == ()
        await sockets[name].close()
    for name in lost:
        async with connect_visitor(hosted.server, name) as again:
            assert await ask(again, "attention", EDITED) == before[name]


async def _has_ended(socket) -> bool:
    try:
        await asyncio.wait_for(socket.wait_closed(), 0.5)
    except TimeoutError:
        return False
    return True


def test_the_policy_allows_the_scripts_of_streamlits_page_and_no_other():
    scripts = re.findall(r"<script>(.*?)</script>", (STATIC / "index.html").read_text(), re.DOTALL)
    hashes = {base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts}
    (policy,) = POLICY.findall((FOLDER / "nginx" / "site.conf").read_text())
    assert set(re.findall(r"'sha256-([^']*)'", policy)) == hashes
    assert "unsafe-eval" not in policy


def test_an_upload_is_let_through_as_far_as_the_app_takes_it():
    config = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())
    (most,) = re.findall(r"client_max_body_size (\d+)m;", (FOLDER / "nginx" / "site.conf").read_text())
    assert int(most) == config["server"]["maxUploadSize"] + 1  # headers around the file need some space


def test_the_exact_versions_are_among_those_required():
    required = [Requirement(line) for line in (ROOT / "requirements.txt").read_text().splitlines()]
    assert [str(each) for each in required if PINS[each.name] not in each.specifier] == []


@pytest.mark.long
def test_the_image_has_all_that_the_app_needs(tmp_path):
    """Do what the Dockerfile says in a clean folder, line by line, with this Python in place of the image's."""
    lines = [line for line in (FOLDER / "Dockerfile").read_text().splitlines() if re.match("COPY|CMD", line)]
    for line in lines[:-1]:
        *sources, target = line.removeprefix("COPY ").split()
        for source in sources:
            subprocess.run(["cp", "-r", ROOT / source, tmp_path / target], check=True)
    (command,) = (shlex.split(line.removeprefix("CMD ").strip("[]").replace(",", "")) for line in lines[-1:])
    check = [sys.executable, "-c", "from pages.shared.site.page import catalogue; print(len(catalogue()))"]
    done = subprocess.run(check, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert int(done.stdout) > 10
    assert command[:3] == ["streamlit", "run", "app.py"]
    settings = [sys.executable, "-m", "streamlit", "config", "show", *command[3:]]
    assert "port = 8501" in subprocess.run(settings, cwd=tmp_path, capture_output=True, text=True, check=True).stdout


def test_nginx_lists_the_processes_that_systemd_starts():
    listed = re.findall(r"127\.0\.0\.1:(\d+)", (FOLDER / "nginx" / "processes.conf").read_text())
    told = re.findall(r"attention-lab@(\d+)", (FOLDER / "systemd" / "attention-lab@.service").read_text())
    assert listed == told
    assert len(listed) == PROCESSES


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
