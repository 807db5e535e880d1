"""The hosted app for the tests: several processes behind nginx, with the files of `.hosting`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory, TemporaryFile
from urllib.parse import urlsplit

import pytest
from packaging.version import Version

from serving import ROOT, START_LIMIT, Server, free_port, serve, stop_process, wait_until_healthy

FOLDER = ROOT / ".hosting"
PROCESSES = 3

# What Debian's nginx.conf has around the files of a site, with the two settings of README, in the folder of a test.
AROUND = """
worker_processes auto;
worker_rlimit_nofile 8192;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 4096; }}
http {{
    include /etc/nginx/mime.types;
    log_format visits "$cookie_attention_lab $upstream_addr $status $request_uri";
    access_log {folder}/access.log visits;
    {places}
    include {folder}/*.conf;
}}
"""
STICKY_SINCE = Version("1.29.6")  # since 1.27.3, nginx can also look up a name again and again
PLACES = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")  # nginx has a folder for each of these


@dataclass(frozen=True)
class Hosted:
    """The app behind nginx: its address, its processes, and the folder with the log of nginx."""

    server: Server
    processes: tuple[Server, ...]
    folder: Path

    def process_of(self, visitor: str) -> Server:
        """Return the process that has answered the last request of `visitor`.

        Nginx writes this into its log a moment after the answer.
        """
        deadline = time.monotonic() + START_LIMIT
        while not (addresses := self._addresses_for(visitor)):
            assert time.monotonic() < deadline, f"nginx has written down no visit of {visitor}"
            time.sleep(0.01)
        return next(process for process in self.processes if urlsplit(process.url).netloc == addresses[-1])

    def _addresses_for(self, visitor: str) -> list[str]:
        visits = (self.folder / "access.log").read_text().splitlines()
        return [visit.split()[1] for visit in visits if visit.startswith(f"{visitor} ")]


def find_nginx() -> str | None:
    """Return the path of the machine's nginx, or None.

    Debian installs nginx in a folder in which the shell looks for programs only if the user is root.
    """
    return shutil.which("nginx") or shutil.which("/usr/sbin/nginx")


@contextmanager
def behind_nginx(path: str = "") -> Iterator[Hosted]:
    """Run the app as `.hosting/nginx` says, until the `with` block ends.

    `path` is the path under which the app is served, such as "/lab".
    """
    with ExitStack() as running:
        processes = tuple(running.enter_context(serve(path=path)) for _ in range(PROCESSES))
        folder = Path(running.enter_context(TemporaryDirectory()))
        url = f"http://127.0.0.1:{free_port()}{path}"
        folder.chmod(0o755)  # if root starts nginx, nginx reads files as another user
        _configure(folder, url, processes)
        command = [str(find_nginx()), "-p", str(folder), "-c", str(folder / "around"), "-g", "daemon off;"]
        log = running.enter_context(TemporaryFile("w+"))
        process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT)
        running.callback(stop_process, process)
        wait_until_healthy(process, url, log)
        yield Hosted(Server(url, process.pid), processes, folder)


def text_of_file(name: str) -> str:
    """Return the text of a file of `.hosting`."""
    return (FOLDER / name).read_text()


def site_of(folder: Path) -> str:
    """Return nginx's configuration of the site. The folders that nginx writes to are inside `folder`."""
    return text_of_file("nginx/site.conf").replace("/var/cache/", f"{folder}/").replace("/var/log/nginx/", f"{folder}/")


def write_for_one_machine(folder: Path) -> None:
    """Write nginx's configuration for a server that is a single machine into `folder`.

    It is the real configuration, but the folders that nginx writes to are inside `folder`.
    """
    (folder / "site.conf").write_text(site_of(folder))
    (folder / "processes.conf").write_text(text_of_file("nginx/processes.conf"))
    places = " ".join(f"{place}_temp_path {folder}/{place};" for place in PLACES)
    (folder / "around").write_text(AROUND.format(folder=folder, places=places))


def write_for_a_container(folder: Path) -> None:
    """Write nginx's configuration for a server of several containers into `folder`.

    It is the real configuration, but the folders that nginx writes to are inside `folder`. Settings that the nginx of
    this machine does not know are left out.
    """
    (folder / "conf.d").mkdir()
    (folder / "conf.d" / "site.conf").write_text(site_of(folder))
    listed = (
        text_of_file("nginx/replicas.conf")
        .replace("${NGINX_LOCAL_RESOLVERS}", "127.0.0.1")
        .replace("${APP}", "localhost")
    )
    if nginx_version() < STICKY_SINCE:
        listed = re.sub(r"^ *(resolver|sticky) .*$", "", listed, flags=re.MULTILINE).replace(" resolve ", " ")
    (folder / "conf.d" / "replicas.conf").write_text(listed)
    around = text_of_file("nginx/nginx.conf").replace("/var/cache/nginx/", f"{folder}/")
    (folder / "around").write_text(around.replace("/etc/nginx/conf.d", f"{folder}/conf.d"))


def nginx_complaints(folder: Path) -> str:
    """Return the messages of nginx about its configuration in `folder`, or "" if nginx accepts the configuration.

    First change the ports 80 and 443 in the files to 880 and 8443.
    """
    for file in folder.rglob("*.conf"):
        file.write_text(re.sub(r"\blisten (\[::\]:)?(80|443)\b", r"listen \g<1>8\2", file.read_text()))
    command = [str(find_nginx()), "-t", "-q", "-p", str(folder), "-c", str(folder / "around")]
    return subprocess.run(command, capture_output=True, text=True).stderr


def nginx_version() -> Version:
    """Return the version of the machine's nginx."""
    said = subprocess.run([str(find_nginx()), "-v"], capture_output=True, text=True, check=True).stderr
    return Version(re.findall(r"nginx/([\d.]+)", said)[0])


def _configure(folder: Path, url: str, processes: tuple[Server, ...]) -> None:
    """Write nginx's configuration for the tests into `folder`.

    It is the real configuration, but with the address `url` of the site, the addresses of `processes`, and a log.
    """
    write_for_one_machine(folder)
    address = urlsplit(url)
    site = (folder / "site.conf").read_text().replace("listen 80;", f"listen {address.netloc};")
    site = site.replace("access_log off;", "")  # the tests read from this log which visitor reached which process
    (folder / "site.conf").write_text(site.replace("location / {", f"location {address.path}/ {{"))
    listed = (folder / "processes.conf").read_text()
    for process, place in zip(processes, re.findall(r"127\.0\.0\.1:\d+", listed), strict=True):
        listed = listed.replace(place, urlsplit(process.url).netloc)
    (folder / "processes.conf").write_text(listed)


needs_nginx = pytest.mark.skipif(
    find_nginx() is None and "ATTENTION_LAB_REQUIRE_ALL" not in os.environ, reason="nginx is not installed here"
)
