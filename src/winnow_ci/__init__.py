"""winnow-ci finds lines of a change that were copied from known code, and names their licence.

As a library, it does what the commands do: ``scan`` a change, ``check`` documents, ``open_index`` (docs/python.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.start_up import on_demand

if TYPE_CHECKING:
    from winnow_ci.errors import WinnowError
    from winnow_ci.model.findings import Finding, ScanReport
    from winnow_ci.operations.library import ChangeChoice, Document, check, open_index, scan, to_json
else:
    __getattr__ = on_demand(
        __name__,
        **{
            "errors": "WinnowError",
            "model.findings": "Finding ScanReport",
            "operations.library": "ChangeChoice Document check open_index scan to_json",
        },
    )

__version__ = "0.1.0"
