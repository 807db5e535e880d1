"""Make the folder of a Hugging Face Space: `python .hosting/hugging_face.py FOLDER`.

A Space needs a Dockerfile, and a README that begins with its settings. If the folder exists, this script renews only
what it has written before, and keeps everything else.
"""

import re
import shutil
import sys
from pathlib import Path

HOSTING = Path(__file__).resolve().parent
ROOT = HOSTING.parent
NOT_COPIED = shutil.ignore_patterns("__pycache__", "secrets.toml")
README = """---
title: Attention Lab
emoji: 🔎
colorFrom: yellow
colorTo: red
sdk: docker
app_port: {port}
---

A dashboard that teaches attention by letting you touch its arithmetic.
"""


def make_space(folder: Path) -> None:
    """Write into a folder what a Space needs: what the Dockerfile copies, the Dockerfile itself, and a README."""
    dockerfile = (HOSTING / "Dockerfile").read_text("utf-8")
    for line in re.findall(r"^COPY (.*) \S+$", dockerfile, re.MULTILINE):
        for name in line.split():
            renew(ROOT / name, folder / name)
    renew(HOSTING / "Dockerfile", folder / "Dockerfile")
    renew(HOSTING / "Dockerfile.dockerignore", folder / ".dockerignore")
    (port,) = re.findall(r"^EXPOSE (\d+)$", dockerfile, re.MULTILINE)
    (folder / "README.md").write_text(README.format(port=port), "utf-8")


def renew(source: Path, target: Path) -> None:
    """Copy a file or a folder to `target`. If something is there, replace it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(source, target, ignore=NOT_COPIED)
    else:
        shutil.copyfile(source, target)


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1]).resolve()
    if ROOT == folder or ROOT in folder.parents:
        sys.exit(f"FOLDER must lie outside of the project; got {folder}: choose another place, such as ../space.")
    make_space(folder)
    print(f"{folder} is ready to be uploaded; .hosting/README.md says how.")


if __name__ == "__main__":
    main()
