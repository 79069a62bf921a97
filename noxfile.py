#!/usr/bin/env -S uv run --script
# /// script
# dependencies = ["nox>=2025.2"]
# ///
"""Every check of the project, each in an environment of its own.

``nox`` runs those that a change must pass, as ``.ci/run`` does on a copy; ``nox -l``
lists all, ``nox -s tests`` runs one. Arguments after ``--`` go to pytest, or to the
script of a session.
"""

import filecmp
import os
import re
import shutil
from pathlib import Path

import nox

nox.needs_version = ">=2025.2"
nox.options.error_on_missing_interpreters = False
nox.options.default_venv_backend = "uv|virtualenv"
ROOT = Path(__file__).parent
PYTEST = ("python", "-m", "pytest", "-n", "auto")
# A bare pytest leaves out the long studies, and most examples of the properties.
THOROUGH = ("-m", "", "--hypothesis-profile", "thorough")
# What is run at the lowest versions: examples of all that is public, all distributions
# and posteriors, and most of what meets other packages.
CLIENTS = (
    *("skpostbac", "tests/stats/test_conformance.py", "tests/test_posteriors.py"),
    *("tests/metrics/labels", "tests/metrics/counts", "tests/metrics/test_scorers.py"),
    *(
        "tests/model_selection/test_scikit_learn_clients.py",
        "tests/model_selection/test_cv_comparison.py",
    ),
    *("tests/displays/test_posterior.py", "tests/displays/test_comparison.py"),
    *("tests/displays/test_search.py", "tests/test_package.py"),
    # Needs SciPy 1.16.
    "--deselect=skpostbac/stats/_distribution.py::skpostbac.stats._distribution.Distribution.to_scipy",
)
# Reproducible tests; matplotlib draws into files only. All cores are busy already:
# threads of the linear algebra would only wait for one another.
ENVIRONMENT = {
    "CI": "true",
    "MPLBACKEND": "Agg",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONNOUSERSITE": "1",
}


def install(session: nox.Session, *arguments: str) -> None:
    """Install packages as source: byte-compiling them takes as long again."""
    session.install("--no-compile", *arguments)


def group(name: str) -> tuple[str, ...]:
    """Return the packages of a dependency group: an old pip knows no `--group`."""
    return nox.project.dependency_groups(nox.project.load_toml("pyproject.toml"), name)


def pinned(*names: str) -> list[str]:
    """Return these tools in the versions of the group dev."""
    return [one for one in group("dev") if one.startswith(names)]


@nox.session
def lint(session: nox.Session) -> None:
    """Check style, format and spelling."""
    session.install(*pinned("ruff", "codespell"))
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("codespell")


@nox.session
def types(session: nox.Session) -> None:
    """Check the types of the package, and what they tell its users."""
    install(session, ".[test]", *pinned("mypy", "scipy-stubs"))
    session.run("mypy")
    session.run("python", "-m", "pytest", "-m", "", "tests/test_types.py")


@nox.session
def main_job(session: nox.Session) -> None:
    """Run the example of the command line, without extras and outside the checkout."""
    install(session, ".")
    session.chdir(session.create_tmp())
    printed = session.run("python", "-m", "skpostbac", silent=True)
    session.log(printed)
    if "ranking" not in str(printed).lower():
        session.error("python -m skpostbac printed no ranking")


@nox.session
def tests(session: nox.Session) -> None:
    """Run all tests and doctests, with long studies and all examples of properties."""
    install(session, ".[test]")
    session.run(*PYTEST, *THOROUGH, *session.posargs, env=ENVIRONMENT)


@nox.session(default=False)
def coverage(session: nox.Session) -> None:
    """Run all tests, and fail if they reach too little of the package."""
    session.install(".[test]", *group("coverage"))
    session.run(*PYTEST, *THOROUGH, "--cov", *session.posargs, env=ENVIRONMENT)


@nox.session
def docs(session: nox.Session) -> None:
    """Build the site into build/html, with the gallery; warnings are errors."""
    install(session, ".[plot]", *group("doc"))
    options = ("-q", "-W", "--keep-going", "-b", "html")
    session.run(
        "python", "-m", "sphinx", *options, "doc", "build/html", env=ENVIRONMENT
    )


@nox.session
def neighbours(session: nox.Session) -> None:
    """Run the packages that are used beside this one; needs Java and Chromium."""
    install(session, ".[test,dask,spark]", *group("ecosystem"))
    folders = ("tests/ecosystem", "tests/metrics/test_array_api.py")
    environment = {**ENVIRONMENT, "SKPOSTBAC_NO_SKIPS": "1"}
    session.run("python", "-m", "pytest", *folders, *session.posargs, env=environment)


@nox.session(python="3.11")
def lowest(session: nox.Session) -> None:
    """Run the quick tests of what meets other packages, at the lowest versions."""
    install(session, "--constraint", "tests/constraints-lowest.txt", ".[test]")
    chosen = session.posargs or CLIENTS
    session.run(*PYTEST, *chosen, env=ENVIRONMENT)


@nox.session(python=["3.11", "3.12", "3.13", "3.14", "3.15"], default=False)
def newest(session: nox.Session) -> None:
    """Run all tests at the newest versions; their deprecation warnings are errors."""
    session.install("--upgrade", ".[test]")
    session.run(*PYTEST, *THOROUGH, *session.posargs, env=ENVIRONMENT)


@nox.session(default=False)
def nightly(session: nox.Session) -> None:
    """Run the quick tests with development versions of the packages below.

    NIGHTLY_INDEX is the address of the index that has their wheels; see SPEC 4.
    """
    session.install(".[test]")
    packages = ("numpy", "scipy", "scikit-learn", "pandas")
    index = os.environ["NIGHTLY_INDEX"]
    session.install("--pre", "--upgrade", "--no-deps", "--index-url", index, *packages)
    session.run(*PYTEST, *session.posargs, env=ENVIRONMENT)


def link_pages(root: Path) -> None:
    """Let README.rst link to the host of the project, as PyPI shows it alone.

    Nothing is done before `project.urls` has the address, with the name Source.
    """
    project = nox.project.load_toml(root / "pyproject.toml")["project"]
    source = project.get("urls", {}).get("Source")
    if source is None:
        return

    code = (root / "skpostbac" / "__init__.py").read_text("utf-8")
    tag = "v" + re.search(r'(?m)^__version__ = "(.+)"', code)[1]
    readme = root / "README.rst"
    text = readme.read_text("utf-8")
    text = re.sub(r"<(?!\w+:)(\S+>`__)", rf"<{source}/blob/{tag}/\1", text)
    text = re.sub(r"(\.\. image:: )(?!\w+:)", rf"\1{source}/raw/{tag}/", text)
    readme.write_text(text, "utf-8")


@nox.session
def distributions(session: nox.Session) -> None:
    """Build sdist and wheel, check them, and run tests of the one on the other."""
    install(session, ".[test]", *group("release"))
    session.run("check-sdist")
    temporary = Path(session.create_tmp())
    shutil.rmtree(temporary)
    copies = [temporary / "first", temporary / "second"]
    for copy in copies:
        session.run(
            *("git", "checkout-index", "--all", f"--prefix={copy}/"), external=True
        )
        link_pages(copy)
        session.run("python", "-m", "build", str(copy))
    built = os.listdir(copies[0] / "dist")
    same, *_ = filecmp.cmpfiles(*(copy / "dist" for copy in copies), built, False)
    if sorted(same) != sorted(built):
        session.error(f"two builds differ: {same} of {built} are the same")

    shutil.rmtree(ROOT / "dist", ignore_errors=True)
    shutil.copytree(copies[0] / "dist", ROOT / "dist")
    (sdist,), (wheel,) = ((ROOT / "dist").glob(kind) for kind in ("*.tar.gz", "*.whl"))
    session.run("twine", "check", "--strict", str(sdist), str(wheel))
    session.install("--force-reinstall", "--no-deps", str(wheel))
    shutil.unpack_archive(sdist, temporary)
    session.chdir(temporary / sdist.name.removesuffix(".tar.gz"))
    # What is imported is then the wheel.
    shutil.rmtree("skpostbac")
    # What the other sessions have tested is only packed here.
    folders = (
        "tests/metrics/balanced_accuracy",
        "tests/metrics/counts",
        "tests/test_package.py",
    )
    session.run(*PYTEST, *folders, env=ENVIRONMENT)


@nox.session(default=False)
def mutation(session: nox.Session) -> None:
    """Change the package at random places and see what the tests notice."""
    session.install(".[test]", *group("mutation"))
    session.run("python", "benchmarks/mutation.py", *session.posargs)


@nox.session(default=False)
def fuzz(session: nox.Session) -> None:
    """Call everything public with valid and hostile arguments; takes an hour."""
    session.install(".[test]")
    session.run("python", "benchmarks/fuzz_api.py", *session.posargs)


@nox.session(default=False)
def review(session: nox.Session) -> None:
    """Compare the repository with the Scientific Python guide."""
    session.install(*pinned("sp-repo-review"))
    session.run("sp-repo-review", ".")


if __name__ == "__main__":
    nox.main()
