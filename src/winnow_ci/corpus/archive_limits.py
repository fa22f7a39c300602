"""How much an archive may take to read.

Most archives come from strangers, and a few hundred bytes can unpack to a gigabyte. Real ones are far from all of these
limits: source code packs to a fifth or a tenth of its size, and Linux has some 90,000 files and 1.5 GB.
"""

from __future__ import annotations

from winnow_ci.errors import CorpusError
from winnow_ci.records import record

REMEDY = "build from a folder that you have unpacked it into, if you trust it; the index is unchanged"


@record(frozen=True, slots=True)
class ArchiveLimits:
    """Limits of one archive. To exceed one is an error, but for ``member``: a larger member is left out.

    Attributes:
        member: bytes of a member.
        members: their number, links and folders counted.
        name: bytes of a member's name.
        names: bytes of all names.
        total: bytes of all that it unpacks to.
        ratio: of what it unpacks to and its own size, beyond ``unsuspicious`` bytes.
        unsuspicious: bytes that any archive may unpack to.
        seconds: of processor time to list it, and again to read it.
        seconds_a_mebibyte: what each MiB of the archive adds to them.
        memory: bytes that the reading process may take besides what it starts with, where the system can limit that.
    """

    member: int = 64 << 20
    members: int = 1_000_000
    name: int = 4096
    names: int = 256 << 20
    total: int = 16 << 30
    ratio: int = 200
    unsuspicious: int = 64 << 20
    seconds: float = 60.0
    seconds_a_mebibyte: float = 1.0
    memory: int = 1 << 30

    def time_for(self, size: int) -> float:
        """Seconds of processor time for an archive of ``size`` bytes."""
        return self.seconds + self.seconds_a_mebibyte * size / (1 << 20)

    def check_unpacked(self, unpacked: int, packed: int) -> None:
        """Check what an archive has unpacked to so far.

        Raises:
            ArchiveLimitError: it is too much.
        """
        self.check_total(unpacked)
        if unpacked > max(self.unsuspicious, self.ratio * packed):
            raise ArchiveLimitError(
                f"unpacks to more than {self.ratio} times its size and {_binary(self.unsuspicious)}"
            )

    def check_total(self, unpacked: int) -> None:
        """Check what an archive has unpacked to, or says that it holds.

        Raises:
            ArchiveLimitError: it is more than any archive may.
        """
        if unpacked > self.total:
            raise ArchiveLimitError(f"unpacks to more than {_binary(self.total)}")


class ArchiveLimitError(CorpusError):
    """An archive exceeds a limit; whoever knows the names of the archive and the member puts them in front."""

    def __init__(self, problem: str, remedy: str = REMEDY) -> None:
        super().__init__(problem, remedy)


def _binary(size: int) -> str:
    for unit, shift in (("GiB", 30), ("MiB", 20), ("KiB", 10)):
        if size >= 1 << shift and size % (1 << shift) == 0:
            return f"{size >> shift:,} {unit}"
    return f"{size:,} bytes"
