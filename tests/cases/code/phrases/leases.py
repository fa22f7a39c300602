"""Leases of a scheduler."""

import time


def renew(leases, holder, span=30):
    now = time.monotonic() - leases.drift
    for lease in leases.held_by(holder):
        if lease.ends < now:
            log.warning("lease ran out %.1f s before it was renewed by its holder", now - lease.ends)
            leases.drop(lease)
            continue
        lease.ends = now + span
    return leases
