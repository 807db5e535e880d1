"""A Python process outside of this project.

Files that visitors take home must run in it without the project's files.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

# -I: no environment variables, no user packages, and the folder of the script is not searched
PYTHON = [sys.executable, "-I"]

# Runs one script after another, each with its own names, and answers with its output and its error.
RUN_EACH = """
import contextlib, io, json, sys, traceback

for line in sys.stdin:
    printed, error = io.StringIO(), ""
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(json.loads(line), "script", "exec"), {"__name__": "__main__"})
    except Exception:
        error = traceback.format_exc()
    print(json.dumps([printed.getvalue(), error]), flush=True)
"""


class PythonProcess:
    """A Python process that runs many scripts, one after the other. The scripts share only the loaded packages."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process

    def printed(self, text: str) -> str:
        """Run a script to its end, and return what it prints. Fail if the script raises an error."""
        assert self.process.stdin
        assert self.process.stdout
        print(json.dumps(text), file=self.process.stdin, flush=True)
        printed, error = json.loads(self.process.stdout.readline())
        assert not error, error
        return printed


@contextmanager
def python_outside(folder: Path) -> Iterator[PythonProcess]:
    """Start a Python process in a folder, and let the `with` block run scripts in this process."""
    command = [*PYTHON, "-c", RUN_EACH]
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        yield PythonProcess(process)


def run(text: str, folder: Path) -> "subprocess.CompletedProcess[str]":
    """Run one script in a new Python process, as a visitor does who has downloaded the script.

    The script is written into `folder` as a file. Return the completed process with its output and its exit code.
    """
    path = folder / "script.py"
    path.write_text(text, encoding="utf-8")
    return subprocess.run([*PYTHON, path], cwd=folder, capture_output=True, text=True, encoding="utf-8")
