/* The thread pointer of the bitcode library: a variable, set in start.c. */
extern char *__cairn_thread_pointer __attribute__((__visibility__("hidden")));

static inline uintptr_t __get_tp() { return (uintptr_t)__cairn_thread_pointer; }

/* The machine has no program counter to look at; only cancelling threads does. */
#define MC_PC gregs[REG_RIP]
