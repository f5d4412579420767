/* Shared by the parts of the runtime: a block's threads as fibers, and failures. All state is
 * global: one launch runs at a time.
 */
#ifndef TENGEN_RUNTIME_H
#define TENGEN_RUNTIME_H

#define __CUDA_ARCH_FEAT_SM90_ALL 1 /* the runtime serves every device */
#include "host.h"

#define MAX_THREADS 1024
#define MAX_WARPS (MAX_THREADS / 32)
#define STACK_BYTES (128 << 10)
#define GUARD_BYTES (16 << 10)

enum state { READY, AT_BARRIER, IN_WARP, DONE };

typedef void collective(void *args[32], unsigned mask);

/* A pending copy of cp.async. */
struct copy {
	void *dst;
	const void *src;
	short size, bytes; /* bytes written, and how many of them are read */
};
#define MAX_COPIES 512

struct thread {
	struct host_thread public; /* first: host_self points here */
	int number, lane, warp;
	enum state state;
	void *stack_pointer;
	void *call; /* the kernel's last call of the runtime */
	/* The collective operation that the thread is in: kind, mask and arguments. */
	collective *operation;
	unsigned mask;
	void *args;
	const char *name;
	/* At a barrier. */
	int barrier, line;
	/* Pending copies, and for each committed group the number of copies up to its end. */
	int copies, groups;
	struct copy copy[MAX_COPIES];
	int group_end[MAX_COPIES];
};

/* A launch, laid out as in launch.go. */
struct launch {
	void *kernel;
	unsigned long long integers[8]; /* of the calling convention's registers */
	unsigned long long floats[8];
	unsigned long long stack[48];
	unsigned grid[3], block[3];
	void *shared; /* the block's dynamic shared memory, 1024-byte aligned, shared_bytes and then slack */
	unsigned long long shared_bytes, shared_slack;
	void *fixed; /* static shared memory */
	unsigned long long fixed_bytes;
	unsigned long long seed; /* 0: threads and blocks in order */
	/* Results. */
	int status; /* 0: done; else enum failure */
	unsigned thread_index[3], block_index[3];
	void *code, *address; /* of a fault: instruction and accessed address */
	char message[256];
};

enum failure { DONE_WELL, MISUSED, FAULT, TRAP };

extern struct thread thread[MAX_THREADS];
extern struct launch *current;
extern int threads; /* of a block */

static inline struct thread *self(void) { return (struct thread *)host_self; }

/* Must come first in each function that kernels call: failures are reported at its caller. */
#define CALLED() (self()->call = __builtin_return_address(0))

/* Ends the launch with a message. */
extern void fail(const char *format, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Synchronizes the lanes of a warp in mask; the last one computes for all. */
extern void meet(const char *name, collective *operation, unsigned mask, void *args);

/* Suspends the running thread until another makes it ready. */
extern void block(enum state state);
extern void make_ready(struct thread *t);

/* Fails unless a range is within the block's shared memory. */
extern void check_shared(const char *what, shared_address p, int bytes, int alignment);

extern void finish_copies(void);

extern void switch_stack(void **save, void *load);

#endif
