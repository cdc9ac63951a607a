/* Who may come in, and what they may read. */
#define _XOPEN_SOURCE 700
#include "serve/request.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "serve/token.h"

/* ---- the token ---- */

static void tokens_are_128_random_bits_and_never_the_same(void **state)
{
  (void)state;
  char a[PKI_TOKEN_SIZE], b[PKI_TOKEN_SIZE];
  assert_int_equal(pki_token_create(a, NULL), PK_OK);
  assert_int_equal(pki_token_create(b, NULL), PK_OK);
  assert_int_equal(strlen(a), 32);
  assert_int_equal(strspn(a, "0123456789abcdef"), 32);
  assert_string_not_equal(a, b);
}

static void only_the_whole_token_is_equal(void **state)
{
  (void)state;
  const char token[PKI_TOKEN_SIZE] = "0123456789abcdef0123456789abcdef";
  assert_true(pki_token_equal(token, "0123456789abcdef0123456789abcdef"));
  assert_false(pki_token_equal(token, "1123456789abcdef0123456789abcdef"));
  assert_false(pki_token_equal(token, "0123456789abcdef0123456789abcdee"));
  assert_false(pki_token_equal(token, "0123456789abcdef0123456789abcde"));
  assert_false(pki_token_equal(token, "0123456789abcdef0123456789abcdef0"));
  assert_false(pki_token_equal(token, "0123456789ABCDEF0123456789ABCDEF"));
  assert_false(pki_token_equal(token, ""));
  assert_false(pki_token_equal(token, NULL));
}

/* ---- names ---- */

static void on_loopback_only_its_own_names_are_answered(void **state)
{
  (void)state;
  assert_true(pki_host_is_own("127.0.0.1:8080", "127.0.0.1", 8080));
  assert_true(pki_host_is_own("localhost:8080", "127.0.0.1", 8080));
  assert_true(pki_host_is_own("localhost", "127.0.0.1", 80));
  static const char *const others[] = {
      "",          "127.0.0.1",       "localhost:8081",      "evil.com:8080",
      "127.0.0.1", "127.0.0.1:8080 ", "127.0.0.1:8080:8080", "127.0.0.2:8080",
      "localhost", "localhost.:8080", "x.localhost:8080",    "192.168.1.2:8080",
      "LOCALHOST", "[::1]:8080",      "127.0.0.1:08080",     "localhost:8080.evil.com"};
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    if (pki_host_is_own(others[i], "127.0.0.1", 8080)) {
      fail_msg("'%s' was taken for this server", others[i]);
    }
  }
  assert_false(pki_host_is_own(NULL, "127.0.0.1", 8080));
}

static void elsewhere_addresses_are_answered_and_foreign_names_are_not(void **state)
{
  (void)state;
  assert_true(pki_host_is_own("192.168.1.2:80", "0.0.0.0", 80));
  assert_true(pki_host_is_own("192.168.1.2", "0.0.0.0", 80));
  assert_true(pki_host_is_own("192.168.1.2:8080", "0.0.0.0", 8080));
  assert_true(pki_host_is_own("[fe80::1]:8080", "::", 8080));
  assert_true(pki_host_is_own("robot.lab:8080", "robot.lab", 8080));
  assert_false(pki_host_is_own("evil.com:8080", "0.0.0.0", 8080));
  assert_false(pki_host_is_own("192.168.1.2:8081", "0.0.0.0", 8080));
  assert_false(pki_host_is_own("192.168.1.2.evil.com:8080", "0.0.0.0", 8080));
}

static void an_origin_is_http_and_the_same_host(void **state)
{
  (void)state;
  assert_true(pki_origin_is_own("http://127.0.0.1:8080", "127.0.0.1:8080"));
  assert_false(pki_origin_is_own("http://localhost:8080", "127.0.0.1:8080"));
  assert_false(pki_origin_is_own("https://127.0.0.1:8080", "127.0.0.1:8080"));
  assert_false(pki_origin_is_own("http://127.0.0.1:8080/", "127.0.0.1:8080"));
  assert_false(pki_origin_is_own("http://127.0.0.1:80801", "127.0.0.1:8080"));
  assert_false(pki_origin_is_own("null", "127.0.0.1:8080"));
  assert_false(pki_origin_is_own("", "127.0.0.1:8080"));
  assert_false(pki_origin_is_own(NULL, "127.0.0.1:8080"));
}

/* ---- files ---- */

static char root[128];

static void write_file(const char *name)
{
  char path[256];
  snprintf(path, sizeof path, "%s/%s", root, name);
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs("x", file);
  fclose(file);
}

static int make_folder(void **state)
{
  (void)state;
  char path[256];
  snprintf(root, sizeof root, "request_XXXXXX");
  assert_non_null(mkdtemp(root));
  snprintf(path, sizeof path, "%s/page", root);
  mkdir(path, 0777);
  snprintf(path, sizeof path, "%s/page/assets", root);
  mkdir(path, 0777);
  snprintf(path, sizeof path, "%s/pageant", root);
  mkdir(path, 0777);
  write_file("page/index.html");
  write_file("page/assets/main-A_1.js");
  write_file("page/assets/secret");
  write_file("page/.hidden.js");
  write_file("outside.js");
  write_file("pageant/near.js");
  snprintf(path, sizeof path, "%s/page/assets/link.js", root);
  assert_int_equal(symlink("../../outside.js", path), 0);
  snprintf(path, sizeof path, "%s/page/assets/near.js", root);
  assert_int_equal(symlink("../../pageant/near.js", path), 0);
  snprintf(path, sizeof path, "%s/page/assets/own.js", root);
  assert_int_equal(symlink("main-A_1.js", path), 0);
  return 0;
}

static int remove_folder(void **state)
{
  (void)state;
  char command[160];
  snprintf(command, sizeof command, "rm -rf '%s'", root);
  return system(command);
}

static bool has(const char *request)
{
  char folder[160], file[PKI_PATH_MAX];
  snprintf(folder, sizeof folder, "%s/page", root);
  return pki_request_file(folder, request, file);
}

static void files_of_the_page_are_found(void **state)
{
  (void)state;
  assert_true(has("/"));
  assert_true(has("/index.html"));
  assert_true(has("/assets/main-A_1.js"));
  assert_true(has("/assets/own.js")); /* a link that stays inside */
}

static void nothing_outside_of_the_page_is_found(void **state)
{
  (void)state;
  static const char *const others[] = {
      "",
      "index.html",
      "/../outside.js",
      "/assets/../../outside.js",
      "/assets/link.js",
      "//etc/passwd",
      "/assets",
      "/assets/",
      "/assets/secret",
      "/.hidden.js",
      "/assets/./main-A_1.js",
      "/assets/main-A_1.js/",
      "/assets//main-A_1.js",
      "/assets\\main-A_1.js",
      "/none.js",
      "/index.html\n",
      "/assets/near.js",
      "/%2e%2e/outside.js",
      "/index.html?x",
  };
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
    if (has(others[i])) {
      fail_msg("'%s' was found", others[i]);
    }
  }
}

static void types_come_from_the_end_of_the_name(void **state)
{
  (void)state;
  assert_string_equal(pki_content_type("/a/index.html"), "text/html; charset=utf-8");
  assert_string_equal(pki_content_type("main.js"), "text/javascript; charset=utf-8");
  assert_string_equal(pki_content_type("style.css"), "text/css; charset=utf-8");
  assert_string_equal(pki_content_type("icon.svg"), "image/svg+xml");
  assert_null(pki_content_type("passwd"));
  assert_null(pki_content_type("a.exe"));
  assert_true(pki_request_is_page("/") && pki_request_is_page("/index.html"));
  assert_false(pki_request_is_page("/assets/main.js"));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tokens_are_128_random_bits_and_never_the_same),
      cmocka_unit_test(only_the_whole_token_is_equal),
      cmocka_unit_test(on_loopback_only_its_own_names_are_answered),
      cmocka_unit_test(elsewhere_addresses_are_answered_and_foreign_names_are_not),
      cmocka_unit_test(an_origin_is_http_and_the_same_host),
      cmocka_unit_test(files_of_the_page_are_found),
      cmocka_unit_test(nothing_outside_of_the_page_is_found),
      cmocka_unit_test(types_come_from_the_end_of_the_name),
  };
  return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
