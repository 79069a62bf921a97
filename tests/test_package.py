"""The package as a whole: its version, its public names and what importing it costs."""

import importlib.metadata
import os
import pkgutil
import subprocess
import sys
import textwrap
import threading
import tomllib
from pathlib import Path

import numpy as np
import pytest
from packaging.requirements import Requirement
from packaging.version import Version
from sklearn.datasets import make_classification
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import skpostbac

ROOT = Path(__file__).resolve().parents[1]

ENGINE_ONLY = ("sklearn", "joblib", "matplotlib", "pandas", "polars")


def run_python(code):
    """Run code in a fresh interpreter that sees the same modules as this one."""
    preamble = f"import sys\nsys.path[:] = {sys.path!r}\n"
    return subprocess.run(
        [sys.executable, "-c", preamble + textwrap.dedent(code)],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_version_agrees_with_the_metadata():
    """The installed metadata carry the version of the source."""
    assert importlib.metadata.version("skpostbac") == skpostbac.__version__


def versions(requirements, operator):
    """Return the version of each requirement that has one with the operator."""
    return {
        requirement.name: Version(specifier.version)
        for requirement in map(Requirement, requirements)
        for specifier in requirement.specifier
        if specifier.operator == operator
    }


def test_lowest_versions_are_the_floors():
    """The versions that the lowest ones are tested with are those that the metadata promise."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]
    extras = project["optional-dependencies"]
    floors = versions(
        [*project["dependencies"], *extras["plot"], *extras["test"]], ">="
    )
    lines = (
        (ROOT / "tests" / "constraints-lowest.txt")
        .read_text(encoding="utf-8")
        .splitlines()
    )
    assert (
        versions([line for line in lines if not line.startswith("#")], "==") == floors
    )


def test_the_conda_recipe_is_that_of_the_metadata():
    """The same version, Python, dependencies and command; the citation has the version, too."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]
    recipe = (ROOT / ".conda" / "recipe.yaml").read_text(encoding="utf-8")
    run = recipe.partition("  run:\n")[2].partition("\n\n")[0].splitlines()
    needs = [f"python{project['requires-python']}", *project["dependencies"]]
    assert [line.strip(" -").replace(" ", "") for line in run] == needs
    assert f'version: "{skpostbac.__version__}"' in recipe
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {skpostbac.__version__}\n" in citation
    for name, place in project["scripts"].items():
        assert f"- {name} = {place}" in recipe


def submodules():
    """Return the public submodules, by the files that there are."""
    names = [module.name for module in pkgutil.iter_modules(skpostbac.__path__)]
    return {
        name: getattr(skpostbac, name) for name in names if not name.startswith("_")
    }


def test_dir_shows_the_public_names():
    """Those of the list, the submodules and the version; not what was loaded for them."""
    assert dir(skpostbac) == sorted([*skpostbac.__all__, *submodules(), "__version__"])
    assert [name for name in dir(skpostbac) if not hasattr(skpostbac, name)] == []


def test_every_public_object_has_one_address():
    """One submodule and one name, besides the top level, which has nothing of its own."""
    homes = {}
    for module in submodules().values():
        for name in module.__all__:
            homes.setdefault(id(getattr(module, name)), []).append(
                (module.__name__, name)
            )
    assert [addresses for addresses in homes.values() if len(addresses) > 1] == []
    names = {name for ((_, name),) in homes.values()}
    assert len(names) == len(homes)
    for name in skpostbac.__all__:
        assert homes[id(getattr(skpostbac, name))][0][1] == name


def test_submodules_list_what_they_have():
    """`__all__` is sorted, and has all that is public and defined in the package."""
    for module in submodules().values():
        for name in module.__all__:
            getattr(module, name)  # some are imported on first use
        defined = {
            name
            for name, value in vars(module).items()
            if not name.startswith("_")
            and getattr(value, "__module__", "").startswith(skpostbac.__name__)
        }
        assert sorted(defined) == list(module.__all__), module.__name__


def test_star_import_gives_the_list():
    """No submodule comes along, which would hide others of its name, such as SciPy's `stats`."""
    found = {}
    exec("from skpostbac import *", found)
    assert sorted({*found} - {"__builtins__"}) == skpostbac.__all__


def test_unknown_name_is_an_attribute_error():
    """A lazy package still refuses a name that it does not have."""
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = skpostbac.no_such_name


def test_engine_imports_without_scikit_learn():
    """`skpostbac.stats` needs NumPy and SciPy only, and of SciPy what most questions need."""
    result = run_python(f"""
        class Blocker:
            def find_spec(self, name, path=None, target=None):
                if name.partition(".")[0] in {ENGINE_ONLY!r}:
                    raise ModuleNotFoundError("blocked: " + name, name=name)

        sys.meta_path.insert(0, Blocker())
        import skpostbac
        assert not hasattr(skpostbac, "__wrapped__")
        from skpostbac import stats
        assert not {{"scipy.optimize", "scipy.fft"}} & {{*sys.modules}}
        assert "BetaRatio" in dir(stats)
        assert list(skpostbac.stats.__all__) == sorted(skpostbac.stats.__all__)
        for name in skpostbac.stats.__all__:
            getattr(skpostbac.stats, name)
        """)
    assert result.returncode == 0, result.stderr


@pytest.mark.slow
def test_import_leaves_matplotlib_alone():
    """Neither the package nor any public name or submodule imports matplotlib."""
    result = run_python("""
        import skpostbac
        for name in dir(skpostbac):
            getattr(skpostbac, name)
        assert "matplotlib" not in sys.modules
        """)
    assert result.returncode == 0, result.stderr


def test_neither_threads_nor_processes_are_needed(monkeypatch):
    """As in a browser, where Pyodide can start none."""

    def refused(*args, **options):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", refused)
    monkeypatch.setattr(subprocess, "Popen", refused)
    monkeypatch.setattr(os, "fork", refused, raising=False)
    X, y = make_classification(80, random_state=0)
    models = {"tree": DecisionTreeClassifier(random_state=0), "naive": GaussianNB()}
    found = {name: cross_val_predict(model, X, y) for name, model in models.items()}
    comparison = skpostbac.compare_predictions(y, {**found, "chance": np.roll(y, 1)})
    assert comparison.rank_probabilities().sum() == pytest.approx(3)
    assert str(skpostbac.cross_val_posterior(models["tree"], X, y))
    assert skpostbac.posterior_confusion_metric(y, found["tree"], "mcc").mean() > 0
    assert skpostbac.required_test_size([0.9, 0.8], width=0.2).total > 20
