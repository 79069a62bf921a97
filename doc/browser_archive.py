"""The source of the package as an archive, for the page that runs Python in the browser."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZIP_DEFLATED, ZipFile

if TYPE_CHECKING:  # the tests write the archive without Sphinx
    from sphinx.application import Sphinx

PACKAGE = Path(__file__).parents[1] / "skpostbac"


def write_archive(path: Path) -> None:
    """Write the modules and the data of the package; it has no compiled files."""
    files = [file for file in PACKAGE.rglob("*") if "__pycache__" not in file.parts]
    with ZipFile(path, "w", ZIP_DEFLATED) as archive:
        for file in sorted(filter(Path.is_file, files)):
            archive.write(file, file.relative_to(PACKAGE.parent))


def write_beside_pages(app: Sphinx, exception: Exception | None) -> None:
    """Write the archive where doc/user_guide/try.rst asks for it."""
    if exception is None and app.builder.format == "html":
        write_archive(Path(app.outdir, "_static", "skpostbac.zip"))


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect what is done after a build."""
    app.connect("build-finished", write_beside_pages)
    return {"parallel_read_safe": True}
