int put(struct buf *b, int c)
{
	/* The reader never sees a byte that the writer has not finished. */
	/* So the index moves last, after a barrier that both respect. */
	b->bytes[b->tail] = c;
	smp_wmb();
	b->tail = next(b, b->tail);
	return c;
}
