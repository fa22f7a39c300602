"""What runs on Windows: folders and files of tests, and the table of what in them does not, with the reasons.

Python's own name for the system decides, so the same holds under wine (``make windows``) and on a real Windows. A file
in the table is not even imported. A test has the name of its file, ``::`` and its own name, without parameters.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any

import pytest

if sys.platform == "win32":
    import _winapi

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

HERE = sys.platform == "win32"
WINE = HERE and "WINEPREFIX" in os.environ
UNHELD = sys.platform == "win32" or os.geteuid() == 0
"""Whether mode bits hold this user back from nothing."""

RUN = ("cli", "hooks", "test_system.py", "windows")
"""Files and folders whose tests are about the command, git and files. What only computes is the same everywhere."""

_NOT_HERE = {
    "is about the mode bits, owners, limits, pipes or terminals of POSIX": """
        cli/test_check.py::test_a_configuration_of_somebody_else_is_refused
        cli/test_index_sync.py::test_paths_that_are_no_sources
        cli/test_block_folder.py::test_what_others_wrote_into_the_cache_is_not_believed
        cli/test_index_revisions.py::test_a_repository_of_somebody_else_is_refused
        cli/test_report.py::test_a_folder_with_something_else_shows_nothing_of_it
        hooks/test_init.py::test_a_person_without_a_configuration_is_told_of_init
        cli/test_entered.py
        cli/test_index_sync_trouble.py
        cli/test_index_trouble.py
        cli/test_messages.py
        cli/test_process.py
        cli/test_start_up.py
        cli/test_terminal.py
    """,
    "makes links, which Windows keeps for administrators, and wine does not make at all": """
        cli/test_approve.py::test_what_is_in_the_way_is_named_and_stays
        cli/test_ci.py::test_a_checkout_behind_a_link_of_the_system_has_reports
        cli/test_ci.py::test_a_link_on_the_way_to_a_report_is_not_followed
        cli/test_compare_revisions.py::test_what_is_a_folder_and_a_revision_is_the_folder
        cli/test_coverage.py::test_what_is_out_of_scope_is_listed_with_the_rule
        cli/test_index_sync.py::test_links_are_no_way_out
        cli/test_report.py::test_what_is_shown_is_not_written_over
        hooks/test_init.py::test_it_sees_its_hook_and_names_a_first_baseline
        hooks/test_init.py::test_it_writes_through_no_link
    """,
    "is about names or arguments that Windows does not allow, or about other words of the system, with its \\": """
        cli/test_approve.py::test_what_was_approved_is_named_as_in_reports
        cli/test_ci.py::test_a_report_that_cannot_be_written_loses_no_other
        cli/test_ci.py::test_without_a_mode_the_event_decides
        cli/test_compare.py::test_names_are_shown_harmless
        cli/test_compare_revisions.py::test_what_is_not_there
        cli/test_hostile.py::test_a_path_in_bytes_that_are_not_utf_8
        cli/test_hostile.py::test_arguments_in_messages
        cli/test_hostile.py::test_hostile_known_code
        cli/test_hostile.py::test_what_describes_a_source_is_utf_8
        cli/test_index.py::test_a_build_that_is_refused
        cli/test_index_add.py::test_what_is_there_already
        cli/test_index_installed.py::test_all_that_is_installed_has_the_same_options
        cli/test_index_sync.py::test_a_repository_at_a_revision_and_at_all_tags
        cli/test_index_sync.py::test_frozen_takes_what_the_lock_pins_and_nothing_else
        cli/test_index_sync.py::test_if_nothing_can_be_had_nothing_changes
        cli/test_index_sync.py::test_names_of_files_do_not_act_on_a_terminal
        cli/test_index_sync.py::test_of_a_source_that_cannot_be_fetched_the_old_version_stays
        cli/test_index_sync.py::test_offline_all_must_be_here
        cli/test_index_sync.py::test_paths_to_take_and_to_leave
        cli/test_index_sync.py::test_sources_that_were_built_by_hand_are_not_lost
        cli/test_index_sync.py::test_the_manifest_of_the_repository_is_found_from_a_folder_within
        cli/test_index_sync.py::test_what_can_be_had_is_kept_and_what_cannot_is_named_at_the_end
        cli/test_index_sync.py::test_without_sources_there_is_no_index
        cli/test_index_upkeep.py::test_a_removal_that_is_refused
        cli/test_nearest_configuration.py::test_a_pattern_in_a_folder_whose_name_is_one
        cli/test_report.py::test_every_format_of_a_stored_report_is_that_of_the_scan
        cli/test_report.py::test_mistakes
    """,
    "replaces an index that it has open, which Windows refuses": """
        cli/test_index_upkeep.py::test_a_merge_that_is_refused
        cli/test_index_upkeep.py::test_sources_leave_an_index_of_another_version_too
        cli/test_index_upkeep.py::test_verify_tells_that_a_sound_index_is_one_that_a_scan_refuses
    """,
    "asks what a process of its own imports": """
        cli/test_index_at_url.py::test_what_downloads_is_imported_for_a_download_only
    """,
    "needs Spark": "cli/test_spark.py",
    "needs ssh-keygen": """
        cli/test_block_folder.py::test_a_channel_leads_to_it_and_the_next_mirror_serves
        cli/test_channels.py
        cli/test_proof.py
    """,
    "needs docker-registry": "cli/test_index_registry.py",
    "starts programs of the host: shells, Node, other tools": """
        cli/test_assistant.py
        cli/test_completion.py
        cli/test_editors.py
        cli/test_mcp.py
        hooks/test_docs.py
        hooks/test_manifest.py
        hooks/test_pre_receive.py
        hooks/test_same_answer.py
    """,
    "compares wine with the host, from the host": "windows/test_same_as_linux.py",
}
_SLOW_UNDER_WINE = """
    cli/test_advice.py
    cli/test_approve.py
    cli/test_assisted.py
    cli/test_awaited.py
    cli/test_baseline.py
    cli/test_block_folder.py
    cli/test_boilerplate.py
    cli/test_changed_archives.py
    cli/test_ci.py
    cli/test_compare_revisions.py
    cli/test_copied_data.py
    cli/test_coverage.py
    cli/test_explain.py
    cli/test_extends.py
    cli/test_identical_files.py
    cli/test_index_at_url.py
    cli/test_index_revisions.py
    cli/test_index_starter.py
    cli/test_index_sync.py
    cli/test_inline.py
    cli/test_interruption.py::test_a_build_ends_that_is_interrupted_where_its_workers_are_locked
    cli/test_interruption.py::test_other_parameters_begin_again
    cli/test_lsp.py
    cli/test_nearest_configuration.py
    cli/test_no_code.py
    cli/test_number_tables.py
    cli/test_phrases.py
    cli/test_policy.py::test_the_licence_of_the_team_decides_on_licences_that_no_pattern_names
    cli/test_repetition.py
    cli/test_report.py
    cli/test_report_fetching.py
    cli/test_rows_of_one_shape.py
    cli/test_rules.py
    cli/test_scan.py
    cli/test_selection.py
    cli/test_truth.py
    cli/test_uniform_code.py
    cli/test_what_a_scan_went_by.py
    cli/test_whose_rules.py
    hooks/test_pre_commit.py::test_a_file_called_like_an_option_is_a_file
    hooks/test_pre_commit.py::test_a_merge_without_conflicts
    hooks/test_pre_commit.py::test_more_names_than_a_command_line_holds
    hooks/test_pre_commit.py::test_named_files_that_the_commit_leaves_alone_are_left_out_except_on_a_ci
    hooks/test_pre_commit.py::test_revisions_are_compared_from_their_merge_base
    hooks/test_pre_commit.py::test_what_is_committed_is_looked_at
    hooks/test_pre_push.py
"""
"""What passes there, too, but takes minutes; ``ALL=1 make windows`` runs it."""

NOT_HERE = {place: reason for reason, places in _NOT_HERE.items() for place in places.split()}
if WINE and not os.environ.get("ALL"):
    NOT_HERE |= dict.fromkeys(_SLOW_UNDER_WINE.split(), "takes minutes under wine")

_INTERNAL_ERROR = 1359


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


def start_processes_again() -> None:
    """Start a process again if wine 8 could not: with four at a time, one in some thousand fails."""
    if sys.platform == "win32" and WINE:
        once = _winapi.CreateProcess

        def twice(*arguments: Any) -> Any:
            try:
                return once(*arguments)
            except OSError as error:
                if error.winerror != _INTERNAL_ERROR:
                    raise
                return once(*arguments)

        _winapi.CreateProcess = twice
