#define _XOPEN_SOURCE 700
#include "serve/browser.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/folders.h"
#include "base/text.h"

bool pki_browser_find(char path[PKI_PATH_MAX])
{
  static const char *const names[] = {"chromium", "chromium-browser", "google-chrome",
                                      "google-chrome-stable"};
  const char *chosen = getenv("PRONK_CHROMIUM");
  if (chosen != NULL && chosen[0] != '\0') {
    return pki_program_find(chosen, path);
  }
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (pki_program_find(names[i], path)) {
      return true;
    }
  }
  return false;
}

/* A page in the user's own folder that goes on to the address: arguments can be read by everybody. */
static pk_status write_start(const char *folder, const char *url, char page[PKI_PATH_MAX], pk_error *err)
{
  pki_text text = {0};
  pki_text_add(&text, "<!doctype html><meta http-equiv=\"refresh\" content=\"0;url=");
  pki_text_add_escaped(&text, url);
  pki_text_add(&text, "\">\n");
  const pk_status status =
      pki_path_join(page, folder, "start.html")
          ? pki_text_save(&text, page, err)
          : pki_fail(err, PK_ERROR_FILE, (pki_where){.file = folder}, "the path is too long");
  pki_text_free(&text);
  return status;
}

static pk_status make_folder(char folder[PKI_PATH_MAX], pk_error *err)
{
  /* the browser makes sockets below it, and a socket's path has 107 letters */
  enum { MOST = 32 };
  const char *place = getenv("TMPDIR");
  const bool fits = place != NULL && place[0] == '/' && strlen(place) <= MOST;
  const pk_status status =
      pki_temporary_folder(fits ? place : "/tmp", "pronk-render", "the browser", folder, err);
  if (status != PK_OK) {
    return status;
  }
  /* addresses of files are whole paths */
  char *whole = realpath(folder, NULL);
  if (whole != NULL && strlen(whole) < PKI_PATH_MAX) {
    memcpy(folder, whole, strlen(whole) + 1);
  }
  free(whole);
  return PK_OK;
}

pk_status pki_browser_start(const char *url, int width, int height, pki_browser *out, pk_error *err)
{
  *out = (pki_browser){.process = {.in = -1}};
  char program[PKI_PATH_MAX], page[PKI_PATH_MAX], profile[PKI_PATH_MAX + 32], file[PKI_PATH_MAX + 8],
      size[64], place[PKI_PATH_MAX + 16];
  if (!pki_browser_find(program)) {
    return pki_fail(err, PK_ERROR_FILE, (pki_where){0}, "no browser was found");
  }
  pk_status status = make_folder(out->folder, err);
  status = status == PK_OK ? write_start(out->folder, url, page, err) : status;
  if (status != PK_OK) {
    pki_browser_stop(out);
    return status;
  }
  snprintf(profile, sizeof profile, "--user-data-dir=%s/profile", out->folder);
  snprintf(place, sizeof place, "TMPDIR=%s", out->folder); /* what it leaves there goes too */
  snprintf(file, sizeof file, "file://%s", page);
  snprintf(size, sizeof size, "--window-size=%d,%d", width, height);
  const char *arguments[24] = {program,
                               "--headless=new",
                               "--disable-gpu",
                               "--use-angle=swiftshader",
                               "--enable-unsafe-swiftshader",
                               "--disable-dev-shm-usage",
                               "--no-first-run",
                               "--no-default-browser-check",
                               "--disable-extensions",
                               "--disable-background-networking",
                               "--disable-background-timer-throttling",
                               "--disable-renderer-backgrounding",
                               "--mute-audio",
                               "--hide-scrollbars",
                               size,
                               profile};
  int n = 16;
  if (geteuid() == 0) {
    arguments[n++] = "--no-sandbox"; /* root has none; the page is our own */
  }
  arguments[n++] = file;
  if (!pki_process_start(arguments, false, place, &out->process)) {
    pki_browser_stop(out);
    return pki_fail(err, PK_ERROR_FILE, (pki_where){.file = program}, "the browser cannot be started");
  }
  return PK_OK;
}

void pki_browser_stop(pki_browser *browser)
{
  pki_process_kill(&browser->process);
  /* a child that was just killed may still be writing */
  for (int tries = 0; browser->folder[0] != '\0' && tries < 20; tries++) {
    if (pki_folder_remove(browser->folder)) {
      break;
    }
    nanosleep(&(struct timespec){.tv_nsec = 50000000}, NULL);
  }
  browser->folder[0] = '\0';
}
