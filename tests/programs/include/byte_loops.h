/* String functions as plain loops over bytes, so that native runs see their branches. */
#include <string.h>

static inline size_t loop_strlen(const char *text) {
  size_t length = 0;
  while (text[length])
    length++;
  return length;
}

static inline char *loop_strchr(const char *text, int letter) {
  for (; *text != (char)letter; text++)
    if (!*text)
      return 0;
  return (char *)text;
}

#define strlen loop_strlen
#define strchr loop_strchr
