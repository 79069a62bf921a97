"""Folders of the package: what they import, and what they say of themselves.

All imports are read from the source, also those within functions and under `TYPE_CHECKING`. A
package is a dict from paths to texts here, so that small ones show that each rule can be broken.
"""

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "skpostbac"
# Folders that need nothing but these, beside the standard library and the package itself.
LEAN = (f"{PACKAGE}._utils", f"{PACKAGE}.stats")
LEAN_IMPORTS = {"numpy", "scipy", PACKAGE} | set(sys.stdlib_module_names)
# A private name, or one with the package before it, as docstrings and comments write them.
OWN_NAME = re.compile(rf"(?<!`)`(_[a-z]\w*|{PACKAGE}(?:\.\w+)+)`(?!`)")


class Import(NamedTuple):
    """One name that a file imports: a module or a folder, by its dotted name."""

    path: str
    line: int
    importer: str
    target: str

    @property
    def place(self) -> str:
        return f"{self.path}:{self.line}"


def read_package(root: Path) -> dict[str, str]:
    """Return the texts of all files of the package, empty for those that are not Python."""
    files = [path for path in sorted((root / PACKAGE).rglob("*")) if path.is_file()]
    return {
        path.relative_to(root).as_posix(): path.read_text("utf-8") if path.suffix == ".py" else ""
        for path in files
        if "__pycache__" not in path.parts
    }


def parent(name: str) -> str:
    return name.rpartition(".")[0]


def module_of(path: str) -> str:
    """Return the dotted name of a file; that of an `__init__` is the name of its folder."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def folders_of(package: Mapping[str, str]) -> list[str]:
    """Return the dotted names of all folders, with and without an `__init__`."""
    parts = [path.split("/") for path in package]
    return sorted({".".join(part[:depth]) for part in parts for depth in range(1, len(part))})


def python_files(package: Mapping[str, str]) -> dict[str, str]:
    return {path: text for path, text in package.items() if path.endswith(".py")}


def folder_of(module: str, folders: list[str]) -> str:
    return module if module in folders else parent(module)


@cache
def nodes_of(text: str) -> list[ast.AST]:
    """Return all nodes of a file, which several rules look at."""
    return list(ast.walk(ast.parse(text)))


def imports_of(package: Mapping[str, str]) -> list[Import]:
    """Return all imports of all files, wherever they stand in them."""
    modules = {module_of(path) for path in python_files(package)}
    return [
        Import(path, node.lineno, module_of(path), target)
        for path, text in python_files(package).items()
        for node in nodes_of(text)
        for target in targets(node, path, modules)
    ]


def targets(node: ast.AST, path: str, modules: set[str]) -> Iterator[str]:
    """Yield the modules that a node imports; `from folder import module` imports the module."""
    match node:
        case ast.Import(names=names):
            yield from (alias.name for alias in names)
        case ast.ImportFrom(module=source, names=names, level=level):
            above = path.split("/")[:-level] if level else []
            source = ".".join([*above, *([source] if source else [])])
            full = (f"{source}.{alias.name}" for alias in names)
            yield from (name if name in modules else source for name in full)
        case ast.Call(
            func=ast.Name(id="import_module" | "__import__") | ast.Attribute(attr="import_module"),
            args=[ast.Constant(value=str(name)), *_],
        ):
            yield name


def is_inside(name: str, folder: str) -> bool:
    return name == folder or name.startswith(f"{folder}.")


def foreign_modules(package: Mapping[str, str]) -> list[str]:
    """(a) An import names a module of the same folder or a folder."""
    folders, modules = folders_of(package), set(map(module_of, python_files(package)))
    return [
        f"{entry.place}: (a) imports {entry.target}, a module of another folder; import what it "
        f"offers from {parent(entry.target)}"
        for entry in imports_of(package)
        if entry.target in modules.difference(folders)
        and parent(entry.target) != folder_of(entry.importer, folders)
    ]


def circles(package: Mapping[str, str]) -> list[str]:
    """(b) Folders import one another in no circle, and none of those that they lie in."""
    folders = folders_of(package)
    own = [entry for entry in imports_of(package) if is_inside(entry.target, PACKAGE)]
    inner = [(entry, folder_of(entry.importer, folders)) for entry in own]
    upward = [
        f"{entry.place}: (b) imports {entry.target}, the folder that it lies in"
        for entry, folder in inner
        if is_inside(folder, entry.target) and entry.importer != entry.target
    ]
    edges = {
        (folder, folder_of(entry.target, folders)): entry.place
        for entry, folder in reversed(inner)  # the first place of each stays
    }
    return [*upward, *circle(edges)]


def circle(edges: Mapping[tuple[str, str], str]) -> Iterator[str]:
    """Yield the places of the imports of one circle, if there is any."""
    graph: dict[str, list[str]] = {}
    for folder, imported in edges:
        if folder != imported:
            graph.setdefault(folder, []).append(imported)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        found = error.args[1][::-1]
        for step in pairwise(found):
            yield f"{edges[step]}: (b) {step[0]} imports {step[1]}, which closes a circle"


def heavy_imports(package: Mapping[str, str]) -> list[str]:
    """(c) The lowest folders need NumPy and SciPy only."""
    return [
        f"{entry.place}: (c) imports {entry.target}, and needs NumPy and SciPy only"
        for entry in imports_of(package)
        if any(is_inside(entry.importer, folder) for folder in LEAN)
        and entry.target.partition(".")[0] not in LEAN_IMPORTS
    ]


def silent_folders(package: Mapping[str, str]) -> list[str]:
    """(d) The `__init__` of a folder says what it is for, and what it offers."""
    return [
        f"{path}: (d) has no {what}"
        for path in (f"{folder.replace('.', '/')}/__init__.py" for folder in folders_of(package))
        for what in missing_parts(package.get(path))
        # The package itself must not import scikit-learn to say what it offers.
        if (path, what) != ("skpostbac/__init__.py", "__all__")
    ]


def missing_parts(text: str | None) -> list[str]:
    """Return what an `__init__` lacks; all of it if there is no text."""
    tree = ast.parse(text or "")
    assigned = [node.targets[0] for node in tree.body if isinstance(node, ast.Assign)]
    names = {target.id for target in assigned if isinstance(target, ast.Name)}
    return [
        *(["docstring"] if ast.get_docstring(tree) is None else []),
        *(["__all__"] if "__all__" not in names else []),
    ]


def stale_names(package: Mapping[str, str]) -> list[str]:
    """(e) Docstrings and comments name no module or private name that there is not."""
    files = python_files(package)
    known = {part for path in files for part in module_of(path).split(".")}
    known.update(name for text in files.values() for name in identifiers(text))
    return [
        f"{path}:{number}: (e) speaks of {name}, which there is not"
        for path, text in files.items()
        for number, line in enumerate(text.splitlines(), 1)
        for name in OWN_NAME.findall(line)
        if not known.issuperset(name.split("."))
    ]


def identifiers(text: str) -> Iterator[str]:
    """Yield the names that a file defines or uses."""
    for node in nodes_of(text):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                yield name


RULES = [foreign_modules, circles, heavy_imports, silent_folders, stale_names]


@pytest.fixture(scope="module")
def package():
    return read_package(ROOT)


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_package_keeps_the_rules(package, rule):
    """No file breaks any; a failure names the file, the line and the rule."""
    broken = rule(package)
    assert not broken, "\n" + "\n".join(broken)


def test_all_imports_are_read(package):
    """More than a thousand, and this one of a function among them."""
    found = imports_of(package)
    assert len(found) > 1000
    assert any(
        entry.path.endswith("_plot/base.py") and entry.target == "matplotlib" for entry in found
    )


INIT = '"""A folder."""\n__all__ = []\n'


def made(files):
    """Return a sound package with two folders, a module in each, and these files."""
    names = ["__init__", "_one/__init__", "_two/__init__", "_one/_deep/__init__", "_utils/__init__"]
    texts = {f"{PACKAGE}/{name}.py": INIT for name in names}
    texts |= {f"{PACKAGE}/_one/here.py": "", f"{PACKAGE}/_two/there.py": ""}
    return texts | {f"{PACKAGE}/{name}": text for name, text in files.items()}


HERE, THERE = "_one/here.py", "_two/there.py"
DEEP_INIT = "_one/_deep/__init__.py"
SOUND = {
    "sibling": {HERE: f"from {PACKAGE}._one.other import x", "_one/other.py": ""},
    "sibling as a module": {HERE: f"from {PACKAGE}._one import other", "_one/other.py": ""},
    "relative sibling": {HERE: "from . import other", "_one/other.py": ""},
    "folder": {HERE: f"from {PACKAGE}._two import x"},
    "folder as a module": {HERE: f"import numpy\nfrom {PACKAGE} import _two as two"},
    "subfolder": {"_one/__init__.py": f"{INIT}from {PACKAGE}._one._deep import x"},
    "folder beside the parent": {DEEP_INIT: f"{INIT}from {PACKAGE}._two import x"},
    "heavy above": {HERE: "import sklearn"},
    "light below": {"_utils/a.py": "import numpy.typing, scipy.special\nfrom json import loads"},
    "known names": {HERE: '"""As `_two` and `skpostbac._two.there`, ``_a``."""'},
    "names in code": {HERE: "# See `_f`.", THERE: "def _f(): ...\nf = _f"},
}


@pytest.mark.parametrize("files", SOUND.values(), ids=SOUND)
def test_sound_packages_keep_all_rules(files):
    """What the rules allow is not refused by any of them."""
    assert [line for rule in RULES for line in rule(made(files))] == []


LOOP = {HERE: f"from {PACKAGE}._two import x", THERE: f"\ndef f():\n    from {PACKAGE} import _one"}
BROKEN = {
    "module of another folder": (
        foreign_modules,
        {HERE: f"import math\n\nfrom {PACKAGE}._two.there import x"},
        [f"{PACKAGE}/_one/here.py:3: (a) imports {PACKAGE}._two.there, a module of another folder"],
    ),
    "module through its folder": (
        foreign_modules,
        {HERE: f"from {PACKAGE}._two import (\n    there,\n    x,\n)"},
        [f"{PACKAGE}/_one/here.py:1: (a) imports {PACKAGE}._two.there"],
    ),
    "plain import": (
        foreign_modules,
        {HERE: f"import {PACKAGE}._two.there as there"},
        [f"{PACKAGE}/_one/here.py:1: (a)"],
    ),
    "relative import": (
        foreign_modules,
        {HERE: "from .._two.there import x"},
        [f"{PACKAGE}/_one/here.py:1: (a) imports {PACKAGE}._two.there"],
    ),
    "within a function": (
        foreign_modules,
        {HERE: f"def f():\n    from {PACKAGE}._two.there import x"},
        [f"{PACKAGE}/_one/here.py:2: (a)"],
    ),
    "for types only": (
        foreign_modules,
        {HERE: f"from typing import *\nif TYPE_CHECKING:\n    from {PACKAGE}._two.there import x"},
        [f"{PACKAGE}/_one/here.py:3: (a)"],
    ),
    "by its name": (
        foreign_modules,
        {HERE: f"import importlib\nimportlib.import_module('{PACKAGE}._two.there')"},
        [f"{PACKAGE}/_one/here.py:2: (a)"],
    ),
    "module of a subfolder": (
        foreign_modules,
        {"_one/__init__.py": f"{INIT}from {PACKAGE}._one._deep.x import y", "_one/_deep/x.py": ""},
        [f"{PACKAGE}/_one/__init__.py:3: (a)"],
    ),
    "circle": (
        circles,
        LOOP,
        [
            f"{PACKAGE}/_one/here.py:1: (b) {PACKAGE}._one imports {PACKAGE}._two",
            f"{PACKAGE}/_two/there.py:3: (b) {PACKAGE}._two imports {PACKAGE}._one",
        ],
    ),
    "circle of three": (
        circles,
        {
            HERE: f"from {PACKAGE}._two import x",
            THERE: f"from {PACKAGE}._utils import x",
            "_utils/a.py": f"if TYPE_CHECKING:\n    from {PACKAGE}._one import x",
        },
        [
            f"{PACKAGE}/_one/here.py:1: (b)",
            f"{PACKAGE}/_two/there.py:1: (b)",
            f"{PACKAGE}/_utils/a.py:2: (b)",
        ],
    ),
    "parent": (
        circles,
        {DEEP_INIT: f"{INIT}from {PACKAGE}._one import x"},
        [f"{PACKAGE}/{DEEP_INIT}:3: (b) imports {PACKAGE}._one, the folder that it lies in"],
    ),
    "root": (
        circles,
        {HERE: f"from {PACKAGE} import x"},
        [f"{PACKAGE}/_one/here.py:1: (b) imports {PACKAGE}, the folder that it lies in"],
    ),
    "own folder": (
        circles,
        {HERE: "from . import x"},
        [f"{PACKAGE}/_one/here.py:1: (b) imports {PACKAGE}._one, the folder that it lies in"],
    ),
    "heavy below": (
        heavy_imports,
        {"stats/a.py": "def f():\n    import sklearn.base", "stats/__init__.py": INIT},
        [f"{PACKAGE}/stats/a.py:2: (c) imports sklearn.base, and needs NumPy and SciPy only"],
    ),
    "heavy further below": (
        heavy_imports,
        {"_utils/__init__.py": f"{INIT}from joblib import dump"},
        [f"{PACKAGE}/_utils/__init__.py:3: (c) imports joblib"],
    ),
    "no docstring": (
        silent_folders,
        {"_one/__init__.py": "__all__ = []"},
        [f"{PACKAGE}/_one/__init__.py: (d) has no docstring"],
    ),
    "no names": (
        silent_folders,
        {"_one/__init__.py": '"""A folder."""'},
        [f"{PACKAGE}/_one/__init__.py: (d) has no __all__"],
    ),
    "module that was moved": (
        stale_names,
        {HERE: f'"""A file.\n\nSee `_there` and `{PACKAGE}._two.gone`."""'},
        [
            f"{PACKAGE}/_one/here.py:3: (e) speaks of _there",
            f"{PACKAGE}/_one/here.py:3: (e) speaks of {PACKAGE}._two.gone",
        ],
    ),
    "no file": (
        silent_folders,
        {"_one/_deep/_deeper/_deepest/a.py": ""},
        [
            f"{PACKAGE}/_one/_deep/_deeper/__init__.py: (d) has no docstring",
            f"{PACKAGE}/_one/_deep/_deeper/__init__.py: (d) has no __all__",
            f"{PACKAGE}/_one/_deep/_deeper/_deepest/__init__.py: (d) has no docstring",
            f"{PACKAGE}/_one/_deep/_deeper/_deepest/__init__.py: (d) has no __all__",
        ],
    ),
}


@pytest.mark.parametrize(("rule", "files", "expected"), BROKEN.values(), ids=BROKEN)
def test_broken_rules_are_named(rule, files, expected):
    """File, line and rule stand in front; nothing else is reported."""
    found = rule(made(files))
    assert len(found) == len(expected)
    for line, start in zip(sorted(found), sorted(expected), strict=True):
        assert line.startswith(start)
