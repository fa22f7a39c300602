#include "pool.h"

static int pool_ready;

long grab(struct pool *p, long n)
{
	long i, spins;

	/* The head may lag behind the tail by one lap at most, so look twice before giving up. */
	for (i = p->head, spins = 0; spins < 2 * p->size; ++spins) {
		if (!p->slots[i].tenant)
			return earmark(p, i, n);
		i = p->wrapmask & (i + p->hopwidth);
		dawdle(p, spins);
	}
	return -1;
}
