/* klee/klee.h: what a program says to the engine that explores it, and to the library that replays
 * a test of it. Names and types are KLEE's, so that programs written for it compile unchanged. */

#ifndef KLEE_H
#define KLEE_H

#include <stddef.h>
#include <stdint.h>

/* klee_assert needs the C library's own __assert_fail, also where NDEBUG hides it, and leaves
 * `assert` as the program had it. */
#pragma push_macro("NDEBUG")
#pragma push_macro("assert")
#undef NDEBUG
#include <assert.h>
#pragma pop_macro("assert")
#pragma pop_macro("NDEBUG")

#ifdef __cplusplus
extern "C" {
#endif

/* Inputs. Each makes an object of a test; a NULL name is "unnamed". */

/* Makes nbytes bytes at addr symbolic: the whole object, nothing less. */
void klee_make_symbolic(void *addr, size_t nbytes, const char *name);
/* A symbolic int from begin to end - 1. */
int klee_range(int begin, int end, const char *name);
/* A symbolic int. */
int klee_int(const char *name);
/* A symbolic number from 0 to n - 1. */
uintptr_t klee_choose(uintptr_t n);

/* Conditions. */

/* Goes on only with inputs that make the condition true. */
void klee_assume(uintptr_t condition);
/* A wish about the object's content in the test; it excludes nothing. */
void klee_prefer_cex(void *object, uintptr_t condition);
void klee_posix_prefer_cex(void *object, uintptr_t condition);
/* An error of kind "assert" if the condition can be false, whatever NDEBUG says. */
#define klee_assert(expr)                                                                          \
  ((expr) ? (void)0                                                                                \
          : __assert_fail(#expr, __FILE__, __LINE__, __extension__ __PRETTY_FUNCTION__))

/* Ends of a path. */

/* Ends the path without a test. */
__attribute__((noreturn)) void klee_silent_exit(int status);
/* An error of kind "abort". */
__attribute__((noreturn)) void klee_abort(void);
/* An error of the program's own: its place, its message, and the kind in the file's name. */
__attribute__((noreturn)) void klee_report_error(const char *file, int line, const char *message,
                                                 const char *suffix);

/* Questions. */

/* Is this value symbolic? Never when a test is replayed. */
unsigned klee_is_symbolic(uintptr_t n);
/* Is a test being replayed? */
unsigned klee_is_replay(void);
/* The size of the object that ptr points to. */
size_t klee_get_obj_size(void *ptr);
/* errno as the program sees it. */
int klee_get_errno(void);
/* One value that the expression can have; the path goes on with it. */
float klee_get_valuef(float expr);
double klee_get_valued(double expr);
long klee_get_valuel(long expr);
long long klee_get_valuell(long long expr);
int32_t klee_get_value_i32(int32_t expr);
int64_t klee_get_value_i64(int64_t expr);

/* Memory. */

/* An error of kind "ptr" if one of the bytes must not be accessed. */
void klee_check_memory_access(const void *address, size_t size);
/* Makes an object at an address of the program's choice. */
void klee_define_fixed_object(void *addr, size_t nbytes);
/* The object outlives the function that made it. */
void klee_mark_global(void *object);

/* How to explore. */

/* Without forking, a branch on symbolic values takes one side. */
void klee_set_forking(unsigned enable);
/* Paths that part between the two calls may be joined at the second. */
void klee_open_merge(void);
void klee_close_merge(void);
/* Calls of one function go to another; a pattern names many; undo takes it back. */
void klee_alias_function(const char *fn_name, const char *new_fn_name);
void klee_alias_function_regex(const char *fn_regex, const char *new_fn_name);
void klee_alias_undo(const char *alias);

/* Messages. */

void klee_warning(const char *message);
void klee_warning_once(const char *message);
/* Prints the message and the expression that follows it. */
void klee_print_expr(const char *msg, ...);
/* Prints the smallest and the largest value of arg. */
void klee_print_range(const char *name, int arg);
void klee_stack_trace(void);

#ifdef __cplusplus
}
#endif

#endif
