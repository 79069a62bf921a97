"""The text of PyPI's page: README.rst, whose links lead to the repository.

They are relative where the repository is shown. The address is `Source` of
`project.urls` in pyproject.toml; without one, the text is that of the file.
"""

import re
import tomllib
from pathlib import Path

from setuptools import setup

ROOT = Path(__file__).parent


def long_description(readme: str, address: str) -> str:
    """Return a text whose relative links lead to an address, if there is one."""
    if not address:
        return readme
    readme = re.sub(r"<(?!\w+:)(\S+>`__)", rf"<{address}/blob/main/\1", readme)
    return re.sub(r"(\.\. image:: )(?!\w+:)", rf"\1{address}/raw/main/", readme)


if __name__ == "__main__":
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    setup(
        long_description=long_description(
            (ROOT / "README.rst").read_text("utf-8"),
            project.get("urls", {}).get("Source", "").rstrip("/"),
        ),
        long_description_content_type="text/x-rst",
    )
