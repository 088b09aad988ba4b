/* GNU's functions for messages about errors; in the library by extra.c. */
#ifndef _ERROR_H
#define _ERROR_H 1

#ifdef __cplusplus
extern "C" {
#endif

void error(int status, int number, const char *format, ...);
void error_at_line(int status, int number, const char *file, unsigned line, const char *format, ...);

extern unsigned error_message_count;
extern int error_one_per_line;
extern void (*error_print_progname)(void);

#ifdef __cplusplus
}
#endif

#endif
