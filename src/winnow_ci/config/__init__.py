"""``.winnow.yml``, baselines, manifests and locks: read, checked, and turned into typed values.

All mistakes in a file are reported at once, with their lines. Reading runs nothing, follows no reference out
of the file, and takes bounded time, because the author of a change may have written the file. Functions called
``load_…`` read a file, those called ``parse_…`` its content; messages call the file ``origin``. Both raise
``ConfigError`` with all mistakes.
"""

CONFIGURATION = ".winnow.yml"
MANIFEST = ".winnow/sources.yml"
NEW_BASELINE = ".winnow/baseline.json"
"""The baseline that is named in a configuration without one."""
NEW_INDEX = ".winnow/index.db"
OWN_FILES = frozenset((CONFIGURATION, MANIFEST, ".winnow/sources.lock", NEW_BASELINE, NEW_INDEX))
"""Files of winnow-ci itself, by their usual names: a scan reads them and does not count them."""
