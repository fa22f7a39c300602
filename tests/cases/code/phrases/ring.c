#include "ring.h"

/* Give back a slot of the ring. */
int ring_release(struct ring *ring, unsigned slot)
{
	if (slot >= ring->size)
		return -EINVAL;
	ring->used--;
	return 0;
}

unsigned ring_reserve(struct ring *ring, unsigned wanted)
{
	unsigned slot, tries = 0;

	/* The head may lag behind the tail by one lap at most, so look twice before giving up. */
	for (slot = ring->head; tries < 2 * ring->size; tries++) {
		if (ring->slots[slot].tenant == NULL)
			return earmark(ring, slot, wanted);
		slot = (slot + ring->hopwidth) & ring->wrapmask;
		dawdle(ring, tries);
	}
	return ring->size;
}
