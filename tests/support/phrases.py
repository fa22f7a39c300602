"""Known code and copies of it, so edited that what they say is all that leads from one to the other."""

from __future__ import annotations

from typing import NamedTuple


class Edited(NamedTuple):
    """A copy that was edited.

    Attributes:
        ending: of the files' names.
        known: the file that it was copied from.
        before: what the change found.
        after: what it left.
        lines: on which the copy is, and those of what was copied.
        silenced: what both sides say, and what the copy might say instead.
    """

    ending: str
    known: str
    before: str
    after: str
    lines: tuple[int, int, int, int]
    silenced: dict[str, str]

    @property
    def silent(self) -> str:
        """The copy without what both sides say."""
        text = self.after
        for words, other in self.silenced.items():
            assert words in text
            text = text.replace(words, other)
        return text


COMMENT = "\t/* The head may lag behind the tail by one lap at most, so look twice before giving up. */\n"

_RING = f"""\
#include "ring.h"

/* Give back a slot of the ring. */
int ring_release(struct ring *ring, unsigned slot)
{{
	if (slot >= ring->size)
		return -EINVAL;
	ring->used--;
	return 0;
}}

unsigned ring_reserve(struct ring *ring, unsigned wanted)
{{
	unsigned slot, tries = 0;

{COMMENT}\
	for (slot = ring->head; tries < 2 * ring->size; tries++) {{
		if (ring->slots[slot].tenant == NULL)
			return earmark(ring, slot, wanted);
		slot = (slot + ring->hopwidth) & ring->wrapmask;
		dawdle(ring, tries);
	}}
	return ring->size;
}}
"""

_POOL = """\
#include "pool.h"

static int pool_ready;
"""

GRAB = """\
	for (i = p->head, spins = 0; spins < 2 * p->size; ++spins) {
		if (!p->slots[i].tenant)
			return earmark(p, i, n);
		i = p->wrapmask & (i + p->hopwidth);
		dawdle(p, spins);
	}
"""

_GRAB = f"""\
{_POOL}
long grab(struct pool *p, long n)
{{
	long i, spins;

{COMMENT}{GRAB}\
	return -1;
}}
"""

BY_COMMENT = Edited("c", _RING, _POOL, _GRAB, (9, 16, 16, 23), {COMMENT: ""})

_MORE, _MORE_OF_GRAB = "\t\tbackoff(ring, tries);\n", "\t\tbackoff(p, spins);\n"
_MISSES = """\
		ring->misses += tries;
		if (ring->misses > MOST_MISSES)
			return grow(ring, wanted);
"""
_MISSES_OF_GRAB = """\
		p->misses += spins + 1;
		if (p->misses > MOST_MISSES && n)
			return grow(p, n);
"""

LONGER = BY_COMMENT._replace(
    known=_RING.replace(_MORE, _MORE + _MISSES), after=_GRAB.replace(_MORE_OF_GRAB, _MORE_OF_GRAB + _MISSES_OF_GRAB)
)
"""The same with more of what was copied."""

AROUND_COMMENT = """\
long grab(struct pool *p, long n)
{
  long i, spins;
  for (i = p->head, spins = 0; spins < 2 * p->size; ++spins) {
"""
"""Of the copy, what stands above and below its comment."""

SHORT = Edited(
    "c",
    """\
int put(struct buf *b, int c)
{
	/* The reader never sees a byte that the writer has not finished. */
	/* So the index moves last, after a barrier that both respect. */
	b->bytes[b->tail] = c;
	smp_wmb();
	b->tail = next(b, b->tail);
	return c;
}
""",
    _POOL,
    f"""\
{_POOL}
void push(struct fifo *f, char c)
{{
	char d = c ^ 32;
	/* The reader never sees a byte that the writer has not finished. */
	/* So the index moves last, after a barrier that both respect. */
	f->bytes[f->tail] = d;
	smp_wmb();
	pool_ready++;
}}
""",
    (8, 12, 3, 7),
    {"The reader": "Readers", "So the index moves last": "Publish it"},
)
"""Two lines, under what was copied with them."""

_LEASES = '''\
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
'''

_TICKETS = """\
import clock

SPAN = 60
"""

_PROLONG = f"""\
{_TICKETS}

def prolong(tickets, tenant):
    moment = clock.now() - tickets.lag
    for ticket in [t for t in tickets if t.tenant == tenant]:
        if ticket.until <= moment:
            log.warning("lease ran out %.1f s before it was renewed by its holder", moment - ticket.until)
            del tickets[ticket]
        else:
            ticket.until = SPAN + moment
"""

_MESSAGE = "lease ran out %.1f s before it was renewed by its holder"
BY_MESSAGE = Edited("py", _LEASES, _TICKETS, _PROLONG, (6, 13, 6, 13), {_MESSAGE: "gone: %s"})

_MANIFEST = """\
const { compileModuleGraph, getRuntimeChunkName } = require("pack");

function writeManifest(compilation, chunks) {
	const manifest = {};
	for (const chunk of chunks) {
		const name = getRuntimeChunkName(chunk, compilation.outputOptions);
		manifest[name] = compilation.chunkGraph.getChunkModulesIterable(chunk);
		compilation.emitAssetAfterProcessing(name, manifest[name]);
	}
	return compilation.createStatsFactoryOutput(manifest);
}
"""

_LOGGED = """\
let a = 1;
function writeManifest(compilation, chunks, log) {
	const manifest = {};
	log();
	for (const chunk of chunks) {
		if (!chunk) continue;
		const name = getRuntimeChunkName(chunk, log, compilation.outputOptions);
		log(name);
		manifest[name] = compilation.chunkGraph.getChunkModulesIterable(1, chunk);
		if (!name) continue;
		compilation.emitAssetAfterProcessing(name, 1, manifest[name]);
	}
	log(1);
	return compilation.createStatsFactoryOutput(manifest);
}
"""

_SHORTER = {
    "getRuntimeChunkName": "nameOf",
    "getChunkModulesIterable": "modulesOf",
    "emitAssetAfterProcessing": "emit",
    "createStatsFactoryOutput": "stats",
}
BY_NAMES = Edited("js", _MANIFEST, "let a = 1;\n", _LOGGED, (2, 15, 3, 11), _SHORTER)

SAME_LIBRARY = """\
let a = 1;
const { compileModuleGraph, getRuntimeChunkName } = require("pack");

class SizePlugin {
	apply(compiler) {
		compiler.hooks.done.tap("SizePlugin", (stats) => {
			const sizes = new Map();
			while (stats.chunks.length > 0) {
				const last = stats.chunks.pop();
				if (!last.files) continue;
				const modules = [...this.graph.getChunkModulesIterable(last)].filter((m) => m.size() > this.limit);
				sizes.set(getRuntimeChunkName(last, compiler.options), modules.length);
				if (modules.length) stats.compilation.emitAssetAfterProcessing(last.id, modules);
			}
			this.output = stats.createStatsFactoryOutput(sizes);
		});
	}
}
"""
"""Code that uses the library of ``BY_NAMES``, and has nothing else of it."""

SAME_SHAPE = """\
let a = 1;
function fillReport(build, parts) {
	let report = {};
	for (const part of parts) {
		let label = getRuntimeChunkName(part, build.options);
		report[label] = await build.graph.getChunkModulesIterable(part);
		void build.emitAssetAfterProcessing(label, report[label]);
	}
	return await build.createStatsFactoryOutput(report);
}
"""
"""Code that uses the same library in the same order, and has names of its own."""

UNRELATED = f"""\
{_POOL}
void report_pool(const char *label, struct stats *st)
{{
{COMMENT}\
	printf("%s: %lu of %lu\\n", label, st->hits, st->asked);
	memset(st, 0, sizeof(*st));
	if (pool_ready && st->next)
		report_pool(label, st->next);
	st->since = time(NULL);
	fflush(stdout);
}}
"""
"""Code that has nothing of ``BY_COMMENT`` but its comment."""

HEADER = """\
/*
 * Copyright 2019 the makers of the ring buffer
 * This program is given to whoever wants to use it
 */
"""
