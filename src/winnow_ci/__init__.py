"""winnow-ci finds lines of a change that were copied from known code, and names their licence."""

__version__ = "0.1.0"
