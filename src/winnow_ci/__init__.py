"""winnow-ci tells which lines of a change were copied from known code, and under which licence."""

__version__ = "0.1.0"
