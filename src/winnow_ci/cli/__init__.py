"""The command: arguments, wiring, exit statuses. Only this package prints or exits.

Each command is a module with two functions: ``add_to(commands)`` declares its arguments, ``run(arguments)`` does the
work. A command's module is imported if it is asked for, and what it needs when it runs: a commit hook pays for every
import. This module imports next to nothing: what fails before ``entry_point`` runs ends with Python's own status, 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from winnow_ci.start_up import on_demand

if TYPE_CHECKING:
    from winnow_ci.cli.command_line import COMMANDS, EPILOG, main, parser_of
    from winnow_ci.cli.process import entry_point
else:
    __getattr__ = on_demand(__name__, command_line="COMMANDS EPILOG main parser_of", process="entry_point")

__all__ = ["COMMANDS", "EPILOG", "entry_point", "main", "parser_of"]
