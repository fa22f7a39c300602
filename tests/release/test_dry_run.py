"""A release on this machine, up to what needs the credentials: ``make release``.

The distributions lie in an index of Python packages on this machine, and are installed by their names.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import sys
import tarfile
import zipfile
from typing import TYPE_CHECKING

import pytest
import yaml
from rattler_build import Stage0Recipe, VariantConfig

from support.action import CONTEXT, Job
from support.distributions import PROJECT, ROOT, locked, read_toml, workflow_step
from support.donor import CHANGE, write_known
from support.https import Authority, serving
from support.installations import run
from support.oci_registry import running
from support.releasing import TAG, VERSION
from support.repository import Checkout

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path
    from typing import Any

    from support.python_index import PythonIndex

    Once = Callable[[str, Callable[[Path], Any]], Path]

KERNEL = read_toml("kernel/Cargo.toml")["package"]["version"]
WITH_KERNEL, WITHOUT = f"winnow-ci {VERSION} (kernel {KERNEL})", f"winnow-ci {VERSION} (no kernel)"
SMALL = "pkg:pypi/html2text@"


@pytest.fixture
def copied(tmp_path: Path, installed: dict[str, str]) -> Checkout:
    """A project with a copy that is not committed, and an index of the original."""
    project = Checkout.create(tmp_path / "project")
    build = ["winnow-ci", "index", "build", write_known(tmp_path / "roads"), "--name", "roads"]
    run([*build, "--output", ".winnow/index.db"], project.root, installed)
    project.commit({".winnow.yml": "index: [.winnow/index.db]\n", "src/plan.py": "\n"})
    project.write("src/plan.py", CHANGE["src/plan.py"])
    return project


def metadata(wheel: Path) -> str:
    with zipfile.ZipFile(wheel) as opened:
        (name,) = (name for name in opened.namelist() if name.endswith("/METADATA"))
        return opened.read(name).decode()


def test_both_distributions_are_built_with_their_checksums(released: Checkout) -> None:
    names = {re.sub(r"-\d.*?(?=-|\.tar)", "", file.name) for file in (released.root / "dist").iterdir()}
    native = {name for name in names if name.startswith("winnow_ci_kernel-cp310-abi3-")}
    kinds = (".tar.gz", "-py3-none-any.whl")
    plain = {f"{name}{kind}" for name in ("winnow_ci", "winnow_ci_kernel") for kind in kinds}
    assert (len(native), names - native) == (1, plain)
    (wheel,) = (released.root / "dist").glob("winnow_ci-*.whl")
    assert f"Requires-Dist: winnow-ci-kernel=={KERNEL}\n" in metadata(wheel)
    run(["bash", "-ec", workflow_step("release", "build", "Checksums")], released.root, {})
    run(["sha256sum", "--check", "--strict", "../SHA256SUMS"], released.root / "dist", {})
    (released.root / "SHA256SUMS").unlink()


def test_it_is_installed_by_name_and_brings_its_kernel(installed: dict[str, str], copied: Checkout) -> None:
    assert run(["winnow-ci", "--version"], copied.root, installed).startswith(WITH_KERNEL)
    assert "src/plan.py:13-37: error: copied from roads" in run(["winnow-ci", "scan"], copied.root, installed, status=1)


def test_where_no_wheel_fits_it_works_without_the_kernel(
    released: Checkout, beside: dict[str, str], copied: Checkout, tmp_path: Path
) -> None:
    asked = ["--only-binary", ":all:", "--platform", "linux_riscv64", "--no-deps", f"winnow-ci-kernel=={KERNEL}"]
    run([sys.executable, "-m", "pip", "download", "--quiet", "--dest", tmp_path / "got", *asked], tmp_path, beside)
    (plain,) = (tmp_path / "got").iterdir()
    (wheel,) = (released.root / "dist").glob("winnow_ci-*.whl")
    run([sys.executable, "-m", "venv", tmp_path / "other"], tmp_path, {})
    python = tmp_path / "other" / "bin" / "python"
    run([python, "-m", "pip", "install", "--quiet", plain, wheel], tmp_path, {})
    assert run([python, "-m", "winnow_ci", "--version"], tmp_path, {}).startswith(WITHOUT)
    assert "copied from roads" in run([python, "-m", "winnow_ci", "scan"], copied.root, {}, status=1)


def test_the_action_runs_by_its_tag(
    released: Checkout, beside: dict[str, str], copied: Checkout, tmp_path: Path
) -> None:
    copied.git("clone", "--quiet", "--branch", TAG, str(released.root), str(tmp_path / "action"))
    head = copied.commit()
    event = {"GITHUB_ACTIONS": "true", "GITHUB_SHA": head, "GITHUB_REPOSITORY": CONTEXT["action_repository"]}
    inputs = {"base": "HEAD~1", "index": ".winnow/index.db", "policy-from": "head", "python": sys.executable}
    job = Job(copied.root, tmp_path / "runner", event, inputs)
    (tmp_path / "runner").mkdir()
    ran = job.run("install", GITHUB_ACTION_PATH=str(tmp_path / "action"), **beside)
    assert ran.status == 0, ran.log
    python = ran.outputs["python"]
    assert run([python, "-I", "-m", "winnow_ci", "--version"], tmp_path, {}).startswith(WITH_KERNEL)
    ran = job.run("scan", GITHUB_ACTION_PATH=str(tmp_path / "action"))
    assert (ran.status, job.action_outputs()["findings"]) == (1, "1"), ran.log


@pytest.fixture
def ready_made(tmp_path: Path, installed: dict[str, str]) -> Path:
    """A small part of the ready-made index for Python: its manifest, its lock and its sources."""
    manifest, lock = (yaml.safe_load((ROOT / "indexes" / f"python.{kind}").read_text()) for kind in ("yml", "lock"))
    manifest["sources"] = [one for one in manifest["sources"] if str(one).startswith(SMALL)]
    lock["sources"] = [one for one in lock["sources"] if one["purl"].startswith(SMALL)]
    (tmp_path / "python.yml").write_text(yaml.safe_dump(manifest))
    (tmp_path / "python.lock").write_text(yaml.safe_dump(lock, explicit_end=True))
    settings = {**installed, "WINNOW_CI_CACHE_DIR": str(tmp_path / "cache")}
    run(["winnow-ci", "index", "sync", "--frozen", "--manifest", "python.yml"], tmp_path, settings)
    return tmp_path / "python.db"


def pasted(folder: Path) -> str:
    """The code of a source that was fetched into a cache."""
    (archive,) = (file for file in folder.rglob("*") if file.is_file() and tarfile.is_tarfile(file))
    with tarfile.open(archive) as opened:
        (member,) = (one for one in opened if one.name.endswith("/html2text/__init__.py"))
        return opened.extractfile(member).read().decode()  # type: ignore[union-attr]  # a file


def test_a_ready_made_index_is_followed_and_its_findings_proved(
    ready_made: Path, installed: dict[str, str], tmp_path: Path
) -> None:
    for name in ("ours", "theirs"):
        run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", name], tmp_path, {})
    ours, theirs = ((tmp_path / f"{name}.pub").read_text().strip() for name in ("ours", "theirs"))
    project = Checkout.create(tmp_path / "project")
    authority = Authority(tmp_path)
    with serving(authority) as server:
        sign(tmp_path, installed, server.url)
        server.pages.update({f"/{name}": (tmp_path / name).read_bytes() for name in ("python.db", "python.channel")})
        channel = f"index:\n- channel: {server.url}/python.channel\n  signers: ['{{}}']\n"
        settings = {**installed, **authority.trusted()}
        project.commit({".winnow.yml": channel.format(theirs), "src/text.py": "\n"})
        assert "sign" in run(["winnow-ci", "scan", "--all"], project.root, settings, status=3)
        project.commit({".winnow.yml": channel.format(ours)})
        run(["winnow-ci", "scan", "--all", "--format", "in-toto:../proof.json"], project.root, settings)
        run(["ssh-keygen", "-q", "-Y", "sign", "-n", "winnow-ci", "-f", "ours", "proof.json"], tmp_path, {})
        said = run(["winnow-ci", "verify", "../proof.json", "--keys", "../ours.pub"], project.root, settings)
        assert f"passed by winnow-ci {VERSION}" in said
        run(["winnow-ci", "verify", "../proof.json", "--keys", "../theirs.pub"], project.root, settings, status=1)
        project.write("src/text.py", pasted(tmp_path / "cache"))
        assert "GPL-3.0" in run(["winnow-ci", "scan"], project.root, settings, status=1)


def sign(folder: Path, installed: dict[str, str], place: str) -> None:
    """Sign what is published, with the step of the workflow."""
    (folder / "venv" / "bin").mkdir(parents=True)
    (folder / "venv" / "bin" / "winnow-ci").symlink_to(f"{installed['PIPX_BIN_DIR']}/winnow-ci")
    key = (folder / "ours").read_text().rstrip("\n")
    settings = {**installed, "SIGNING_KEY": key, "RUNNER_TEMP": str(folder), "PLACE": place}
    run(["bash", "-ec", workflow_step("indexes", "publish", "Sign")], folder, settings)


def test_a_ready_made_index_is_pulled_from_a_registry_of_images(
    ready_made: Path, installed: dict[str, str], tmp_path: Path
) -> None:
    environment = tmp_path / "environment"
    run([sys.executable, "-m", "venv", environment], tmp_path, {})
    run([environment / "bin" / "pip", "install", "--quiet", "winnow-ci[oci]"], tmp_path, installed)
    program = environment / "bin" / "winnow-ci"
    (tmp_path / "registry").mkdir()
    with running(tmp_path / "registry") as registry:
        settings = {**registry.trusted, **registry.known, "WINNOW_CI_CACHE_DIR": str(tmp_path / "another")}
        push = [program, "index", "push", ready_made, f"{registry.host}/acme/python:1"]
        name = run(push, tmp_path, settings).split()[0]
        run([program, "index", "pull", name, "pulled.db"], tmp_path, settings)
    assert (tmp_path / "pulled.db").read_bytes() == ready_made.read_bytes()


@pytest.fixture
def recipes(once: Once, released: Checkout, beside: dict[str, str]) -> Path:
    """A folder with the recipes."""
    once("recipes", lambda _: run(["make", "recipes"], released.root, beside))
    return released.root / "recipes"


def test_recipes_name_what_is_published(released: Checkout, recipes: Path, tmp_path: Path) -> None:
    formula = (recipes / "winnow-ci.rb").read_text(encoding="utf-8")
    (sdist,) = (released.root / "dist").glob("winnow_ci-*.tar.gz")
    digest = hashlib.sha256(sdist.read_bytes()).hexdigest()
    address = f"https://github.com/octo/winnow-ci/releases/download/{TAG}/{sdist.name}"
    assert f'url "{address}"\n  sha256 "{digest}"' in formula
    pins = {pin.name: hashes for pin, hashes in locked(released.root / "requirements" / "winnow-ci.txt")}
    resources = re.findall(r'resource "(.+)" do\n +url ".+"\n +sha256 "(.+)"', formula)
    others = {name for name, _ in resources} - {"winnow-ci-kernel"}
    assert others == set(pins) - {"winnow-ci-kernel", "numpy", "tomli", "colorama"}
    assert all(digest in str(pins[name]) for name, digest in resources if name in others)
    assert re.search(r'url ".*/winnow_ci_kernel-.*\.tar\.gz"', formula)
    if need("ruby"):
        assert "Syntax OK" in run(["ruby", "-wc", recipes / "winnow-ci.rb"], tmp_path, {})


def test_conda_renders_its_recipe(recipes: Path) -> None:
    recipe = Stage0Recipe.from_file(recipes / "recipe.yaml")
    (rendered,) = (one.recipe for one in recipe.render(VariantConfig({"python_min": ["3.10"]})))
    assert (rendered.package.name, str(rendered.package.version)) == ("winnow-ci", VERSION)
    own = {re.split("[>=< ]", one)[0].lower().replace("xxhash", "python-xxhash") for one in PROJECT["dependencies"]}
    assert {str(one).split()[0] for one in rendered.requirements.run} == {*own, "python", "git"}


def need(*programs: str) -> bool:
    """Whether these programs are here, which CI requires."""
    missing = [program for program in programs if not shutil.which(program)]
    if missing and os.environ.get("REQUIRE_RELEASE"):
        pytest.fail(f"no {' and no '.join(missing)} on this machine; Debian has packages of these names")
    return not missing


BASE = """\
FROM scratch
ADD base.tar /
COPY trusted.pem /etc/ssl/certs/ca-certificates.crt
COPY pip.conf /etc/pip.conf
"""


def test_the_image_is_built_and_finds_a_copy(
    released: Checkout, index: PythonIndex, copied: Checkout, tmp_path: Path
) -> None:
    if not need("buildah", "mmdebstrap") or os.geteuid():
        pytest.skip("no image was built: it takes buildah, mmdebstrap and root")
    (tmp_path / "base").mkdir()
    packages = "--include=python3,python3-pip,python3-venv,ca-certificates"
    run(["mmdebstrap", "--quiet", "--variant=minbase", packages, "bookworm", "base/base.tar"], tmp_path, {})
    shutil.copy("/etc/ssl/certs/ca-certificates.crt", tmp_path / "base" / "trusted.pem")
    (tmp_path / "base" / "pip.conf").write_text(f"[global]\nindex-url = {index.server.url}/simple\n")
    (tmp_path / "base" / "Containerfile").write_text(BASE)
    buildah = ["buildah", "--root", tmp_path / "kept", "--runroot", tmp_path / "run", "--storage-driver", "vfs"]
    isolated = {"BUILDAH_ISOLATION": "chroot"}
    run([*buildah, "build", "--quiet", "--tag", "base", "base"], tmp_path, isolated)
    tagged = ["--build-arg", "BASE=localhost/base", "--tag", "winnow-ci", released.root]
    run([*buildah, "build", "--quiet", *tagged], tmp_path, isolated)
    entry = run([*buildah, "inspect", "--format", "{{.OCIv1.Config.Entrypoint}}", "winnow-ci"], tmp_path, {})
    container = run([*buildah, "from", "winnow-ci"], tmp_path, {}).strip()
    inside = [*buildah, "run", "--volume", f"{copied.root}:/work:ro", container, "--", entry.strip("[]\n")]
    assert run([*inside, "--version"], tmp_path, isolated).startswith(WITH_KERNEL)
    assert "copied from roads" in run([*inside, "scan", "--all"], tmp_path, isolated, status=1)
    shutil.rmtree(tmp_path / "kept")  # a gigabyte
