/* Switches between stacks. A new stack is prepared so that the first switch to it calls
 * enter_thread.
 */
#include "runtime.h"

extern void enter_thread(void);

#if defined(__x86_64__)

/* Saves the callee-saved registers on the stack and continues on the other stack. */
__asm__(".text\n"
        ".globl switch_stack\n"
        ".type switch_stack,@function\n"
        "switch_stack:\n"
        "	pushq %rbp\n	pushq %rbx\n	pushq %r12\n	pushq %r13\n	pushq %r14\n	pushq %r15\n"
        "	movq %rsp, (%rdi)\n"
        "	movq %rsi, %rsp\n"
        "	popq %r15\n	popq %r14\n	popq %r13\n	popq %r12\n	popq %rbx\n	popq %rbp\n"
        "	ret\n"
        ".size switch_stack,.-switch_stack\n");

void *prepare_stack(void *top) {
	unsigned long long *sp = (unsigned long long *)((unsigned long long)top & ~63ull);
	*--sp = 0; /* enter_thread's return address; keeps the stack aligned */
	*--sp = (unsigned long long)enter_thread;
	for (int i = 0; i < 6; i++)
		*--sp = 0;
	return sp;
}

#elif defined(__aarch64__)

__asm__(".text\n"
        ".globl switch_stack\n"
        ".type switch_stack,%function\n"
        "switch_stack:\n"
        "	sub sp, sp, #160\n"
        "	stp x19, x20, [sp]\n	stp x21, x22, [sp, #16]\n	stp x23, x24, [sp, #32]\n"
        "	stp x25, x26, [sp, #48]\n	stp x27, x28, [sp, #64]\n	stp x29, x30, [sp, #80]\n"
        "	stp d8, d9, [sp, #96]\n	stp d10, d11, [sp, #112]\n"
        "	stp d12, d13, [sp, #128]\n	stp d14, d15, [sp, #144]\n"
        "	mov x9, sp\n	str x9, [x0]\n	mov sp, x1\n"
        "	ldp x19, x20, [sp]\n	ldp x21, x22, [sp, #16]\n	ldp x23, x24, [sp, #32]\n"
        "	ldp x25, x26, [sp, #48]\n	ldp x27, x28, [sp, #64]\n	ldp x29, x30, [sp, #80]\n"
        "	ldp d8, d9, [sp, #96]\n	ldp d10, d11, [sp, #112]\n"
        "	ldp d12, d13, [sp, #128]\n	ldp d14, d15, [sp, #144]\n"
        "	add sp, sp, #160\n	ret\n"
        ".size switch_stack,.-switch_stack\n");

void *prepare_stack(void *top) {
	unsigned long long *sp = (unsigned long long *)((unsigned long long)top & ~63ull);
	sp -= 20;
	for (int i = 0; i < 20; i++)
		sp[i] = 0;
	sp[11] = (unsigned long long)enter_thread; /* x30 */
	return sp;
}

#else
#error "the emulation switches stacks on amd64 and arm64 only"
#endif
