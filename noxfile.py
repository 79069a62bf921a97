"""The tests at the lowest and at the newest versions, mutation tests, and what a release needs.

Run by hand; `.ci/run` does a quick part of it at each change. Arguments after ``--`` go to pytest,
or to the script that a session runs.
"""

from pathlib import Path

import nox

nox.options.error_on_missing_interpreters = False


@nox.session(python="3.11")
def lowest(session: nox.Session) -> None:
    """Run all tests at the floors of pyproject.toml."""
    session.install("--constraint", "tests/constraints-lowest.txt", ".[test]")
    session.run("python", "-m", "pytest", *session.posargs)


@nox.session(python=["3.11", "3.12", "3.13", "3.14"])
def newest(session: nox.Session) -> None:
    """Run all tests at the newest versions; their deprecation warnings are errors."""
    session.install("--upgrade", ".[test]")
    session.run("python", "-m", "pytest", *session.posargs)


@nox.session
def mutation(session: nox.Session) -> None:
    """Change the package at random places and see which changes the tests notice; takes hours."""
    session.install(".[test,mutation]")
    session.run("python", "benchmarks/mutation.py", *session.posargs)
    session.run("python", "benchmarks/mutation.py", "--report", *session.posargs)


@nox.session
def release(session: nox.Session) -> None:
    """Build sdist and wheel into dist/, and check them."""
    session.install(".[release]")
    session.run("check-sdist")
    session.run("python", "-m", "build", "--outdir", "dist")
    session.run("twine", "check", "--strict", *map(str, Path("dist").glob("skpostbac-*")))
