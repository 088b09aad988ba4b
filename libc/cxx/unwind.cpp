/* Throwing without tables: what libc++abi asks of an unwinder, for code in which every call that may
   throw and has something to do then says so before.

   A call with a landing pad is lowered (cairn-llvm, exceptions.rs) to these steps: it puts a record of
   its own frame in front of the list that __cairn_landings begins, with what the landing pad catches;
   marks its place with setjmp; calls; and takes the record out of the list again. So the list is what an
   unwinder finds on the stack, and going there is longjmp.

   Throwing first looks for somebody who catches, as the tables of a real unwinder do: without one the
   program ends where it throws, and nothing is unwound. */

#include "cxa_exception.h"
#include "cxa_handlers.h"
#include "private_typeinfo.h"
#include <setjmp.h>

using namespace __cxxabiv1;

/* What a landing pad is told: the front end knows these layouts. */
struct clause {
	const __shim_type_info *type; /* none: catches all */
	long number;                  /* what it is called among the types of the function; 0: a cleanup */
};

struct landing {
	landing *outer;
	const clause *clauses;
	long count;
	void *exception;
	long selector;
	jmp_buf place;
};

extern "C" landing *__cairn_landings = nullptr;

/* What libc++abi keeps of an exception, right before the object that was thrown. */
static __cxa_exception *header_of(_Unwind_Exception *thrown)
{
	return reinterpret_cast<__cxa_exception *>(thrown + 1) - 1;
}

/* What a landing pad does with an exception: the number of the type that catches it, with the object
   that the handler gets; 0 for a cleanup, -1 for nothing. */
static long answer(const landing *pad, _Unwind_Exception *thrown, void **object)
{
	__cxa_exception *header = header_of(thrown);
	bool native = __isOurExceptionClass(thrown);
	long found = -1;
	for (long i = 0; i < pad->count; i++) {
		const clause *one = &pad->clauses[i];
		if (one->number == 0) {
			found = 0;
			continue;
		}
		*object = native ? __getExceptionClass(thrown) == kOurDependentExceptionClass
		                       ? reinterpret_cast<__cxa_dependent_exception *>(header)->primaryException
		                       : static_cast<void *>(header + 1)
		                 : thrown;
		if (!one->type)
			return one->number;
		const auto *type = static_cast<const __shim_type_info *>(header->exceptionType);
		if (native && one->type->can_catch(type, *object))
			return one->number;
	}
	return found;
}

/* Goes to the innermost landing pad that has something to do. */
static void go(_Unwind_Exception *thrown)
{
	while (landing *pad = __cairn_landings) {
		void *object = nullptr;
		long selector = answer(pad, thrown, &object);
		__cairn_landings = pad->outer;
		if (selector < 0)
			continue;
		__cxa_exception *header = header_of(thrown);
		if (selector > 0 && __isOurExceptionClass(thrown))
			header->adjustedPtr = object;
		pad->exception = thrown;
		pad->selector = selector;
		longjmp(pad->place, 1);
	}
}

extern "C" {

_Unwind_Reason_Code _Unwind_RaiseException(_Unwind_Exception *thrown)
{
	for (const landing *pad = __cairn_landings; pad; pad = pad->outer) {
		void *object;
		if (answer(pad, thrown, &object) > 0)
			go(thrown);
	}
	return _URC_END_OF_STACK;
}

void _Unwind_Resume(_Unwind_Exception *thrown)
{
	go(thrown);
	__builtin_trap();
}

_Unwind_Reason_Code _Unwind_Resume_or_Rethrow(_Unwind_Exception *thrown)
{
	return _Unwind_RaiseException(thrown);
}

void _Unwind_DeleteException(_Unwind_Exception *thrown)
{
	if (thrown->exception_cleanup)
		thrown->exception_cleanup(_URC_FOREIGN_EXCEPTION_CAUGHT, thrown);
}

}
