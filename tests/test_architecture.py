"""Folders of the package: what they import, and what they say of themselves.

All imports are read from the source, also those within functions and under `TYPE_CHECKING`. A
package is a dict from paths to texts here.
"""

import ast
import re
import sys
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "skpostbac"
# Folders that need nothing but these, beside the standard library and the package itself.
LEAN = (f"{PACKAGE}._utils", f"{PACKAGE}.stats")
LEAN_IMPORTS = {"numpy", "scipy", PACKAGE} | set(sys.stdlib_module_names)
# A private name, or one with the package before it, as docstrings and comments write them.
OWN_NAME = re.compile(rf"(?<!`)`(_[a-z]\w*|{PACKAGE}(?:\.\w+)+)`(?!`)")


parse = cache(ast.parse)


def module_of(path):
    """Return the dotted name of a file; that of an `__init__` is the name of its folder."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def parent(name):
    return name.rpartition(".")[0]


def is_inside(name, folder):
    return name == folder or name.startswith(f"{folder}.")


def folders_of(package):
    """Return the dotted names of all folders, with and without an `__init__`."""
    parts = [path.split("/") for path in package]
    return {".".join(part[:depth]) for part in parts for depth in range(1, len(part))}


def imports_of(package):
    """Yield place, importing module, importing folder and imported module of all imports."""
    modules, folders = {module_of(path) for path in package}, folders_of(package)
    for path, text in package.items():
        importer = module_of(path)
        folder = importer if importer in folders else parent(importer)
        for node in ast.walk(parse(text)):
            for target in targets(node, modules, folder):
                yield f"{path}:{getattr(node, 'lineno', 0)}", importer, folder, target


def targets(node, modules, folder):
    """Yield the modules that a node imports; `from folder import module` imports the module."""
    match node:
        case ast.Import(names=names):
            yield from (alias.name for alias in names)
        case ast.ImportFrom(module=source, names=names, level=level):
            if level:
                base = folder.split(".")[: len(folder.split(".")) - level + 1]
                source = ".".join([*base, *([source] if source else [])])
            # The version is a string, which all may read.
            full = [
                f"{source}.{alias.name}"
                for alias in names
                if alias.name != "__version__"
            ]
            yield from (name if name in modules else source for name in full)
        case ast.Call(
            func=ast.Name(id="import_module" | "__import__")
            | ast.Attribute(attr="import_module"),
            args=[ast.Constant(value=str(name)), *_],
        ):
            yield name


def rooms_of(package):
    """Return the rooms: folders, and modules that stand beside folders."""
    folders = folders_of(package)
    mixed = {parent(folder) for folder in folders}
    return folders | {name for name in map(module_of, package) if parent(name) in mixed}


def foreign_modules(package):
    """An import names a module of the same folder or a room."""
    inner = {module_of(path) for path in package} - rooms_of(package)
    for place, _, folder, target in imports_of(package):
        if target in inner and parent(target) != folder:
            yield f"{place}: imports {target}, a module of another folder"


def circles(package):
    """Rooms import one another in no circle, and none of the folders that they lie in."""
    rooms, graph = rooms_of(package), {}
    for place, importer, folder, target in imports_of(package):
        if is_inside(folder, target) and importer != target:
            yield f"{place}: imports {target}, the folder that it lies in"
        room, imported = (
            name if name in rooms else parent(name) for name in (importer, target)
        )
        if is_inside(target, PACKAGE) and imported != room:
            graph.setdefault(room, set()).add(imported)
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        yield f"a circle: {' imports '.join(error.args[1][::-1])}"


def heavy_imports(package):
    """The lowest folders need NumPy and SciPy only."""
    for place, importer, _, target in imports_of(package):
        is_lean = any(is_inside(importer, folder) for folder in LEAN)
        if is_lean and target.partition(".")[0] not in LEAN_IMPORTS:
            yield f"{place}: imports {target}, and needs NumPy and SciPy only"


def silent_folders(package):
    """The `__init__` of a folder says what it is for."""
    for folder in sorted(folders_of(package)):
        path = f"{folder.replace('.', '/')}/__init__.py"
        if ast.get_docstring(ast.parse(package.get(path, ""))) is None:
            yield f"{path}: has no docstring"


def stale_names(package):
    """Docstrings and comments name no module or private name that there is not."""
    known = {part for path in package for part in module_of(path).split(".")}
    for text in package.values():
        for node in ast.walk(parse(text)):
            match node:
                case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                    known.add(name)
                case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                    known.add(name)
    for path, text in package.items():
        for number, line in enumerate(text.splitlines(), 1):
            for name in OWN_NAME.findall(line):
                if not known.issuperset(name.split(".")):
                    yield f"{path}:{number}: speaks of {name}, which there is not"


RULES = [foreign_modules, circles, heavy_imports, silent_folders, stale_names]


@pytest.fixture(scope="module")
def package():
    """Return the texts of all files of the package."""
    return {
        path.relative_to(ROOT).as_posix(): path.read_text("utf-8")
        for path in sorted((ROOT / PACKAGE).rglob("*.py"))
    }


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.__name__)
def test_package_keeps_the_rules(package, rule):
    """No file breaks any; a failure names the file, the line and the rule."""
    broken = list(rule(package))
    assert not broken, "\n" + "\n".join(broken)
