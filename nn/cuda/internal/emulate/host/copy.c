/* cp.async: a copy is done as late as possible, when the thread waits for its group, so that a
 * missing wait is detected.
 */
#include "runtime.h"

void check_shared(const char *what, shared_address p, int bytes, int alignment) {
	struct launch *l = current;
	if (p % alignment)
		fail("%s: address %#zx in shared memory is not aligned to %d bytes", what, (size_t)(p - (shared_address)l->shared), alignment);
	shared_address d = (shared_address)l->shared, f = (shared_address)l->fixed;
	if (l->shared && p >= d && p + bytes <= d + l->shared_bytes)
		return;
	if (l->fixed && p >= f && p + bytes <= f + l->fixed_bytes)
		return;
	fail("%s: %d bytes at %lld are outside the block's %llu bytes of shared memory", what, bytes, (long long)(p - d), l->shared_bytes);
}

void host_cp_async(shared_address dst, const void *src, int size, int bytes) {
	CALLED();
	struct thread *t = self();
	check_shared("cp_async", dst, size, size);
	if ((shared_address)src % size)
		fail("cp_async: a source address is not aligned to %d bytes", size);
	if (bytes < 0 || bytes > size)
		fail("cp_async: %d bytes of %d are to be read", bytes, size);
	if (t->copies == MAX_COPIES)
		fail("cp_async: more than %d copies of a thread are not waited for", MAX_COPIES);
	t->copy[t->copies++] = (struct copy){(void *)dst, src, size, bytes};
}

void cp_async_commit(void) {
	CALLED();
	struct thread *t = self();
	if (t->groups == MAX_COPIES)
		fail("cp_async_commit: more than %d groups of a thread are not waited for", MAX_COPIES);
	t->group_end[t->groups++] = t->copies;
}

static void copy_first(int copies, int groups) {
	struct thread *t = self();
	for (int i = 0; i < copies; i++) {
		struct copy *c = &t->copy[i];
		memcpy(c->dst, c->src, c->bytes);
		memset((char *)c->dst + c->bytes, 0, c->size - c->bytes);
	}
	memmove(t->copy, t->copy + copies, (t->copies - copies) * sizeof t->copy[0]);
	t->copies -= copies;
	for (int g = groups; g < t->groups; g++)
		t->group_end[g - groups] = t->group_end[g] - copies;
	t->groups -= groups;
}

void cp_async_wait(int groups) {
	CALLED();
	struct thread *t = self();
	if (t->groups > groups)
		copy_first(t->group_end[t->groups - groups - 1], t->groups - groups);
}

void finish_copies(void) { copy_first(self()->copies, self()->groups); }
