#include "pool.h"

static int pool_ready;

void report_pool(const char *label, struct stats *st)
{
	/* The head may lag behind the tail by one lap at most, so look twice before giving up. */
	printf("%s: %lu of %lu\n", label, st->hits, st->asked);
	memset(st, 0, sizeof(*st));
	if (pool_ready && st->next)
		report_pool(label, st->next);
	st->since = time(NULL);
	fflush(stdout);
}
