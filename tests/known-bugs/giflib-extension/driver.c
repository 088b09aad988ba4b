// Gives an image an extension block, and writes a graphics control block to the image.
#include "gif_lib.h"
#include <klee/klee.h>
#include <stdlib.h>

int main(void) {
  unsigned char data[8] = {0}, function, length;
  GraphicsControlBlock block = {.TransparentColor = NO_TRANSPARENT_COLOR};
  GifFileType *file = calloc(1, sizeof *file);
  SavedImage *image = GifMakeSavedImage(file, NULL);
  klee_make_symbolic(&function, 1, "function");
  klee_make_symbolic(&length, 1, "length");
  klee_assume(length <= sizeof data);
  GifAddExtensionBlock(&image->ExtensionBlockCount, &image->ExtensionBlocks, function, length, data);
  EGifGCBToSavedExtension(&block, file, 0);
  GifFreeSavedImages(file);
  free(file);
  return 0;
}
