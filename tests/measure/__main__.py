"""List the measuring programs, or run one of them: `python tests/measure [NAME [OPTION...]]`."""

import runpy
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
sys.path[0] = str(FOLDER.parent)  # Python gives the folder of this file, but the programs import from its parent


def programs() -> dict[str, str]:
    """Return the first line of the docstring of each program, by the name of the program."""
    texts = {file.stem: file.read_text("utf-8") for file in sorted(FOLDER.glob("[a-z]*.py"))}
    return {name: text.split("\n")[0].strip('"') for name, text in texts.items() if "\nif __name__ ==" in text}


def main() -> None:
    """Run the program that the command line names. The rest of the line holds its options."""
    name = sys.argv[1] if len(sys.argv) > 1 else ""
    if name not in programs():
        print("\n".join(f"{name:<20}{about}" for name, about in programs().items()))
        raise SystemExit(f"\npython tests/measure NAME runs one of them; there is no {name!r}." if name else 0)
    del sys.argv[1]
    runpy.run_module(f"measure.{name}", run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
