"""Under which licence known code is, by what its files say: headers, metadata of packages, REUSE, licence texts.

Files are asked one by one, in any order, with ``saying``; ``Licences`` decides when all have been. What is not
understood is ``unknown``, and nothing is guessed.
"""

from winnow_ci.licensing.claims import Saying, Statement
from winnow_ci.licensing.deciding import Evidence, Licences
from winnow_ci.licensing.folders import UNKNOWN, Stated
from winnow_ci.licensing.reading import is_heard, saying

__all__ = ["UNKNOWN", "Evidence", "Licences", "Saying", "Stated", "Statement", "is_heard", "saying"]
