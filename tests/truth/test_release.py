"""What is released: built twice it is the same, it works without the repository, and keeps its interface."""

import hashlib
import importlib.util
import json
import os
import re
import subprocess
import sys
import tarfile
import venv
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]


def tool(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_public_interface_is_the_one_that_is_pinned():
    api = tool("api")
    assert api.page() == api.PAGE.read_text(encoding="utf-8"), "a program may rely on it; if it is meant: `make docs`"


def test_no_group_is_repeated_possessively():
    """Python 3.11.0 to 3.11.4, which Debian 12 has, go on behind a try that failed: `(?>(?:…)*)` says the same."""
    odd = re.compile(r"\)(?:[*+?]|\{\d*,?\d*\})\+")
    places = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in sorted((ROOT / "src").rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if odd.search(line)
    ]
    assert odd.search("(?:a)*+") and places == []


def test_every_library_is_listed_and_may_be_used():
    licences = tool("licences")
    listed = licences.PAGE.read_text(encoding="utf-8")
    needed = licences.names()
    assert len(needed) > 20
    assert [name for name in needed if f"\n| {name} | " not in listed] == [], "run `make licences`"
    assert [name for name in needed if not licences.is_allowed(name)] == []


def test_an_audit_that_looked_nothing_up_does_not_pass():
    audit = tool("audit")
    skipped = {"dependencies": [{"name": "a", "skip_reason": "Dependency not found on PyPI"}]}
    clean = {"dependencies": [{"name": "a", "version": "1", "vulns": []}, {"name": "memtend", "skip_reason": "local"}]}
    bad = {"dependencies": [{"name": "a", "version": "1", "vulns": [{"id": "PYSEC-1"}]}]}
    assert audit.verdict([("pypi", skipped), ("osv", None)])[0] == audit.NOT_LOOKED_UP
    assert "no answer from osv" in audit.verdict([("pypi", skipped), ("osv", None)])[1]
    assert audit.verdict([("pypi", None), ("osv", None)])[0] == audit.NOT_LOOKED_UP
    assert audit.verdict([("pypi", clean)]) == (audit.CLEAN, "1 libraries, no known faults")
    assert audit.verdict([("pypi", skipped), ("osv", clean)])[0] == audit.CLEAN
    assert (
        audit.verdict([("pypi", {"dependencies": [*clean["dependencies"], {"name": "b", "skip_reason": "?"}]})])[0] == 2
    )
    assert audit.verdict([("pypi", skipped), ("osv", bad)]) == (audit.FAULTS, "a 1: PYSEC-1 (osv)")


def build(source: Path, out: Path, *kinds: str) -> list[Path]:
    """Build without asking the network; the clock is one that somebody set."""
    command = [sys.executable, "-m", "build", "--no-isolation", *kinds, "--outdir", str(out), str(source)]
    environment = os.environ | {"SOURCE_DATE_EPOCH": "1782813600"}
    done = subprocess.run(command, env=environment, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return sorted(out.iterdir())


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """The wheel and the source archive, in this order."""
    pytest.importorskip("build", reason="the build tool is not installed: `pip install -e .[dev]`")
    pytest.importorskip("hatchling", reason="the build backend is not installed: `pip install -e .[dev]`")
    wheel, source = build(ROOT, tmp_path_factory.mktemp("first"), "--wheel", "--sdist")
    return [wheel, source] if wheel.suffix == ".whl" else [source, wheel]


def digests(files: list[Path]) -> dict[str, str]:
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def test_built_again_and_from_its_own_source_archive_it_is_the_same_to_the_byte(built: list[Path], tmp_path: Path):
    assert digests(build(ROOT, tmp_path / "again", "--wheel", "--sdist")) == digests(built)
    with tarfile.open(built[1]) as archive:
        archive.extractall(tmp_path / "source", filter="data")
    (unpacked,) = (tmp_path / "source").iterdir()
    assert digests(build(unpacked, tmp_path / "from-source", "--wheel")) == digests(built[:1])


def test_the_wheel_has_all_of_the_package_its_types_and_its_licence_and_nothing_else(built: list[Path]):
    with zipfile.ZipFile(built[0]) as wheel:
        names = set(wheel.namelist())
    ours = {path for path in (ROOT / "src").rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    expected = {path.relative_to(ROOT / "src").as_posix() for path in ours}
    assert expected <= names
    assert "memtend/py.typed" in names
    beside = {name for name in names - expected if ".dist-info/" not in name}
    assert beside == set()
    assert any(name.endswith("licenses/LICENSE") for name in names)


PROGRAM = """
import json, sys, memtend
from importlib.resources import files
from memtend import Action, Decision, Workspace
from memtend.workspace import LearnRequest
workspace = Workspace.open()
plan = workspace.plan_learn(LearnRequest(text="The gate is painted green in spring."))
workspace.apply(plan, [Decision("seg-001", Action.CREATE)])
print(json.dumps([memtend.__file__, files("memtend").joinpath("py.typed").is_file(), len(workspace.memories())]))
"""


def test_in_an_empty_environment_without_the_repository_it_works(built: list[Path], tmp_path: Path):
    home = tmp_path / "env"
    venv.create(home, with_pip=False)
    programs = home / ("Scripts" if os.name == "nt" else "bin")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "MEMTEND_"))}

    def run(*words: str) -> str:
        done = subprocess.run(words, cwd=tmp_path, env=environment, check=False, capture_output=True, text=True)
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
        return done.stdout

    # From outside, and without compiling what hardly any of these commands load: half the time of the test.
    pip = [sys.executable, "-m", "pip", "--python", str(programs / "python"), "--disable-pip-version-check", "--quiet"]
    probe = [*pip, "download", "--no-deps", "--dest", str(tmp_path / "probe"), "filelock"]
    if subprocess.run(probe, cwd=tmp_path, env=environment, check=False, capture_output=True).returncode:
        pytest.skip("NOT TESTED: the package index cannot be reached, so the wheel was not installed anywhere")
    run(*pip, "install", "--no-compile", str(built[0]))
    memtend = str(programs / "memtend")
    run(memtend, "init")
    run(memtend, "learn", "-t", "The boiler of hall two is drained on the first Monday.", "--yes", "--no-commit")
    assert "boiler" in run(memtend, "recall", "when is the boiler of hall two drained")
    assert json.loads(run(memtend, "search", "boiler", "--json"))["hits"]
    where, is_typed, count = json.loads(run(str(programs / "python"), "-c", PROGRAM))
    assert Path(where).is_relative_to(home)
    assert (is_typed, count) == (True, 2)
    run(memtend, "undo", "--no-commit")
    run(memtend, "check")
    run(*pip, "check")
