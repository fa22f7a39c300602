"""Which CI this is, and which comparison its event asks for: from the environment and the event's file alone.

No token, no network, and nothing is asked of git: whether a commit is in the clone, and how to get it, is for others
to find out. Ids and names are checked before they leave this package.
"""

from winnow_ci.ci.comparison import Asked, Comparison, Everything, Fork, Nothing, PullRequest, Range, Untrusted
from winnow_ci.ci.detection import Service, asked, service

__all__ = [
    "Asked",
    "Comparison",
    "Everything",
    "Fork",
    "Nothing",
    "PullRequest",
    "Range",
    "Service",
    "Untrusted",
    "asked",
    "service",
]
