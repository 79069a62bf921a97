"""The developer's page quotes the code as it is, and names files and objects that exist."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = (ROOT / "doc" / "development.rst").read_text("utf-8")
PACKAGE = ROOT / "skpostbac"


def test_quoted_lines_are_those_of_the_code():
    """Each line of a listing stands, in this order, in the function that its heading names."""
    for block in re.findall(
        r"(?m)^\.\. code-block:: python\n\n((?:    .*\n|\n)+)", PAGE
    ):
        for part in re.split(r"(?m)^    # (?=\w+/)", block)[1:]:
            heading, *lines = part.strip().splitlines()
            path, name = re.match(r"(\S+\.py), ([\w.]+)", heading).groups()
            code = (PACKAGE / path).read_text("utf-8")
            for one in name.split("."):
                code = code[re.search(rf"(?m)^ *(?:def|class) {one}\b", code).start() :]
            stripped = [line.strip() for line in code.splitlines()]
            for line in filter(None, map(str.strip, lines)):
                assert line in stripped, f"{heading}: {line}"
                stripped = stripped[stripped.index(line) + 1 :]


def test_named_files_exist():
    """Paths in backticks are those of the package, or of the checkout."""
    for name in re.findall(r"``((?:[\w.]+/)+[\w.]+\.\w+)``", PAGE):
        places = [ROOT / name, PACKAGE / name]
        assert any(place.exists() for place in places), name


def test_named_objects_exist():
    """A row that names an object names the file that has it."""
    for text, path in re.findall(
        r"((?:``\w[\w.]*``(?: and )?)+)\s+(?:of `\w+`)?\s*in\s+``((?:\w+/)+\w+\.py)``",
        PAGE,
    ):
        code = (PACKAGE / path).read_text("utf-8")
        for name in re.findall(r"``([\w.]+)``", text):
            assert re.search(rf"\b{name.split('.')[-1]}\b", code), (name, path)
