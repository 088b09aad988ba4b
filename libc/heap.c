/* musl's names for the functions of the heap, in the bitcode library. */

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

/* The machine's heap is the only one. */
int __malloc_replaced;
int __aligned_alloc_replaced;
void *__libc_malloc(size_t size) { return malloc(size); }
void *__libc_malloc_impl(size_t size) { return malloc(size); }
void *__libc_calloc(size_t count, size_t size) { return calloc(count, size); }
void *__libc_realloc(void *old, size_t size) { return realloc(old, size); }
void __libc_free(void *p) { free(p); }

/* What a program may ask its explorer. */
int klee_get_errno(void) { return errno; }
