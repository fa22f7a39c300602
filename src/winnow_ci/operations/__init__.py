"""What the commands do, without the command line: each operation is one list of steps.

A command passes values and prints the result; nothing here reads arguments, prints or exits. Every function may raise a
``WinnowError``, whose message says what is wrong and what to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.start_up import on_demand

if TYPE_CHECKING:
    from pathlib import Path

    from winnow_ci.operations.baseline import BaselinePlace, BaselineUpdate, approve_findings
    from winnow_ci.operations.check import (
        NAMELESS,
        CheckOptions,
        GivenDocument,
        check_documents,
        folder_of,
        name_of,
        read_given,
        rules_of_folder,
        scan_documents,
        settings_of,
    )
    from winnow_ci.operations.indexing import (
        ManifestEdit,
        add_starters,
        addition_of,
        extended_manifest,
        installations,
        planned_sync,
        synchronise,
    )
    from winnow_ci.operations.library import quiet
    from winnow_ci.operations.named_elsewhere import (
        BlockFolder,
        NamedIndex,
        extended,
        indexes_of,
        nearest_configuration,
        open_place,
        refuse_checkout,
        with_root,
    )
    from winnow_ci.operations.paired_lines import shown_pairs
    from winnow_ci.operations.report import CodePlaces, load_report, with_found_code
    from winnow_ci.operations.scan import (
        ChangeChoice,
        ChangeScan,
        ScanOptions,
        chosen_change,
        default_change,
        finished,
        scan_change,
    )
    from winnow_ci.operations.trust import RuleChoice, configuration_path
else:
    __getattr__ = on_demand(
        __name__,
        baseline="BaselinePlace BaselineUpdate approve_findings",
        check=(
            "CheckOptions GivenDocument NAMELESS check_documents folder_of name_of read_given rules_of_folder "
            "scan_documents settings_of"
        ),
        indexing="ManifestEdit add_starters addition_of extended_manifest installations planned_sync synchronise",
        library="quiet",
        named_elsewhere=(
            "BlockFolder NamedIndex extended indexes_of nearest_configuration open_place refuse_checkout with_root"
        ),
        paired_lines="shown_pairs",
        report="CodePlaces load_report with_found_code",
        scan="ChangeChoice ChangeScan ScanOptions chosen_change default_change finished scan_change",
        trust="RuleChoice configuration_path",
    )


def lock_beside(manifest: Path) -> Path:
    """Return where the lock of a manifest is."""
    return manifest.with_suffix(".lock")
