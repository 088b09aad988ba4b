/* The arguments of a program as KLEE's words describe them: among argv, words like --sym-args stand
   for arguments that are inputs. What they say about files, streams and calls that fail is the
   system's; here those words are only taken out.

   Inputs are made in KLEE's order: for each --sym-args how many there are, then the arguments, then
   files and streams, then the number of this convention. */

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

void klee_make_symbolic(void *, size_t, const char *);
void klee_assume(unsigned long);
int klee_range(int, int, const char *);
void __cairn_environment(void);

/* The library is not ready yet: errno has no place. */
static unsigned number(const char *text)
{
	unsigned value = 0;
	while (*text >= '0' && *text <= '9')
		value = 10 * value + (*text++ - '0');
	return value;
}

static char *argument(size_t length, unsigned which)
{
	char name[] = "arg00";
	name[3] = '0' + which / 10 % 10;
	name[4] = '0' + which % 10;
	char *text = malloc(length + 1);
	klee_make_symbolic(text, length + 1, name);
	text[length] = 0;
	return text;
}

/* How many words belong to a word that describes the environment, with itself; 0 if it does not. */
static int described(const char *word)
{
	if (*word != '-')
		return 0;
	word += word[1] == '-' ? 2 : 1;
	if (!strcmp(word, "sym-args"))
		return 4;
	if (!strcmp(word, "sym-files") || !strcmp(word, "sym-sockets"))
		return 3;
	if (!strcmp(word, "sym-arg") || !strcmp(word, "sym-stdin") || !strcmp(word, "max-fail"))
		return 2;
	if (!strcmp(word, "sym-stdout") || !strcmp(word, "fd-fail") || !strcmp(word, "short-reads")
	    || !strcmp(word, "save-all-writes") || !strcmp(word, "efault"))
		return 1;
	return 0;
}

/* Whether a word only says how the system answers, which makes nothing an input. */
static int only_answers(const char *word)
{
	return !strcmp(word, "--efault") || !strcmp(word, "-efault");
}

/* Puts the arguments that are meant in place of those that were given. Without such words nothing is
   an input and nothing is changed. */
void __cairn_arguments(int *argc, char ***argv)
{
	char **given = *argv;
	int described_any = 0, inputs = 0;
	size_t room = 1;
	for (int i = 0; i < *argc; i++) {
		int words = described(given[i]);
		described_any |= words;
		inputs |= words && !only_answers(given[i]);
		room += words == 4 && i + 2 < *argc ? number(given[i + 2]) : 1;
	}
	if (!described_any)
		return;
	char **meant = malloc((room + 1) * sizeof *meant);
	int count = 0;
	unsigned made = 0;
	for (int i = 0; i < *argc; i++) {
		int words = described(given[i]);
		if (!words) {
			meant[count++] = given[i];
			continue;
		}
		if (words == 4 && i + 3 < *argc) {
			int least = number(given[i + 1]), most = number(given[i + 2]);
			int wanted = klee_range(least, most + 1, "n_args");
			for (int k = 0; k < wanted; k++)
				meant[count++] = argument(number(given[i + 3]), made++);
		} else if (words == 2 && i + 1 < *argc && strstr(given[i], "sym-arg")) {
			meant[count++] = argument(number(given[i + 1]), made++);
		}
		i += words - 1;
	}
	meant[count] = 0;
	*argc = count;
	*argv = meant;
	if (!inputs)
		return;
	__cairn_environment();
	int version;
	klee_make_symbolic(&version, sizeof version, "model_version");
	klee_assume(version == 1);
}
