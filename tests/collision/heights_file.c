/* Height files: what is read of them, what is refused, and heights from functions. */
#define _POSIX_C_SOURCE 200809L

#include "collision/help.h"

#include <stdio.h>
#include <unistd.h>

#include "collision/shapes/heights_file.h"
#include "record/crc32.h"
#include "support/bounds.h"

/* ---- pictures, written by hand: stored blocks ---- */

typedef struct bytes {
  unsigned char data[4096];
  size_t size;
} bytes;

static void put(bytes *b, const void *data, size_t size)
{
  assert_at_most(b->size + size, sizeof b->data);
  memcpy(b->data + b->size, data, size);
  b->size += size;
}

static void put32(bytes *b, uint32_t v)
{
  put(b,
      (unsigned char[4]){(unsigned char)(v >> 24), (unsigned char)(v >> 16), (unsigned char)(v >> 8),
                         (unsigned char)v},
      4);
}

static void chunk(bytes *b, const char *kind, const void *data, size_t size)
{
  put32(b, (uint32_t)size);
  const size_t from = b->size;
  put(b, kind, 4);
  put(b, data, size);
  put32(b, pki_crc32(0, b->data + from, size + 4));
}

/* Rows of `row` bytes, without filters. */
static bytes picture(unsigned nx, unsigned ny, int depth, int colour, size_t row, const unsigned char *pixels)
{
  bytes b = {.size = 0}, raw = {.size = 0}, z = {.size = 0}, head = {.size = 0};
  put(&b, "\x89PNG\r\n\x1a\n", 8);
  put32(&head, nx), put32(&head, ny);
  put(&head, (unsigned char[5]){(unsigned char)depth, (unsigned char)colour, 0, 0, 0}, 5);
  chunk(&b, "IHDR", head.data, head.size);
  if (colour == 3) {
    chunk(&b, "PLTE", "\0\0\0", 3);
  }
  for (unsigned j = 0; j < ny; j++) {
    put(&raw, "\0", 1);
    put(&raw, pixels + j * row, row);
  }
  uint32_t s1 = 1, s2 = 0; /* Adler-32 */
  for (size_t i = 0; i < raw.size; i++) {
    s1 = (s1 + raw.data[i]) % 65521, s2 = (s2 + s1) % 65521;
  }
  const size_t n = raw.size;
  put(&z,
      (unsigned char[7]){0x78, 0x01, 0x01, (unsigned char)n, (unsigned char)(n >> 8), (unsigned char)~n,
                         (unsigned char)(~n >> 8)},
      7);
  put(&z, raw.data, n);
  put32(&z, s2 << 16 | s1);
  chunk(&b, "IDAT", z.data, z.size);
  chunk(&b, "IEND", "", 0);
  return b;
}

static pk_heights_options options_of(double cell)
{
  pk_heights_options o = pk_heights_options_default();
  o.cell = cell;
  return o;
}

static pk_status parse(const char *file, const void *data, size_t size, const pk_heights_options *o,
                       pk_heights *h, pk_error *err)
{
  /* a copy of its own size, so that a byte too far is seen */
  void *copy = malloc(size + (size == 0));
  memcpy(copy, data, size);
  *err = (pk_error){0};
  const pk_status status = pki_heights_parse(file, copy, size, o, h, err);
  free(copy);
  if (status != PK_OK) {
    assert_null(h->z);
    assert_int_equal(err->status, status);
  }
  return status;
}

static void expect_heights(const pk_heights *h, int nx, int ny, const double *z, double tolerance)
{
  assert_int_equal(h->nx, nx);
  assert_int_equal(h->ny, ny);
  for (int e = 0; e < nx * ny; e++) {
    assert_near(h->z[e], z[e], tolerance);
  }
}

static void a_grey_picture_is_a_map_seen_from_above(void **state)
{
  (void)state;
#ifndef PK_TEST_PNG
  skip();
#endif
  pk_heights h;
  pk_error err;
  pk_heights_options o = options_of(0.5);
  o.scale = 2;
  /* the far row first */
  const bytes eight = picture(3, 2, 8, 0, 3, (const unsigned char[6]){255, 0, 51, 102, 0, 153});
  assert_int_equal(parse("a.png", eight.data, eight.size, &o, &h, &err), PK_OK);
  expect_heights(&h, 3, 2, (const double[6]){0.8, 0, 1.2, 2, 0, 0.4}, 1e-15);
  assert_near(h.cell, 0.5, 0);
  pk_heights_free(&h);
  const bytes sixteen = picture(2, 2, 16, 0, 4, (const unsigned char[8]){0xff, 0xff, 0, 1, 0x12, 0x34, 0, 0});
  assert_int_equal(parse("a.png", sixteen.data, sixteen.size, &o, &h, &err), PK_OK);
  expect_heights(&h, 2, 2, (const double[4]){2 * 0x1234 / 65535.0, 0, 2, 2 / 65535.0}, 1e-15);
  pk_heights_free(&h);
  const bytes two = picture(2, 2, 2, 0, 1, (const unsigned char[2]){0x70, 0x80}); /* 01 11, 10 00 */
  assert_int_equal(parse("a.png", two.data, two.size, &o, &h, &err), PK_OK);
  expect_heights(&h, 2, 2, (const double[4]){4.0 / 3, 0, 2.0 / 3, 2}, 1e-15);
  pk_heights_free(&h);
}

static void pictures_that_are_not_grey_or_not_whole_are_refused(void **state)
{
  (void)state;
#ifndef PK_TEST_PNG
  skip();
#endif
  pk_heights h;
  pk_error err;
  const pk_heights_options o = options_of(1);
  const unsigned char pixels[64] = {0};
  static const struct {
    int depth, colour;
    size_t row;
    const char *what;
  } kinds[] = {{8, 2, 6, "colours (RGB)"},
               {8, 6, 8, "colours (RGBA)"},
               {8, 3, 2, "a palette of colours"},
               {8, 4, 4, "an alpha channel"}};
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    const bytes b = picture(2, 2, kinds[k].depth, kinds[k].colour, kinds[k].row, pixels);
    char expected[200];
    snprintf(expected, sizeof expected,
             "the picture has %s, expected grey alone: export it as greyscale without alpha, 8 or 16 bits",
             kinds[k].what);
    assert_int_equal(parse("a.png", b.data, b.size, &o, &h, &err), PK_ERROR_UNSUPPORTED);
    assert_string_equal(err.message, expected);
    assert_string_equal(err.file, "a.png");
  }
  assert_int_equal(parse("a.png", "hello there", 11, &o, &h, &err), PK_ERROR_SYNTAX);
  assert_string_equal(err.message, "this is no PNG picture: 11 bytes that begin otherwise");
  assert_int_equal(parse("a.png", "", 0, &o, &h, &err), PK_ERROR_SYNTAX);
  /* cut anywhere, changed anywhere: an error, or (in what does not count) the same picture */
  bytes b = picture(3, 3, 8, 0, 3, pixels);
  for (size_t cut = 0; cut < b.size; cut++) {
    assert_int_equal(parse("a.png", b.data, cut, &o, &h, &err), PK_ERROR_SYNTAX);
  }
  assert_int_equal(parse("a.png", b.data, 40, &o, &h, &err), PK_ERROR_SYNTAX);
  assert_string_equal(err.message, "the picture cannot be read: the file ends early");
  for (size_t at = 0; at < b.size; at++) {
    bytes changed = b;
    changed.data[at] ^= 0x55;
    if (parse("a.png", changed.data, changed.size, &o, &h, &err) == PK_OK) {
      expect_heights(&h, 3, 3, (const double[9]){0}, 0);
      pk_heights_free(&h);
    }
  }
  /* more pixels than any field may have, and more than the bytes can hold */
  b = picture(1, 1, 8, 0, 1, pixels);
  assert_int_equal(parse("a.png", b.data, b.size, &o, &h, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "the field has 1 x 1 heights, expected at least 2 x 2");
  bytes head = {.size = 0}, big = {.size = 0};
  put32(&head, 8000), put32(&head, 8000), put(&head, "\x08\0\0\0\0", 5);
  put(&big, b.data, 8), chunk(&big, "IHDR", head.data, 13), put(&big, b.data + 33, b.size - 33);
  assert_int_equal(parse("a.png", big.data, big.size, &o, &h, &err), PK_ERROR_SYNTAX);
  assert_string_equal(err.message, "the file ends early: 70 bytes cannot hold 8000 x 8000 pixels");
  head.size = big.size = 0;
  put32(&head, 60000), put32(&head, 60000), put(&head, "\x08\0\0\0\0", 5);
  put(&big, b.data, 8), chunk(&big, "IHDR", head.data, 13), put(&big, b.data + 33, b.size - 33);
  assert_int_equal(parse("a.png", big.data, big.size, &o, &h, &err), PK_ERROR_LIMIT);
  assert_string_equal(err.message, "the picture has 60000 x 60000 pixels, at most 67108864 are possible");
}

/* ---- text and raw ---- */

static pk_status text(const char *s, pk_heights *h, pk_error *err)
{
  const pk_heights_options o = options_of(1);
  return parse("a.csv", s, strlen(s), &o, h, err);
}

static void text_is_rows_of_numbers(void **state)
{
  (void)state;
  pk_heights h;
  pk_error err;
  const double z[6] = {0, 1, 2.5, -1e-3, 4, 5};
  const char *const same[] = {"0,1,2.5\n-1e-3,4,5\n", "0 1 2.5\n-1e-3 4 5",
                              "# map\n\n0;\t1; 2.5 # first\r\n-1e-3,4 5\r\n\n",
                              "\xef\xbb\xbf 0,1,2.5,\n-1e-3,4,5,\n"};
  for (size_t k = 0; k < sizeof same / sizeof *same; k++) {
    assert_int_equal(text(same[k], &h, &err), PK_OK);
    expect_heights(&h, 3, 2, z, 0);
    pk_heights_free(&h);
  }
  assert_int_equal(text("0,1\n2,3m\n", &h, &err), PK_ERROR_SYNTAX);
  assert_string_equal(err.message, "found \"3m\", expected a height");
  assert_int_equal(err.line, 2);
  assert_int_equal(text("0,1\n\n2,3,4\n", &h, &err), PK_ERROR_SYNTAX);
  assert_string_equal(err.message, "this row has 3 heights, the first one has 2");
  assert_int_equal(err.line, 3);
  assert_int_equal(text("1 2 3\n", &h, &err), PK_ERROR_SYNTAX);
  assert_string_equal(err.message, "the file has 1 rows of 3 heights, expected two rows of two at least");
  assert_int_equal(text("", &h, &err), PK_ERROR_SYNTAX);
  assert_int_equal(text("1 2\n3 nan\n", &h, &err), PK_ERROR_SYNTAX);
  assert_string_equal(err.message, "height 1 of row 1 is nan m, expected a number of 1e+12 m at most");
}

static void raw_numbers_need_their_counts(void **state)
{
  (void)state;
  pk_heights h;
  pk_error err;
  pk_heights_options o = options_of(1);
  o.nx = 3, o.ny = 2, o.scale = 10;
  const unsigned char u16[12] = {0, 0, 255, 255, 1, 0, 0, 1, 0, 0, 0, 0};
  assert_int_equal(parse("a.u16", u16, 12, &o, &h, &err), PK_OK);
  expect_heights(&h, 3, 2, (const double[6]){0, 10, 10 / 65535.0, 2560 / 65535.0, 0, 0}, 1e-15);
  pk_heights_free(&h);
  const unsigned char f32[24] = {0, 0, 0x80, 0x3f, 0, 0, 0x20, 0xc1}; /* 1, -10, 0 ... */
  assert_int_equal(parse("a.f32", f32, 24, &o, &h, &err), PK_OK);
  expect_heights(&h, 3, 2, (const double[6]){10, -100, 0, 0, 0, 0}, 0);
  pk_heights_free(&h);
  assert_int_equal(parse("a.f32", f32, 20, &o, &h, &err), PK_ERROR_SYNTAX);
  assert_string_equal(err.message, "the file has 20 bytes, expected 24: 3 x 2 numbers of 4");
  o.ny = 0;
  assert_int_equal(parse("a.u16", u16, 12, &o, &h, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "a uint16 file tells nothing of its shape: nx and ny are needed");
  assert_string_equal(err.field, "ny");
}

static void options_are_checked(void **state)
{
  (void)state;
  pk_heights h;
  pk_error err;
  pk_heights_options o = pk_heights_options_default();
  assert_int_equal(parse("a.csv", "0 1\n2 3", 7, &o, &h, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "cell");
  o.cell = 1, o.nx = 3;
  assert_int_equal(parse("a.csv", "0 1\n2 3", 7, &o, &h, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "the file has 2 x 2 heights, expected 3 x 2");
  o.nx = 0;
  assert_int_equal(parse("a.tif", "0 1\n2 3", 7, &o, &h, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(
      err.message,
      "the name tells no format; expected .png, .csv, .txt, .f32, .u16, .r16, or a format that is given");
  o.format = PK_HEIGHTS_TEXT;
  assert_int_equal(parse("a.tif", "0 1\n2 3", 7, &o, &h, &err), PK_OK);
  pk_heights_free(&h);
  assert_int_equal(pk_heights_load("/nowhere/at/all.csv", &o, &h, &err), PK_ERROR_FILE);
  assert_string_equal(err.message, "cannot read the heights: No such file or directory");
  assert_string_equal(err.file, "/nowhere/at/all.csv");
}

static void a_file_is_loaded(void **state)
{
  (void)state;
  char path[] = PK_BUILD_DIR "/heights-XXXXXX";
  const int fd = mkstemp(path);
  assert_at_least(fd, 0);
  assert_int_equal(write(fd, "0 1\n2 3\n", 8), 8);
  close(fd);
  pk_heights_options o = options_of(0.25);
  o.format = PK_HEIGHTS_TEXT;
  pk_heights h;
  assert_int_equal(pk_heights_load(path, &o, &h, NULL), PK_OK);
  expect_heights(&h, 2, 2, (const double[4]){0, 1, 2, 3}, 0);
  pk_heights_free(&h);
  unlink(path);
}

/* ---- functions ---- */

static double bowl(double x, double y, void *user)
{
  return *(double *)user * (x * x + y * y);
}

static double pole(double x, double y, void *user)
{
  (void)user;
  return 1 / (x - 1) / (y + 1);
}

static void a_function_is_sampled_from_the_corner(void **state)
{
  (void)state;
  pk_heights h;
  pk_error err;
  double scale = 2;
  assert_int_equal(pk_heights_sample(4, 3, 0.5, bowl, &scale, &h, &err), PK_OK);
  for (int j = 0; j < 3; j++) {
    for (int i = 0; i < 4; i++) {
      assert_near(h.z[4 * j + i], 0.5 * (i * i + j * j), 1e-15);
    }
  }
  pk_heights_free(&h);
  assert_int_equal(pk_heights_sample(4, 3, 0.5, pole, NULL, &h, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "the height at (1, 0) is inf m, expected a number of 1e+12 m at most");
  assert_null(h.z);
  assert_int_equal(pk_heights_sample(1, 3, 0.5, bowl, &scale, &h, &err), PK_ERROR_ARGUMENT);
  assert_int_equal(pk_heights_sample(1 << 20, 1 << 20, 0.5, bowl, &scale, &h, &err), PK_ERROR_LIMIT);
  assert_int_equal(pk_heights_sample(2, 2, 0.5, NULL, &scale, &h, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "there is no function of heights, expected one");
  assert_int_equal(pk_heights_sample(2, 2, 0, bowl, &scale, &h, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "cell is 0 m, expected a positive length");
}

/* Heights depend on the place and the seed alone, whatever the grid. */
static void patterns_are_functions_of_place_and_seed(void **state)
{
  (void)state;
  for (int f = PK_HEIGHTS_WAVES; f < PK_HEIGHTS_FUNCTION_COUNT; f++) {
    pk_heights_pattern p = pk_heights_pattern_default();
    p.function = (pk_heights_function)f, p.amplitude = 0.25, p.length = 0.5, p.seed = 7;
    pk_heights coarse, fine, other;
    assert_int_equal(pk_heights_generate(&p, 21, 11, 0.25, &coarse, NULL), PK_OK);
    assert_int_equal(pk_heights_generate(&p, 41, 21, 0.125, &fine, NULL), PK_OK);
    p.seed = 8;
    assert_int_equal(pk_heights_generate(&p, 21, 11, 0.25, &other, NULL), PK_OK);
    double most = 0, change = 0;
    for (int j = 0; j < 11; j++) {
      for (int i = 0; i < 21; i++) {
        const double z = coarse.z[21 * j + i];
        assert_near(fine.z[82 * j + 2 * i], z, 0);
        most = fmax(most, fabs(z)), change = fmax(change, fabs(z - other.z[21 * j + i]));
      }
    }
    assert_at_most(most, 0.25);
    assert_true(most > 0.05 || f == PK_HEIGHTS_WAVES);
    assert_true((change > 0.01) == (f != PK_HEIGHTS_WAVES));
    pk_heights_free(&coarse), pk_heights_free(&fine), pk_heights_free(&other);
  }
}

static void patterns_have_their_shapes(void **state)
{
  (void)state;
  pk_heights h;
  pk_error err;
  pk_heights_pattern p = {.function = PK_HEIGHTS_WAVES, .amplitude = 2, .length = 4};
  assert_int_equal(pk_heights_generate(&p, 5, 5, 1, &h, &err), PK_OK);
  assert_near(h.z[0], 0, 0);
  assert_near(h.z[6], 2, 1e-15); /* x = y = 1, a quarter of the wave */
  assert_near(h.z[1], 1, 1e-15);
  pk_heights_free(&h);
  /* tiles are level, also where 3 cells of 0.3 m are a little less than 0.9 m */
  p.function = PK_HEIGHTS_STEPS, p.length = 0.9;
  assert_int_equal(pk_heights_generate(&p, 31, 31, 0.3, &h, &err), PK_OK);
  for (int j = 0; j < 30; j++) {
    for (int i = 0; i < 30; i++) {
      assert_near(h.z[31 * j + i], h.z[31 * (j / 3 * 3) + i / 3 * 3], 0);
    }
  }
  pk_heights_free(&h);
  /* noise is smooth: between neighbours the slope stays below what four octaves can have */
  p.function = PK_HEIGHTS_ROUGH, p.amplitude = 1, p.length = 1;
  assert_int_equal(pk_heights_generate(&p, 400, 2, 0.01, &h, &err), PK_OK);
  for (int i = 0; i + 1 < 400; i++) {
    assert_less(fabs(h.z[i + 1] - h.z[i]), 0.01 * 4 * 8 / 15.0 * 2 * 1.875);
  }
  pk_heights_free(&h);
  p.function = PK_HEIGHTS_NONE;
  assert_int_equal(pk_heights_generate(&p, 4, 4, 1, &h, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.message, "function is none, expected waves, steps or rough");
  p.function = PK_HEIGHTS_ROUGH, p.length = 0;
  assert_int_equal(pk_heights_generate(&p, 4, 4, 1, &h, &err), PK_ERROR_ARGUMENT);
  assert_string_equal(err.field, "length");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_grey_picture_is_a_map_seen_from_above),
      cmocka_unit_test(pictures_that_are_not_grey_or_not_whole_are_refused),
      cmocka_unit_test(text_is_rows_of_numbers),
      cmocka_unit_test(raw_numbers_need_their_counts),
      cmocka_unit_test(options_are_checked),
      cmocka_unit_test(a_file_is_loaded),
      cmocka_unit_test(a_function_is_sampled_from_the_corner),
      cmocka_unit_test(patterns_are_functions_of_place_and_seed),
      cmocka_unit_test(patterns_have_their_shapes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
