"""Whose rules count, in each case, without the command line."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

import pytest

from support.repository import Checkout
from winnow_ci import git
from winnow_ci.config.baseline import baseline_text
from winnow_ci.config.settings import Settings
from winnow_ci.errors import ConfigError, IndexFileError, UsageError, WinnowError
from winnow_ci.indexer.building import in_silence
from winnow_ci.model.findings import BaselineEntry
from winnow_ci.operations.named_elsewhere import NamedIndex, in_files
from winnow_ci.operations.trust import RuleChoice, Rules, rules
from winnow_ci.operations.written_files import ScratchFolder

if TYPE_CHECKING:
    from pathlib import Path

INDEX = ".winnow/index.db"
BASELINE = ".winnow/baseline.json"
CONFIGURATION = f"index: [{INDEX}]\n"
ALLOWING = f"{CONFIGURATION}policy: {{default: allow}}\n"
WITH_BASELINE = f"{CONFIGURATION}baseline: {BASELINE}\n"
BASE, HEAD = RuleChoice(policy_from="base"), RuleChoice(policy_from="head")


def entry(path: str) -> BaselineEntry:
    return BaselineEntry("0" * 32, path, "curl", "lib/url.c", "curl", "verbatim", "agreed")


def recorded(path: str) -> str:
    return baseline_text((entry(path),))


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    """A repository with a commit on main, and a branch."""
    return begun(tmp_path, {"a.py": "a = 1\n"})


@pytest.fixture
def configured(tmp_path: Path) -> Checkout:
    """The same with a configuration and an index on main; nobody opens the index, so it need not be one."""
    return begun(tmp_path, {".winnow.yml": CONFIGURATION, INDEX: b"old"})


def begun(tmp_path: Path, files: dict[str, str | bytes]) -> Checkout:
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.commit(files)
    checkout.git("switch", "--quiet", "--create", "change")
    checkout.commit({"b.py": "b = 1\n"})
    return checkout


def found(checkout: Checkout, choice: RuleChoice = BASE) -> Rules:
    """The rules for what the branch has and main has not."""
    repository = git.Repository.find(checkout.root)
    scratch = checkout.root.parent / "scratch"
    scratch.mkdir(exist_ok=True)
    return rules(repository, git.between(repository, "main...HEAD"), choice, lasting(scratch), in_silence)


def lasting(folder: Path) -> ScratchFolder:
    """One that a test can look into afterwards."""
    scratch = ScratchFolder()
    vars(scratch)["path"] = folder
    return scratch


def contents(of: Rules) -> list[bytes]:
    return [file.read_bytes() for file in in_files(of.indexes)]


def edited(name: str) -> str:
    return f"the change edits {name}: the base's version applies"


def refused(kind: type[WinnowError], checkout: Checkout, choice: RuleChoice = BASE) -> str:
    with pytest.raises(kind) as caught:
        found(checkout, choice)
    assert "--policy-from head" in caught.value.remedy
    return caught.value.problem


# ---- base or head ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("on_a_ci", "policy_from", "is_lenient"),
    [
        (False, None, True),
        (True, None, False),
        (False, "base", False),
        (True, "base", False),
        (False, "head", True),
        (True, "head", True),
    ],
)
def test_the_base_counts_on_a_ci_unless_somebody_chooses(
    configured: Checkout, monkeypatch: pytest.MonkeyPatch, on_a_ci: bool, policy_from: str | None, is_lenient: bool
) -> None:
    configured.commit({".winnow.yml": ALLOWING})
    if on_a_ci:
        monkeypatch.setenv("GITHUB_ACTIONS", "true")
    by = found(configured, RuleChoice(policy_from=policy_from))  # type: ignore[arg-type]
    assert (by.settings.policy is not None) == is_lenient
    assert by.notices == (() if is_lenient else (edited(".winnow.yml"),))
    assert by.suppressions.trust == ("always" if is_lenient else "base")
    assert by.suppressions.today == dt.date.today()


def test_where_nothing_is_compared_with_the_base_is_the_default_branch(configured: Checkout, tmp_path: Path) -> None:
    configured.write(".winnow.yml", ALLOWING)
    repository = git.Repository.find(configured.root)
    by = rules(repository, git.everything(repository), BASE, lasting(tmp_path), in_silence)
    assert by.settings.policy is None
    configured.git("branch", "--quiet", "--move", "main", "other")
    with pytest.raises(UsageError, match="there is no base"):
        rules(repository, git.everything(repository), BASE, lasting(tmp_path), in_silence)


def test_a_bare_repository_has_the_rules_that_lie_in_its_folder(configured: Checkout, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    configured.git("clone", "--quiet", "--bare", str(configured.root), str(bare))
    (bare / ".winnow.yml").write_text(ALLOWING)
    (bare / ".winnow").mkdir()
    (bare / INDEX).write_bytes(b"the administrator's")
    repository = git.Repository.at(bare)
    by = rules(repository, git.between(repository, "main...change"), BASE, lasting(tmp_path), in_silence)
    assert by.settings.policy is not None
    assert contents(by) == [b"the administrator's"]
    # Whoever pushes may write comments that allow anything.
    assert by.suppressions.trust == "base"


def test_the_baseline_of_the_base_is_not_updated(configured: Checkout) -> None:
    problem = refused(UsageError, configured, BASE._replace(update_baseline=True))
    assert problem == "the baseline is not written: this scan uses the baseline of the base commit"


# ---- the configuration -----------------------------------------------------------------------------------------


def test_what_the_change_leaves_alone_needs_no_notice(configured: Checkout) -> None:
    by = found(configured)
    assert (by.indexes, by.notices) == ((NamedIndex(configured.root / INDEX, INDEX),), ())


def test_a_configuration_that_the_change_removes_still_counts(tmp_path: Path) -> None:
    checkout = begun(tmp_path, {".winnow.yml": ALLOWING, INDEX: b"old"})
    checkout.git("rm", "--quiet", ".winnow.yml")
    checkout.commit()
    by = found(checkout)
    assert (by.settings.policy is not None, by.notices) == (True, (edited(".winnow.yml"),))


def test_a_configuration_that_becomes_a_link_still_counts(configured: Checkout) -> None:
    configured.write("lenient.yml", ALLOWING)
    (configured.root / ".winnow.yml").unlink()
    (configured.root / ".winnow.yml").symlink_to("lenient.yml")
    configured.commit()
    by = found(configured)
    assert (by.settings.policy, by.notices) == (None, (edited(".winnow.yml"),))


def test_a_link_to_the_same_content_is_an_edit(configured: Checkout) -> None:
    configured.write("same.yml", CONFIGURATION)
    (configured.root / ".winnow.yml").unlink()
    (configured.root / ".winnow.yml").symlink_to("same.yml")
    assert found(configured).notices == (edited(".winnow.yml"),)


def test_the_base_may_have_no_link_for_a_configuration(tmp_path: Path) -> None:
    checkout = Checkout.create(tmp_path / "checkout")
    checkout.write("real.yml", CONFIGURATION)
    (checkout.root / ".winnow.yml").symlink_to("real.yml")
    checkout.commit({INDEX: b"old"})
    checkout.git("switch", "--quiet", "--create", "change")
    checkout.commit({"b.py": ""})
    assert refused(ConfigError, checkout) == ".winnow.yml is not a regular file in the base"


def test_without_any_configuration_an_index_must_be_named(checkout: Checkout, tmp_path: Path) -> None:
    for choice in (BASE, HEAD):
        with pytest.raises(IndexFileError, match="no index"):
            found(checkout, choice)
        (tmp_path / "elsewhere.db").write_bytes(b"elsewhere")
        by = found(checkout, choice._replace(indexes=(tmp_path / "elsewhere.db",)))
        assert (by.settings, contents(by), by.notices) == (Settings(), [b"elsewhere"], ())


def test_of_a_first_configuration_only_the_index_counts(checkout: Checkout) -> None:
    everything = f"{ALLOWING}baseline: {BASELINE}\nsuppressions: {{inline: always}}\nboilerplate: ['*.py']\n"
    checkout.commit({".winnow.yml": everything, INDEX: b"new", BASELINE: recorded("b.py")})
    by = found(checkout)
    assert by.settings == Settings(index=(checkout.root / INDEX,))
    assert (by.boilerplate, by.suppressions.baseline, by.suppressions.trust) == ([], (), "base")
    assert by.notices == (
        ".winnow.yml is new: only its index is used yet",
        f"{INDEX} is new: the change adds the index that it is compared with",
    )


def test_a_first_configuration_does_not_have_anything_downloaded(checkout: Checkout) -> None:
    url = f"index: [https://example.org/i.db#sha256={'a' * 64}]\n"
    checkout.commit({".winnow.yml": url})
    assert "so the URI in it is not followed" in refused(IndexFileError, checkout)


@pytest.mark.parametrize("link", ["lenient.yml", "../outside.yml"])
def test_a_first_configuration_is_no_link(checkout: Checkout, tmp_path: Path, link: str) -> None:
    (tmp_path / "outside.yml").write_text(ALLOWING)
    checkout.write("lenient.yml", ALLOWING)
    (checkout.root / ".winnow.yml").symlink_to(link)
    checkout.commit({INDEX: b"new"})
    assert refused(ConfigError, checkout) == ".winnow.yml is new, and is a symbolic link or lies behind one"


def test_nor_does_it_lie_behind_one(checkout: Checkout) -> None:
    checkout.commit({"real/policy.yml": ALLOWING.replace(INDEX, f"../{INDEX}")})
    (checkout.root / "linked").symlink_to("real")
    checkout.commit()
    choice = BASE._replace(config=checkout.root / "linked" / "policy.yml")
    assert refused(ConfigError, checkout, choice) == (
        "linked/policy.yml is new, and is a symbolic link or lies behind one"
    )


def test_what_an_earlier_step_of_the_job_has_written_counts(checkout: Checkout) -> None:
    checkout.write(".winnow.yml", ALLOWING)
    checkout.write(INDEX, b"from a cache")
    by = found(checkout)
    assert (by.settings.policy is not None, contents(by), by.notices) == (True, [b"from a cache"], ())


def test_but_not_if_it_is_a_link_to_what_the_change_has_brought(checkout: Checkout) -> None:
    checkout.commit({"lenient.yml": ALLOWING})
    (checkout.root / ".winnow.yml").symlink_to("lenient.yml")
    assert "symbolic link" in refused(ConfigError, checkout)


def test_a_configuration_outside_the_work_tree_counts(configured: Checkout, tmp_path: Path) -> None:
    (tmp_path / "policy.yml").write_text("policy: {default: warning}\n")
    choice = BASE._replace(config=tmp_path / "policy.yml", indexes=(configured.root / INDEX,))
    by = found(configured, choice)
    assert (by.settings.policy is not None, by.notices) == (True, ())


def test_a_link_to_the_work_tree_is_no_way_around_the_base(configured: Checkout, tmp_path: Path) -> None:
    configured.commit({".winnow.yml": ALLOWING})
    (tmp_path / "around").symlink_to(configured.root)
    by = found(configured, BASE._replace(config=tmp_path / "around" / ".winnow.yml"))
    assert (by.settings.policy, by.notices) == (None, (edited(".winnow.yml"),))


def test_a_configuration_that_is_named_must_be_there(configured: Checkout) -> None:
    for choice in (BASE, HEAD):
        with pytest.raises(ConfigError, match=r"missing\.yml"):
            found(configured, choice._replace(config=configured.root / "missing.yml"))


# ---- indexes ---------------------------------------------------------------------------------------------------


def test_an_index_that_the_change_edits_is_copied_from_the_base(configured: Checkout, tmp_path: Path) -> None:
    configured.commit({INDEX: b"new"})
    by = found(configured)
    assert (contents(by), by.notices) == ([b"old"], (edited(INDEX),))
    assert (by.indexes[0].place.parent, by.indexes[0].name) == (tmp_path / "scratch", INDEX)
    assert contents(found(configured, HEAD)) == [b"new"]


def test_an_index_of_the_same_size_is_compared_by_its_bytes(configured: Checkout) -> None:
    configured.write(INDEX, b"odd")
    assert contents(found(configured)) == [b"old"]


@pytest.mark.parametrize("entry", [INDEX, ".winnow"])
def test_an_index_that_the_change_removes_is_that_of_the_base(tmp_path: Path, entry: str) -> None:
    checkout = begun(tmp_path, {".winnow.yml": f"index: [{entry}]\n", INDEX: b"old"})
    checkout.git("rm", "--quiet", INDEX)
    checkout.commit({".winnow/keep": ""})
    by = found(checkout)
    assert (contents(by), by.notices) == ([b"old"], (edited(INDEX),))


def test_an_index_that_becomes_a_link_is_that_of_the_base(configured: Checkout) -> None:
    configured.write("mine.db", b"old")
    (configured.root / INDEX).unlink()
    (configured.root / INDEX).symlink_to("../mine.db")
    configured.commit()
    assert found(configured).notices == (edited(INDEX),)


def test_of_a_folder_the_indexes_of_the_base_count(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        ".winnow.yml": "index: [.winnow]\n",
        ".winnow/a.db": b"a",
        ".winnow/b.db": b"b",
        ".winnow/.c.db": b"hidden",
        ".winnow/deep/d.db": b"deep",
        ".winnow/notes.txt": b"notes",
    }
    checkout = begun(tmp_path, files)
    checkout.commit({".winnow/e.db": b"new"})
    assert sorted(contents(found(checkout))) == [b"a", b"b"]
    assert sorted(contents(found(checkout, HEAD))) == [b"a", b"b", b"new"]


def test_an_index_counts_once(configured: Checkout) -> None:
    path = configured.root / INDEX
    for choice in (BASE, HEAD):
        by = found(configured, choice._replace(indexes=(path, path, path.parent)))
        assert [index.place for index in by.indexes] == [path]


def test_a_change_does_not_bring_its_index_to_a_configuration_of_the_base(tmp_path: Path) -> None:
    checkout = begun(tmp_path, {".winnow.yml": CONFIGURATION})
    checkout.commit({INDEX: b"new"})
    problem = refused(IndexFileError, checkout)
    assert problem == f"{INDEX} is not in the base: the change adds the index that it would be compared with"


def test_nor_one_that_the_command_line_names(checkout: Checkout) -> None:
    checkout.commit({".winnow.yml": CONFIGURATION, INDEX: b"new"})
    refused(IndexFileError, checkout, BASE._replace(indexes=(checkout.root / INDEX,)))


def test_a_link_of_an_earlier_step_to_an_index_of_the_change_does_not_count(tmp_path: Path) -> None:
    checkout = begun(tmp_path, {".winnow.yml": CONFIGURATION})
    checkout.commit({"mine.db": b"new"})
    (checkout.root / ".winnow").mkdir()
    (checkout.root / INDEX).symlink_to("../mine.db")
    refused(IndexFileError, checkout)


# ---- boilerplate and comments ----------------------------------------------------------------------------------


def test_boilerplate_is_that_of_the_base(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        ".winnow.yml": f"{CONFIGURATION}boilerplate: ['templates/**']\n",
        INDEX: b"old",
        "templates/a.py": "a = 1\n",
    }
    checkout = begun(tmp_path, files)
    checkout.commit({"templates/b.py": "b = 1\n"})
    assert [file.path for file in found(checkout).boilerplate] == ["templates/a.py"]
    assert [file.path for file in found(checkout, HEAD).boilerplate] == ["templates/a.py", "templates/b.py"]


def test_the_base_says_which_comments_count(tmp_path: Path) -> None:
    checkout = begun(tmp_path, {".winnow.yml": f"{CONFIGURATION}suppressions: {{inline: never}}\n", INDEX: b"old"})
    checkout.commit({".winnow.yml": f"{CONFIGURATION}suppressions: {{inline: always}}\n"})
    assert found(checkout).suppressions.trust == "never"
    assert found(checkout, HEAD).suppressions.trust == "always"


# ---- the baseline ----------------------------------------------------------------------------------------------


@pytest.fixture
def agreed(tmp_path: Path) -> Checkout:
    """A repository whose main has a baseline."""
    return begun(tmp_path, {".winnow.yml": WITH_BASELINE, INDEX: b"old", BASELINE: recorded("base.py")})


def test_a_baseline_that_stays_needs_no_notice(agreed: Checkout) -> None:
    for choice in (BASE, HEAD):
        by = found(agreed, choice)
        assert (by.suppressions.baseline, by.notices) == ((entry("base.py"),), ())


def test_a_baseline_that_the_change_edits_is_that_of_the_base(agreed: Checkout) -> None:
    agreed.commit({BASELINE: recorded("change.py")})
    by = found(agreed)
    assert (by.suppressions.baseline, by.notices) == ((entry("base.py"),), (edited(BASELINE),))
    assert found(agreed, HEAD).suppressions.baseline == (entry("change.py"),)


def test_a_baseline_that_the_change_removes_is_that_of_the_base(agreed: Checkout) -> None:
    agreed.git("rm", "--quiet", BASELINE)
    agreed.commit()
    by = found(agreed)
    assert (by.suppressions.baseline, by.notices) == ((entry("base.py"),), (edited(BASELINE),))


@pytest.fixture
def without(tmp_path: Path) -> Checkout:
    """A repository whose main names a baseline that is not there."""
    return begun(tmp_path, {".winnow.yml": WITH_BASELINE, INDEX: b"old"})


def test_a_baseline_need_not_be_there(without: Checkout) -> None:
    by = found(without)
    assert (by.suppressions.baseline, by.notices) == ((), ())
    (notice,) = found(without, HEAD).notices
    assert notice == "the baseline does not exist yet; the first `winnow-ci approve` creates it"
    assert found(without, HEAD._replace(update_baseline=True)).notices == ()


def test_a_baseline_that_the_change_brings_suppresses_nothing(without: Checkout) -> None:
    without.commit({BASELINE: recorded("b.py")})
    by = found(without)
    assert (by.suppressions.baseline, by.notices) == ((), (f"{BASELINE} is new: it suppresses nothing yet",))
    assert found(without, HEAD).suppressions.baseline == (entry("b.py"),)


def test_a_baseline_of_an_earlier_step_counts_but_no_link(without: Checkout) -> None:
    without.write(BASELINE, recorded("b.py"))
    assert found(without).suppressions.baseline == (entry("b.py"),)
    (without.root / BASELINE).rename(without.root.parent / "outside.json")
    (without.root / BASELINE).symlink_to("../../outside.json")
    assert found(without).suppressions.baseline == ()
