"""``.winnow.yml``, baselines, manifests and locks: read, checked, and turned into typed values.

All mistakes in a file are reported at once, with their lines. Reading runs nothing, follows no reference out
of the file, and takes bounded time, because the author of a change may have written the file. Functions called
``load_…`` read a file, those called ``parse_…`` its content; messages call the file ``origin``. Both raise
``ConfigError`` with all mistakes.
"""
