/* Runs a grid: blocks one after another, a block's threads as fibers that yield when they wait
 * for others.
 */
#define _GNU_SOURCE
#include "runtime.h"

#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <ucontext.h>

struct thread thread[MAX_THREADS];
struct launch *current;
int threads;
struct host_thread *host_self;
struct host_grid host_grid;

extern void *prepare_stack(void *top);
extern void check_wgmma(void);
extern void *host_base(void *symbol);

static char *stacks; /* MAX_THREADS times guard and stack */
static void *main_stack;
static struct thread *ready[MAX_THREADS];
static int ready_count, done_count;
static unsigned long long random_state;
static sigjmp_buf failed;
static pthread_t owner;
static volatile sig_atomic_t active;

static unsigned random_below(unsigned n) { /* SplitMix64 */
	unsigned long long z = random_state += 0x9e3779b97f4a7c15ull;
	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return (unsigned)(((z ^ z >> 31) >> 32) * n >> 32);
}

void *host_shared(void) { return current->shared; }

static void place(void) { /* records which thread runs */
	struct thread *t = self();
	unsigned *b = current->block_index, *i = current->thread_index;
	b[0] = host_grid.block_index.x, b[1] = host_grid.block_index.y, b[2] = host_grid.block_index.z;
	if (t)
		current->code = t->call, i[0] = t->public.index.x, i[1] = t->public.index.y, i[2] = t->public.index.z;
}

void fail(const char *format, ...) {
	va_list args;
	va_start(args, format);
	vsnprintf(current->message, sizeof current->message, format, args);
	va_end(args);
	place();
	current->status = MISUSED;
	siglongjmp(failed, 1);
}

void make_ready(struct thread *t) {
	t->state = READY;
	ready[ready_count++] = t;
}

/* Chooses the next thread: the one that became ready last, so that a warp runs far ahead of the
 * others, or a random one. */
static struct thread *next(void) {
	int i = ready_count - 1;
	if (current->seed) {
		int j = random_below(ready_count);
		struct thread *t = ready[j];
		ready[j] = ready[i];
		ready[i] = t;
	}
	ready_count--;
	return ready[i];
}

static void deadlock(void) {
	int at_barrier = 0, in_warp = 0, line = 0;
	const char *name = "";
	for (int i = 0; i < threads; i++) {
		struct thread *t = &thread[i];
		if (t->state == AT_BARRIER)
			at_barrier++, line = t->line;
		else if (t->state == IN_WARP)
			in_warp++, name = t->name;
	}
	if (at_barrier && line && !in_warp)
		fail("deadlock: %d of %d threads wait at __syncthreads in line %d, %d have ended", at_barrier, threads, line, done_count);
	fail("deadlock: of %d threads %d wait at barriers, %d for other lanes%s%s, %d have ended",
	     threads, at_barrier, in_warp, in_warp ? " in " : "", name, done_count);
}

/* Switches to another thread, or to the scheduler if none is left. */
static void leave(void **save) {
	if (ready_count == 0) {
		if (done_count < threads)
			deadlock();
		host_self = 0;
		switch_stack(save, main_stack);
		return;
	}
	struct thread *t = next();
	host_self = &t->public;
	switch_stack(save, t->stack_pointer);
}

void block(enum state state) {
	struct thread *t = self();
	t->state = state;
	leave(&t->stack_pointer);
}

/* Calls the kernel with the registers and stack of the calling convention, whatever the kernel's
 * parameters are. */
static void call_kernel(void) {
	struct launch *l = current;
	double f[8];
	memcpy(f, l->floats, sizeof f);
	unsigned long long *i = l->integers, *s = l->stack;
#define S8(n) s[n], s[n + 1], s[n + 2], s[n + 3], s[n + 4], s[n + 5], s[n + 6], s[n + 7]
#define FLOATS f[0], f[1], f[2], f[3], f[4], f[5], f[6], f[7]
	typedef unsigned long long u;
#define U8 u, u, u, u, u, u, u, u
#define D8 double, double, double, double, double, double, double, double
#if defined(__x86_64__)
	((void (*)(u, u, u, u, u, u, D8, U8, U8, U8, U8, U8, U8))l->kernel)(
	    i[0], i[1], i[2], i[3], i[4], i[5], FLOATS, S8(0), S8(8), S8(16), S8(24), S8(32), S8(40));
#else
	((void (*)(U8, D8, U8, U8, U8, U8, U8, U8))l->kernel)(
	    i[0], i[1], i[2], i[3], i[4], i[5], i[6], i[7], FLOATS, S8(0), S8(8), S8(16), S8(24), S8(32), S8(40));
#endif
}

/* Runs a thread from start to end. */
void enter_thread(void) {
	call_kernel();
	struct thread *t = self();
	finish_copies();
	check_wgmma();
	t->state = DONE;
	done_count++;
	leave(&t->stack_pointer);
	__builtin_unreachable();
}

extern void reset_barriers(void);
extern void reset_wgmma(void);

static void run_block(void) {
	struct launch *l = current;
	if (l->shared)
		memset(l->shared, 0xff, l->shared_bytes + l->shared_slack);
	if (l->fixed)
		memset(l->fixed, 0xff, l->fixed_bytes);
	reset_barriers();
	reset_wgmma();
	ready_count = done_count = 0;
	for (int n = threads - 1; n >= 0; n--) {
		struct thread *t = &thread[n];
		unsigned x = l->block[0], y = l->block[1];
		t->public.index = (uint3){n % x, n / x % y, n / x / y};
		t->number = n, t->lane = n % 32, t->warp = n / 32;
		t->copies = t->groups = 0;
		t->call = 0;
		t->stack_pointer = prepare_stack(stacks + (size_t)(n + 1) * (STACK_BYTES + GUARD_BYTES));
		make_ready(t);
	}
	struct thread *t = next();
	host_self = &t->public;
	switch_stack(&main_stack, t->stack_pointer);
	for (unsigned long long i = 0; i < l->shared_slack; i++)
		if (((unsigned char *)l->shared)[l->shared_bytes + i] != 0xff)
			fail("a write beyond the block's dynamic shared memory: at byte %llu of %llu", l->shared_bytes + i, l->shared_bytes);
}

static struct sigaction before[4];
static const int signals[4] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE};

/* A fault in a kernel ends the launch; other faults are passed on. */
static void caught(int number, siginfo_t *info, void *context) {
	if (active && pthread_equal(pthread_self(), owner)) {
		active = 0;
		ucontext_t *c = context;
#if defined(__x86_64__)
		void *code = (void *)c->uc_mcontext.gregs[REG_RIP];
#else
		void *code = (void *)c->uc_mcontext.pc;
#endif
		place();
		current->address = info->si_addr;
		current->status = number == SIGSEGV || number == SIGBUS ? FAULT : TRAP;
		if ((char *)info->si_addr >= stacks && (char *)info->si_addr < stacks + MAX_THREADS * (STACK_BYTES + GUARD_BYTES)) {
			current->status = MISUSED;
			strcpy(current->message, "the variables of a thread take more than its stack");
		}
		/* For faults in the runtime or the C library, report the kernel's call. */
		if (host_base(code) == host_base(current->kernel))
			current->code = code;
		siglongjmp(failed, 1);
	}
	for (int i = 0; i < 4; i++)
		if (signals[i] == number) {
			struct sigaction *b = &before[i];
			if (b->sa_flags & SA_SIGINFO)
				b->sa_sigaction(number, info, context);
			else if (b->sa_handler == SIG_DFL)
				sigaction(number, b, 0); /* happens again on return */
			else if (b->sa_handler != SIG_IGN)
				b->sa_handler(number);
		}
}

/* host_launch runs a grid and sets l->status. */
__attribute__((visibility("default"))) int host_launch(struct launch *l) {
	if (!stacks) {
		size_t each = STACK_BYTES + GUARD_BYTES;
		stacks = mmap(0, each * MAX_THREADS, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
		if (stacks == MAP_FAILED) {
			stacks = 0;
			l->status = MISUSED;
			snprintf(l->message, sizeof l->message, "no memory for the threads' stacks");
			return l->status;
		}
		for (int i = 0; i < MAX_THREADS; i++)
			mprotect(stacks + i * each, GUARD_BYTES, PROT_NONE);
	}
	current = l;
	threads = l->block[0] * l->block[1] * l->block[2];
	random_state = l->seed;
	host_self = 0;
	host_grid.grid_dim = (uint3){l->grid[0], l->grid[1], l->grid[2]};
	host_grid.block_dim = (uint3){l->block[0], l->block[1], l->block[2]};
	struct sigaction mine = {.sa_sigaction = caught, .sa_flags = SA_SIGINFO | SA_ONSTACK};
	sigemptyset(&mine.sa_mask);
	for (int i = 0; i < 4; i++)
		sigaction(signals[i], &mine, &before[i]);
	owner = pthread_self();
	l->status = DONE_WELL;
	if (!sigsetjmp(failed, 1)) {
		active = 1;
		unsigned long long blocks = (unsigned long long)l->grid[0] * l->grid[1] * l->grid[2];
		/* With a seed, start at a random block and advance by a step that is coprime to the
		 * number of blocks. */
		unsigned long long b = 0, step = 1;
		if (l->seed && blocks > 1) {
			b = random_below(blocks);
			unsigned long long x, y;
			do {
				step = 1 + random_below(blocks - 1);
				for (x = blocks, y = step; y;) {
					unsigned long long r = x % y;
					x = y, y = r;
				}
			} while (x != 1);
		}
		for (unsigned long long n = 0; n < blocks; n++, b = (b + step) % blocks) {
			host_grid.block_index = (uint3){b % l->grid[0], b / l->grid[0] % l->grid[1], b / l->grid[0] / l->grid[1]};
			run_block();
		}
	}
	active = 0;
	for (int i = 0; i < 4; i++)
		sigaction(signals[i], &before[i], 0);
	current = 0;
	return l->status;
}

/* host_base returns the address at which the library with a symbol was loaded: debugging
 * information is relative to it. */
__attribute__((visibility("default"))) void *host_base(void *symbol) {
	Dl_info info;
	return dladdr(symbol, &info) ? info.dli_fbase : 0;
}
