/* Grey pictures, by libpng. It reports errors by longjmp: all of its calls stand in one function, which is where it jumps
 * to, and nothing of ours is on the way. Values are taken as they are, without gamma. */
#include "collision/shapes/heights_file.h"

#include "base/error.h"

#ifdef PKI_HAVE_PNG

#include <png.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collision/shapes/heights.h"

typedef struct source {
  const unsigned char *at;
  size_t left;
  char message[128]; /* what libpng said */
} source;

static void read_bytes(png_structp png, png_bytep out, size_t count)
{
  source *s = png_get_io_ptr(png);
  if (count > s->left) {
    png_error(png, "the file ends early");
  }
  memcpy(out, s->at, count);
  s->at += count, s->left -= count;
}

static void on_error(png_structp png, png_const_charp message)
{
  source *s = png_get_error_ptr(png);
  snprintf(s->message, sizeof s->message, "%s", message);
  png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp message)
{
  (void)png;
  (void)message;
}

/* What of a picture is needed, and where its rows go. */
typedef struct picture {
  png_uint_32 width, height;
  int depth, colour;
  png_bytepp rows; /* [height] */
} picture;

/* Begin to read: the header. */
static bool read_header(png_structp png, png_infop info, picture *p)
{
  if (setjmp(png_jmpbuf(png))) {
    return false;
  }
  png_read_info(png, info);
  png_get_IHDR(png, info, &p->width, &p->height, &p->depth, &p->colour, NULL, NULL, NULL);
  return true;
}

/* The rest: bytes of 8 or 16 bits, most significant first. */
static bool read_pixels(png_structp png, png_infop info, const picture *p)
{
  if (setjmp(png_jmpbuf(png))) {
    return false;
  }
  png_set_expand_gray_1_2_4_to_8(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  png_read_image(png, p->rows);
  png_read_end(png, NULL);
  return true;
}

/* A picture that can be read, and is not larger than its bytes can hold: deflate makes one byte of at most 1032. */
static pk_status check_picture(const char *file, size_t size, const picture *p, pk_error *err)
{
  const char *colour = p->colour == PNG_COLOR_TYPE_PALETTE     ? "a palette of colours"
                       : p->colour == PNG_COLOR_TYPE_RGB       ? "colours (RGB)"
                       : p->colour == PNG_COLOR_TYPE_RGB_ALPHA ? "colours (RGBA)"
                                                               : "an alpha channel";
  if (p->colour != PNG_COLOR_TYPE_GRAY) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.file = file},
                    "the picture has %s, expected grey alone: export it as greyscale without alpha, 8 or 16 "
                    "bits",
                    colour);
  }
  if (p->height == 0 || p->width > PKI_HEIGHTS_MOST / p->height) {
    return pki_fail(err, PK_ERROR_LIMIT, (pki_where){.file = file},
                    "the picture has %u x %u pixels, at most %d are possible", (unsigned)p->width,
                    (unsigned)p->height, PKI_HEIGHTS_MOST);
  }
  if ((double)p->width * p->height * p->depth / 8 > 1032.0 * (double)size) {
    return pki_fail(err, PK_ERROR_SYNTAX, (pki_where){.file = file},
                    "the file ends early: %zu bytes cannot hold %u x %u pixels", size, (unsigned)p->width,
                    (unsigned)p->height);
  }
  return PK_OK;
}

static pk_status fail_png(const char *file, const source *s, pk_error *err)
{
  return pki_fail(err, PK_ERROR_SYNTAX, (pki_where){.file = file}, "the picture cannot be read: %s",
                  s->message[0] != '\0' ? s->message : "unknown error");
}

/* Pixels into `bytes`, then into heights from the last row on. */
static pk_status read_picture(const char *file, png_structp png, png_infop info, picture *p, const source *s,
                              pk_heights *out, pk_error *err)
{
  const size_t width = p->depth == 16 ? 2 : 1, nx = p->width, ny = p->height;
  pk_status status = pki_heights_room(file, p->width, p->height, out, err);
  if (status != PK_OK) {
    return status;
  }
  unsigned char *bytes = malloc(nx * ny * width);
  p->rows = malloc(ny * sizeof *p->rows);
  for (size_t j = 0; bytes != NULL && p->rows != NULL && j < ny; j++) {
    p->rows[j] = bytes + j * nx * width;
  }
  if (bytes == NULL || p->rows == NULL) {
    status =
        pki_fail(err, PK_ERROR_MEMORY, (pki_where){.file = file}, "no memory for %zu x %zu pixels", nx, ny);
  } else if (!read_pixels(png, info, p)) {
    status = fail_png(file, s, err);
  }
  for (size_t e = 0; bytes != NULL && status == PK_OK && e < nx * ny; e++) {
    const unsigned char *b = bytes + width * ((ny - 1 - e / nx) * nx + e % nx);
    out->z[e] = width == 2 ? (b[0] << 8 | b[1]) / 65535.0 : b[0] / 255.0;
  }
  free(bytes);
  free(p->rows);
  return status;
}

pk_status pki_heights_read_png(const char *file, const void *data, size_t size, pk_heights *out,
                               pk_error *err)
{
  if (size < 8 || png_sig_cmp(data, 0, 8) != 0) {
    return pki_fail(err, PK_ERROR_SYNTAX, (pki_where){.file = file},
                    "this is no PNG picture: %zu bytes that begin otherwise", size);
  }
  source s = {.at = data, .left = size};
  picture p = {0};
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &s, on_error, on_warning);
  png_infop info = png != NULL ? png_create_info_struct(png) : NULL;
  pk_status status = PK_OK;
  if (info == NULL) {
    status = pki_fail(err, PK_ERROR_MEMORY, (pki_where){.file = file}, "no memory for the picture's reader");
  } else {
    png_set_read_fn(png, &s, read_bytes);
    png_set_user_limits(png, PKI_HEIGHTS_MOST, PKI_HEIGHTS_MOST);
    /* texts, profiles and the like are skipped: they may ask for any amount of memory */
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, NULL, -1);
    if (!read_header(png, info, &p)) {
      status = fail_png(file, &s, err);
    }
  }
  status = status == PK_OK ? check_picture(file, size, &p, err) : status;
  status = status == PK_OK ? read_picture(file, png, info, &p, &s, out, err) : status;
  png_destroy_read_struct(png != NULL ? &png : NULL, info != NULL ? &info : NULL, NULL);
  return status;
}

#else

pk_status pki_heights_read_png(const char *file, const void *data, size_t size, pk_heights *out,
                               pk_error *err)
{
  (void)data, (void)size, (void)out;
  return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.file = file},
                  "pictures are not read: this pronk was built without libpng (PK_WITH_PNG)");
}

#endif
