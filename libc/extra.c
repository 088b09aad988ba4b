/* Functions that musl does not have and that programs written for other libraries use: in the
   bitcode library and in the native one alike.

   The second half serves bitcode that was compiled against glibc's headers, as far as both
   libraries agree on what things look like in memory: functions with other names, and those that
   check the size of their target. Names by which such code reaches into a FILE are not here. */

#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <syslog.h>
#include <unistd.h>
#include <wchar.h>

/* error.h */

unsigned int error_message_count;
int error_one_per_line;
void (*error_print_progname)(void);

static void report(int status, int number, const char *file, unsigned line, const char *format,
                   va_list list)
{
	fflush(stdout);
	if (error_print_progname)
		error_print_progname();
	else
		fprintf(stderr, "%s:", program_invocation_name);
	if (file)
		fprintf(stderr, "%s:%u: ", file, line);
	else if (!error_print_progname)
		fputc(' ', stderr);
	vfprintf(stderr, format, list);
	if (number)
		fprintf(stderr, ": %s", strerror(number));
	fputc('\n', stderr);
	fflush(stderr);
	error_message_count++;
	if (status)
		exit(status);
}

void error(int status, int number, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	report(status, number, 0, 0, format, list);
	va_end(list);
}

void error_at_line(int status, int number, const char *file, unsigned line, const char *format, ...)
{
	static const char *last_file;
	static unsigned last_line;
	if (error_one_per_line) {
		int same = file == last_file || (file && last_file && !strcmp(last_file, file));
		if (last_line == line && same)
			return;
		last_file = file;
		last_line = line;
	}
	va_list list;
	va_start(list, format);
	report(status, number, file, line, format, list);
	va_end(list);
}

/* Small things */

void *rawmemchr(const void *s, int c)
{
	const unsigned char *at = s;
	while (*at != (unsigned char)c)
		at++;
	return (void *)at;
}

int group_member(gid_t group)
{
	if (group == getgid() || group == getegid())
		return 1;
	int count = getgroups(0, 0);
	if (count <= 0)
		return 0;
	gid_t groups[count];
	count = getgroups(count, groups);
	for (int i = 0; i < count; i++)
		if (groups[i] == group)
			return 1;
	return 0;
}

unsigned gnu_dev_major(unsigned long long device)
{
	return (device >> 32 & 0xfffff000) | (device >> 8 & 0xfff);
}

unsigned gnu_dev_minor(unsigned long long device)
{
	return (device >> 12 & 0xffffff00) | (device & 0xff);
}

unsigned long long gnu_dev_makedev(unsigned major, unsigned minor)
{
	unsigned long long high = major, low = minor;
	return (high & 0xfffff000) << 32 | (high & 0xfff) << 8 | (low & 0xffffff00) << 12 | (low & 0xff);
}

struct statx;
int statx(int folder, const char *restrict path, int flags, unsigned mask, struct statx *restrict to)
{
	return syscall(SYS_statx, folder, path, flags, mask, to);
}

char *canonicalize_file_name(const char *path) { return realpath(path, 0); }

/* Other names */

long __isoc23_strtol(const char *restrict s, char **restrict end, int base)
{
	return strtol(s, end, base);
}
unsigned long __isoc23_strtoul(const char *restrict s, char **restrict end, int base)
{
	return strtoul(s, end, base);
}
long long __isoc23_strtoll(const char *restrict s, char **restrict end, int base)
{
	return strtoll(s, end, base);
}
unsigned long long __isoc23_strtoull(const char *restrict s, char **restrict end, int base)
{
	return strtoull(s, end, base);
}
intmax_t __isoc23_strtoimax(const char *restrict s, char **restrict end, int base)
{
	return strtoimax(s, end, base);
}
uintmax_t __isoc23_strtoumax(const char *restrict s, char **restrict end, int base)
{
	return strtoumax(s, end, base);
}

#define SCANNING(name, type, with)                                                                 \
	int __isoc23_v##name(type first, const char *restrict format, va_list list)                \
	{                                                                                          \
		return with(first, format, list);                                                  \
	}                                                                                          \
	int __isoc23_##name(type first, const char *restrict format, ...)                          \
	{                                                                                          \
		va_list list;                                                                      \
		va_start(list, format);                                                            \
		int result = with(first, format, list);                                            \
		va_end(list);                                                                      \
		return result;                                                                     \
	}
SCANNING(sscanf, const char *restrict, vsscanf)
SCANNING(fscanf, FILE *restrict, vfscanf)

int __isoc23_vscanf(const char *restrict format, va_list list) { return vscanf(format, list); }
int __isoc23_scanf(const char *restrict format, ...)
{
	va_list list;
	va_start(list, format);
	int result = vscanf(format, list);
	va_end(list);
	return result;
}

int __cxa_thread_atexit(void (*function)(void *), void *argument, void *handle)
{
	int __cxa_atexit(void (*)(void *), void *, void *);
	return __cxa_atexit(function, argument, handle);
}

/* Functions that check the size of their target */

_Noreturn void __chk_fail(void)
{
	static const char message[] = "*** buffer overflow detected ***: terminated\n";
	(void)!write(2, message, sizeof message - 1);
	abort();
}

static void fits(size_t wanted, size_t room)
{
	if (wanted > room)
		__chk_fail();
}

int __vprintf_chk(int flag, const char *restrict format, va_list list)
{
	return vprintf(format, list);
}
int __vfprintf_chk(FILE *restrict f, int flag, const char *restrict format, va_list list)
{
	return vfprintf(f, format, list);
}
int __vdprintf_chk(int fd, int flag, const char *restrict format, va_list list)
{
	return vdprintf(fd, format, list);
}
int __vasprintf_chk(char **restrict to, int flag, const char *restrict format, va_list list)
{
	return vasprintf(to, format, list);
}
int __vsnprintf_chk(char *restrict to, size_t n, int flag, size_t room,
                    const char *restrict format, va_list list)
{
	fits(n, room);
	return vsnprintf(to, n, format, list);
}
int __vsprintf_chk(char *restrict to, int flag, size_t room, const char *restrict format,
                   va_list list)
{
	int length = vsnprintf(to, room > INT_MAX ? INT_MAX : room, format, list);
	if (length >= 0)
		fits((size_t)length + 1, room);
	return length;
}

#define FORWARD(last, call)                                                                        \
	{                                                                                          \
		va_list list;                                                                      \
		va_start(list, last);                                                              \
		int result = call;                                                                 \
		va_end(list);                                                                      \
		return result;                                                                     \
	}
int __printf_chk(int flag, const char *restrict format, ...)
FORWARD(format, vprintf(format, list))
int __fprintf_chk(FILE *restrict f, int flag, const char *restrict format, ...)
FORWARD(format, vfprintf(f, format, list))
int __dprintf_chk(int fd, int flag, const char *restrict format, ...)
FORWARD(format, vdprintf(fd, format, list))
int __asprintf_chk(char **restrict to, int flag, const char *restrict format, ...)
FORWARD(format, vasprintf(to, format, list))
int __snprintf_chk(char *restrict to, size_t n, int flag, size_t room, const char *restrict format, ...)
FORWARD(format, __vsnprintf_chk(to, n, flag, room, format, list))
int __sprintf_chk(char *restrict to, int flag, size_t room, const char *restrict format, ...)
FORWARD(format, __vsprintf_chk(to, flag, room, format, list))

void __vsyslog_chk(int priority, int flag, const char *format, va_list list)
{
	vsyslog(priority, format, list);
}
void __syslog_chk(int priority, int flag, const char *format, ...)
{
	va_list list;
	va_start(list, format);
	vsyslog(priority, format, list);
	va_end(list);
}

void *__memcpy_chk(void *restrict to, const void *restrict from, size_t n, size_t room)
{
	fits(n, room);
	return memcpy(to, from, n);
}
void *__memmove_chk(void *to, const void *from, size_t n, size_t room)
{
	fits(n, room);
	return memmove(to, from, n);
}
void *__mempcpy_chk(void *restrict to, const void *restrict from, size_t n, size_t room)
{
	fits(n, room);
	return (char *)memcpy(to, from, n) + n;
}
void *__memset_chk(void *to, int byte, size_t n, size_t room)
{
	fits(n, room);
	return memset(to, byte, n);
}
void __explicit_bzero_chk(void *to, size_t n, size_t room)
{
	fits(n, room);
	explicit_bzero(to, n);
}
char *__strcpy_chk(char *restrict to, const char *restrict from, size_t room)
{
	fits(strlen(from) + 1, room);
	return strcpy(to, from);
}
char *__stpcpy_chk(char *restrict to, const char *restrict from, size_t room)
{
	fits(strlen(from) + 1, room);
	return stpcpy(to, from);
}
char *__strncpy_chk(char *restrict to, const char *restrict from, size_t n, size_t room)
{
	fits(n, room);
	return strncpy(to, from, n);
}
char *__stpncpy_chk(char *restrict to, const char *restrict from, size_t n, size_t room)
{
	fits(n, room);
	return stpncpy(to, from, n);
}
char *__strcat_chk(char *restrict to, const char *restrict from, size_t room)
{
	fits(strlen(to) + strlen(from) + 1, room);
	return strcat(to, from);
}
char *__strncat_chk(char *restrict to, const char *restrict from, size_t n, size_t room)
{
	fits(strlen(to) + strnlen(from, n) + 1, room);
	return strncat(to, from, n);
}
wchar_t *__wmemcpy_chk(wchar_t *restrict to, const wchar_t *restrict from, size_t n, size_t room)
{
	fits(n, room);
	return wmemcpy(to, from, n);
}
size_t __mbstowcs_chk(wchar_t *restrict to, const char *restrict from, size_t n, size_t room)
{
	fits(n, room);
	return mbstowcs(to, from, n);
}
char *__fgets_chk(char *restrict to, size_t room, int n, FILE *restrict f)
{
	fits(n < 0 ? 0 : n, room);
	return fgets(to, n, f);
}
char *__fgets_unlocked_chk(char *restrict to, size_t room, int n, FILE *restrict f)
{
	return __fgets_chk(to, room, n, f);
}
size_t __fread_chk(void *restrict to, size_t room, size_t size, size_t n, FILE *restrict f)
{
	if (size && n > room / size)
		__chk_fail();
	return fread(to, size, n, f);
}
size_t __fread_unlocked_chk(void *restrict to, size_t room, size_t size, size_t n, FILE *restrict f)
{
	return __fread_chk(to, room, size, n, f);
}
ssize_t __read_chk(int fd, void *to, size_t n, size_t room)
{
	fits(n, room);
	return read(fd, to, n);
}
ssize_t __pread_chk(int fd, void *to, size_t n, off_t at, size_t room)
{
	fits(n, room);
	return pread(fd, to, n, at);
}
ssize_t __pread64_chk(int fd, void *to, size_t n, off_t at, size_t room)
{
	return __pread_chk(fd, to, n, at, room);
}
ssize_t __recv_chk(int fd, void *to, size_t n, size_t room, int flags)
{
	fits(n, room);
	return recv(fd, to, n, flags);
}
ssize_t __readlink_chk(const char *restrict path, char *restrict to, size_t n, size_t room)
{
	fits(n, room);
	return readlink(path, to, n);
}
ssize_t __readlinkat_chk(int folder, const char *restrict path, char *restrict to, size_t n,
                         size_t room)
{
	fits(n, room);
	return readlinkat(folder, path, to, n);
}
char *__getcwd_chk(char *to, size_t n, size_t room)
{
	fits(n, room);
	return getcwd(to, n);
}
int __gethostname_chk(char *to, size_t n, size_t room)
{
	fits(n, room);
	return gethostname(to, n);
}
char *__realpath_chk(const char *restrict path, char *restrict to, size_t room)
{
	fits(PATH_MAX, room);
	return realpath(path, to);
}
int __poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room)
{
	fits(n * sizeof *fds, room);
	return poll(fds, n, timeout);
}
long __fdelt_chk(long fd)
{
	if (fd < 0 || fd >= FD_SETSIZE)
		__chk_fail();
	return fd / (8 * sizeof(long));
}
