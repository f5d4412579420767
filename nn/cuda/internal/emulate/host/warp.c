/* Collective operations of a warp's lanes and a block's threads. */
#include "runtime.h"

void meet(const char *name, collective *operation, unsigned mask, void *args) {
	struct thread *t = self(), *first = t - t->lane;
	int lanes = threads - first->number < 32 ? threads - first->number : 32;
	if (!(mask >> t->lane & 1))
		fail("%s: lane %d calls with mask %08x, which excludes it", name, t->lane, mask);
	if (lanes < 32 && mask >> lanes)
		fail("%s: mask %08x names lanes that the last warp's %d threads don't have", name, mask, lanes);
	t->operation = operation, t->mask = mask, t->args = args, t->name = name;
	for (int i = 0; i < lanes; i++) {
		struct thread *o = first + i;
		if (!(mask >> i & 1) || o == t)
			continue;
		if (o->state == DONE)
			fail("%s: lane %d of warp %d has ended, but mask %08x names it", name, i, t->warp, mask);
		if (o->state == IN_WARP && (o->operation != operation || o->mask != mask) && (o->mask & mask))
			fail("%s: lane %d of warp %d waits in %s with mask %08x, lane %d came with %08x",
			     name, i, t->warp, o->name, o->mask, t->lane, mask);
		if (o->state != IN_WARP) {
			block(IN_WARP);
			return;
		}
	}
	void *all[32] = {0};
	for (int i = 0; i < lanes; i++)
		if (mask >> i & 1)
			all[i] = first[i].args;
	operation(all, mask);
	for (int i = lanes - 1; i >= 0; i--)
		if ((mask >> i & 1) && first + i != t)
			make_ready(first + i);
}

static void nothing(void *args[32], unsigned mask) {}

void host_syncwarp(unsigned mask) {
	CALLED();
	struct thread *t = self(), *first = t - t->lane;
	int lanes = threads - first->number;
	if (lanes < 32 && mask == 0xffffffffu)
		mask = (1u << lanes) - 1; /* the default in a partial warp */
	meet("__syncwarp", nothing, mask, 0);
}

/* ---- Shuffles ---- */

struct shuffle {
	unsigned value, result;
	int by, width, mode;
};

static void shuffle(void *args[32], unsigned mask) {
	for (int l = 0; l < 32; l++) {
		struct shuffle *s = args[l];
		if (!s)
			continue;
		int segment = l & ~(s->width - 1), from = l;
		switch (s->mode) {
		case 0: from = segment + (s->by & (s->width - 1)); break;
		case 1: from = l ^ s->by; break; /* an earlier segment may be read, a later one not */
		case 2: from = l - s->by; break;
		case 3: from = l + s->by; break;
		}
		int outside = s->mode == 2 ? from < segment : from >= segment + s->width;
		if (outside)
			from = l;
		struct shuffle *o = from >= 0 && from < 32 ? args[from] : 0;
		if (!o)
			fail("shuffle: lane %d reads lane %d, which mask %08x excludes", l, from, mask);
		s->result = o->value;
	}
}

unsigned host_shuffle(unsigned mask, unsigned value, int by, int width, int mode) {
	CALLED();
	static const char *const names[] = {"__shfl_sync", "__shfl_xor_sync", "__shfl_up_sync", "__shfl_down_sync"};
	if (width < 1 || width > 32 || (width & (width - 1)))
		fail("%s: width %d; a power of two up to 32 is wanted", names[mode], width);
	struct shuffle s = {.value = value, .by = by, .width = width, .mode = mode};
	meet(names[mode], shuffle, mask, &s);
	return s.result;
}

struct ballot {
	int predicate;
	unsigned result;
};

static void ballot(void *args[32], unsigned mask) {
	unsigned r = 0;
	for (int l = 0; l < 32; l++)
		if (args[l] && ((struct ballot *)args[l])->predicate)
			r |= 1u << l;
	for (int l = 0; l < 32; l++)
		if (args[l])
			((struct ballot *)args[l])->result = r;
}

unsigned host_ballot(unsigned mask, int predicate) {
	CALLED();
	struct ballot b = {.predicate = predicate};
	meet("__ballot_sync", ballot, mask, &b);
	return b.result;
}

/* ---- Barriers ---- */

static struct {
	int arrived, wanted, line;
	int waiting;
	struct thread *who[MAX_THREADS];
} barriers[16];

void reset_barriers(void) {
	for (int i = 0; i < 16; i++)
		barriers[i].arrived = barriers[i].waiting = 0;
}

void host_barrier(int id, int wanted, int wait, int line) {
	CALLED();
	if (id < 0 || id > 15)
		fail("barrier %d; there are 0 to 15", id);
	if (line)
		wanted = threads;
	else if (wanted < 32 || wanted % 32 || wanted > (threads + 31) / 32 * 32)
		fail("barrier %d for %d threads of %d; a multiple of 32 is wanted", id, wanted, threads);
	struct thread *t = self();
	if (barriers[id].arrived == 0)
		barriers[id].wanted = wanted, barriers[id].line = line;
	else if (barriers[id].wanted != wanted)
		fail("barrier %d: some threads wait for %d, others for %d", id, barriers[id].wanted, wanted);
	else if (barriers[id].line != line)
		fail("__syncthreads: some threads wait in line %d, others in line %d", barriers[id].line, line);
	if (++barriers[id].arrived < wanted) {
		if (!wait)
			return;
		t->barrier = id, t->line = line;
		barriers[id].who[barriers[id].waiting++] = t;
		block(AT_BARRIER);
		return;
	}
	int n = barriers[id].waiting;
	barriers[id].arrived = barriers[id].waiting = 0;
	while (n > 0)
		make_ready(barriers[id].who[--n]);
}
