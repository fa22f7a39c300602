"""Regular expressions that are compiled when they are first used.

A commit hook imports many modules and uses few of their expressions, and compiling takes Python a tenth of a
millisecond or more each. To whoever uses one it is like any other; it has its ``pattern`` without being compiled.
"""

from __future__ import annotations

import re
from typing import Any, AnyStr, cast


def compiled_on_use(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """What ``re.compile`` returns, made when one of its methods is asked for.

    Raises:
        re.error: then, if it is no regular expression.
    """
    return cast("re.Pattern[AnyStr]", _Uncompiled(pattern, flags))


class _Uncompiled:
    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        # The next time it is there.
        value = getattr(re.compile(self.pattern, self._flags), name)
        setattr(self, name, value)
        return value
