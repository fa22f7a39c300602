"""What runs on Windows: folders and files of tests, and the table of what in them does not, with the reasons.

Python's own name for the system decides, so the same holds under wine (``make windows``) and on a real Windows. A file
in the table is not even imported. A test has the name of its file, ``::`` and its own name, without parameters.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

HERE = sys.platform == "win32"
UNHELD = sys.platform == "win32" or os.geteuid() == 0
"""Whether mode bits hold this user back from nothing."""

RUN = (
    "cli/test_approve.py",
    "cli/test_baseline.py",
    "cli/test_block_folder.py",
    "cli/test_check.py",
    "cli/test_explain.py",
    "cli/test_formats.py",
    "cli/test_index.py",
    "cli/test_index_add.py",
    "cli/test_inline.py",
    "cli/test_interruption.py",
    "cli/test_modes.py",
    "cli/test_policy.py",
    "cli/test_scan.py",
    "cli/test_scan_errors.py",
    "hooks",
    "test_system.py",
    "windows",
)
"""Files and folders whose tests are about the command, git and files, in the ten minutes that they may take under wine.
What only computes is the same on every system."""

LINKS = "makes links, which wine lacks and Windows allows to few"
MODES = "is about the mode bits, owners or pipes of POSIX"
NAMES = "uses file names that Windows does not have, or has once, whatever their case"
PROGRAMS = "puts a script in the place of a program, as only POSIX can"
SHELLS = "runs in a shell of POSIX"
HOST = "compares wine with the host, from the host"

_NOT_HERE = {
    LINKS: """
        cli/test_baseline.py::test_an_update_needs_a_place
        cli/test_channels.py::test_ssh_keygen_is_needed
        cli/test_ci.py::test_a_link_in_the_checkout_is_not_followed
        cli/test_ci.py::test_a_link_on_the_way_to_a_report_is_not_followed
        cli/test_ci.py::test_a_checkout_behind_a_link_of_the_system_has_reports
        cli/test_index_sync.py::test_links_are_no_way_out
        git/test_blobs.py::test_links_submodules_and_conflicts
        git/test_blobs.py::test_what_happened_to_a_file_since_it_was_listed
        git/test_changes.py::test_kinds_of_change
        git/test_changes.py::test_a_link_that_becomes_a_file_is_new
        git/test_changes.py::test_links_on_the_way_are_followed_and_at_the_end_are_not
        git/test_hostile.py::test_a_link_to_a_secret_is_not_read
        git/test_trees.py::test_entries_below
        git/test_trees.py::test_entry_at
        git/test_trees.py::test_regular_files
        git/test_trees.py::test_contents_at
        git/test_trees.py::test_absent
        git/test_trees.py::test_only_as_many_entries_are_listed_as_are_taken
        git/test_trees.py::test_of_a_tree_that_is_not_there
        hooks/test_init.py::test_it_sees_its_hook_and_names_a_first_baseline
        hooks/test_init.py::test_it_writes_through_no_link
        redteam/test_planted_files.py::test_an_entry_that_is_no_file_is_as_if_absent
        redteam/test_planted_files.py::test_a_scan_fetches_what_is_no_file
        redteam/test_planted_files.py::test_a_link_in_the_cache_makes_no_file_elsewhere
    """,
    MODES: """
        cli/test_check.py::test_a_configuration_of_somebody_else_is_refused
        cli/test_index_sync.py::test_paths_that_are_no_sources
        config/test_settings_file.py::test_a_file_that_cannot_be_read_is_an_error
        git/test_blobs.py::test_a_pipe_in_the_place_of_a_file_is_not_waited_for
        git/test_blobs.py::test_what_may_not_be_read_is_said
    """,
    NAMES: """
        cli/test_index_sync.py::test_names_of_files_do_not_act_on_a_terminal
        git/test_changes.py::test_paths_are_sorted_by_their_bytes
        git/test_changes.py::test_paths_are_literal_files_and_folders
        git/test_changes.py::test_the_scope_says_so
        git/test_changes.py::test_many_paths_are_only_counted
        git/test_changes.py::test_paths_are_relative_to_the_current_directory
        git/test_changes.py::test_links_on_the_way_are_followed_and_at_the_end_are_not
        git/test_changes.py::test_a_path_that_is_nowhere_is_a_mistake
        git/test_changes.py::test_a_path_outside_is_a_mistake
        git/test_changes.py::test_a_path_may_be_in_the_index_or_a_commit_only
        git/test_changes.py::test_in_a_bare_repository_paths_start_at_the_root
        git/test_hostile.py::test_no_name_hides_a_file
        git/test_hostile.py::test_no_name_hides_a_file_of_the_work_tree
        git/test_hostile.py::test_a_name_can_be_given_as_a_path
        git/test_hostile.py::test_diff_settings_do_not_blind_us
    """,
    PROGRAMS: """
        git/test_history.py::test_ssh_is_the_system_s_own_and_asks_nobody
        git/test_history.py::test_every_other_command_still_has_no_transport
        git/test_hostile.py::test_only_plumbing_is_asked_and_always_hardened
        git/test_objects.py
        git/test_trees.py::test_settings_and_attributes_have_no_say
    """,
    SHELLS: "hooks/test_docs.py",
    HOST: "windows/test_same_as_linux.py",
}
NOT_HERE = {place: reason for reason, places in _NOT_HERE.items() for place in places.split()}


def left_out(path: Path, tests: Path) -> bool:
    """Return whether a file or folder of the tests is not collected here."""
    if not HERE or path == tests or not path.is_relative_to(tests):
        return False
    place = path.relative_to(tests).as_posix()
    wanted = any(place == run or place.startswith(f"{run}/") or run.startswith(f"{place}/") for run in RUN)
    return not wanted or place in NOT_HERE


def skips(items: Iterable[pytest.Item]) -> Iterator[tuple[pytest.Item, str]]:
    """The tests of the table, each with its reason."""
    for item in items:
        path, _, name = item.nodeid.replace("\\", "/").removeprefix("tests/").partition("::")
        if reason := NOT_HERE.get(f"{path}::{name.partition('[')[0]}"):
            yield item, reason


def mark(items: Iterable[pytest.Item]) -> None:
    """Skip the tests of the table, and say why."""
    for item, reason in skips(items) if HERE else ():
        item.add_marker(pytest.mark.skip(reason=f"on Windows: {reason}"))
