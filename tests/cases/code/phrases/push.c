#include "pool.h"

static int pool_ready;

void push(struct fifo *f, char c)
{
	char d = c ^ 32;
	/* The reader never sees a byte that the writer has not finished. */
	/* So the index moves last, after a barrier that both respect. */
	f->bytes[f->tail] = d;
	smp_wmb();
	pool_ready++;
}
