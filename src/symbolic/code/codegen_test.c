/* Generated code: its self-test. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbolic/code/codegen.h"
#include "symbolic/code/codegen_expect.h"

/* Numbers of an array, a few to a line. */
static void add_numbers(pki_text *text, const double *x, int n)
{
  for (int i = 0; i < n; i++) {
    pki_text_add(text, i % 4 == 0 ? "\n    " : " ");
    pki_emit_number(x[i], text);
    pki_text_add(text, ",");
  }
}

static int count_of(const pki_function *f)
{
  int count = 0;
  for (int i = 0; i < f->noutput; i++) {
    count += f->outputs[i].count;
  }
  return count;
}

/* What a port holds at the chosen state; NULL: not a port of these functions. */
static const double *port_values(const pki_expect *e, const char *name)
{
  const pk_model *m = e->m;
  const struct {
    const char *name;
    const double *values;
  } rows[] = {{"q", e->q},
              {"u", e->u},
              {"a", e->a},
              {"tau", e->tau},
              {"inertia", m->body_inertia},
              {"position", m->body_pos},
              {"gravity", m->gravity},
              {"armature", m->dof_armature}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    if (strcmp(rows[i].name, name) == 0) {
      return rows[i].values;
    }
  }
  return NULL;
}

/* The inputs of all functions: one array [state][count] for each port of the first function's graph, which all share. */
static void add_inputs(const pki_codegen *c, pki_expect *e, pki_text *text)
{
  const pki_graph *g = c->units[0].g;
  for (int p = 0; p < g->nport; p++) {
    pki_text_addf(text, "static const double in_%s[STATES * %d] = {", g->ports[p].name, g->ports[p].count);
    for (int s = 0; s < c->states; s++) {
      pki_expect_state(e, s);
      add_numbers(text, port_values(e, g->ports[p].name), g->ports[p].count);
    }
    pki_text_add(text, "\n};\n");
  }
}

static bool add_expected(const pki_codegen *c, pki_expect *e, const pki_function *f, pki_text *text)
{
  const int n = count_of(f);
  const size_t all = (size_t)n * (size_t)c->states;
  double *values = calloc(2 * all + 1, sizeof *values);
  if (values == NULL) {
    return false;
  }
  double *const scales = values + all;
  bool good = true;
  for (int s = 0; s < c->states && good; s++) {
    pki_expect_state(e, s);
    good = pki_expect_values(e, f, values + (size_t)s * (size_t)n, scales + (size_t)s * (size_t)n);
  }
  if (good) {
    pki_text_addf(text, "\nstatic const double expected_%s[STATES * %d] = {", f->name, n > 0 ? n : 1);
    add_numbers(text, values, n * c->states);
    pki_text_addf(text, "\n};\nstatic const double scale_%s[STATES * %d] = {", f->name, n > 0 ? n : 1);
    add_numbers(text, scales, n * c->states);
    pki_text_add(text, "\n};\n");
  }
  free(values);
  return good;
}

/* A call with arrays of doubles, for each lane count. */
static void add_call(const pki_codegen *c, const pki_function *f, pki_text *text)
{
  static const char *const endings[] = {"", "_x4", "_x8"};
  const unsigned ports = pki_function_ports(f);
  pki_text_addf(text, "\nstatic void call_%s(int lanes, double *const *in, double *const *out)\n{\n",
                f->name);
  for (int l = 0; l < 3; l++) {
    char type[80] = "double";
    if (l > 0) {
      snprintf(type, sizeof type, "%s%s", c->name, endings[l]);
    }
    if (l == 2) {
      pki_text_addf(text, "#ifdef %s_TEST_X8\n", c->capitals);
    }
    pki_text_addf(text, "  if (lanes == %d) {\n    %s_%s%s(", l == 0 ? 1 : 4 * l, c->name, f->name,
                  endings[l]);
    const char *comma = "";
    for (int i = 0; i < f->graph->nport; i++) {
      if (ports >> i & 1) {
        pki_text_addf(text, "%s(const %s *)in[%d]", comma, type, i);
        comma = ", ";
      }
    }
    for (int i = 0; i < f->noutput; i++) {
      pki_text_addf(text, "%s(%s *)out[%d]", comma, type, i);
      comma = ", ";
    }
    pki_text_addf(text, ");\n  }\n%s", l == 2 ? "#endif\n" : "");
  }
  pki_text_add(text, ports == 0 ? "  (void)in;\n}\n" : "}\n");
}

static void add_rows(const pki_codegen *c, pki_text *text)
{
  const pki_graph *g = c->units[0].g;
  pki_text_add(text, "\nstatic const struct {\n  const char *name;\n  int count;\n  const double *values;\n} "
                     "inputs[] = {\n");
  for (int p = 0; p < g->nport; p++) {
    pki_text_addf(text, "  {\"%s\", %d, in_%s},\n", g->ports[p].name, g->ports[p].count, g->ports[p].name);
  }
  pki_text_addf(text, "};\nenum { INPUTS = %d, OUTPUTS = %d };\n", g->nport, PKI_OUTPUTS);
  pki_text_add(text,
               "\nstatic const struct {\n  const char *name;\n"
               "  void (*call)(int lanes, double *const *in, double *const *out);\n"
               "  int noutput, count[OUTPUTS];\n  const double *expected, *scale;\n} functions[] = {\n");
  for (int i = 0; i < c->count; i++) {
    const pki_function *f = &c->units[i].f;
    pki_text_addf(text, "  {\"%s\", call_%s, %d, {", f->name, f->name, f->noutput);
    for (int k = 0; k < f->noutput; k++) {
      pki_text_addf(text, "%s%d", k > 0 ? ", " : "", f->outputs[k].count);
    }
    pki_text_addf(text, "}, expected_%s, scale_%s},\n", f->name, f->name);
  }
  pki_text_addf(text, "};\nenum { FUNCTIONS = %d };\n\n", c->count);
}

static const char body[] =
    "/* Room for n numbers of each lane. */\n"
    "static double *room(int n, int lanes)\n"
    "{\n"
    "  const size_t size = ((size_t)n * (size_t)lanes * sizeof(double) + 127) / 64 * 64;\n"
    "  double *x = aligned_alloc(64, size);\n"
    "  if (x == NULL) {\n"
    "    fprintf(stderr, \"out of memory\\n\");\n"
    "    exit(1);\n"
    "  }\n"
    "  memset(x, 0xff, size);\n"
    "  return x;\n"
    "}\n"
    "\n"
    "/* The larger error; what is no number stays. */\n"
    "static double larger(double a, double b)\n"
    "{\n"
    "  return isnan(a) || b <= a ? a : b;\n"
    "}\n"
    "\n"
    "/* States s, s + 1, ... beside each other; the largest error of all of them, in units of their scales. "
    "*/\n"
    "static double compare(int function, int lanes, int s)\n"
    "{\n"
    "  double *in[INPUTS], *out[OUTPUTS] = {0}, worst = 0;\n"
    "  int all = 0, at = 0;\n"
    "  for (int p = 0; p < INPUTS; p++) {\n"
    "    in[p] = room(inputs[p].count, lanes);\n"
    "    for (int k = 0; k < inputs[p].count * lanes; k++) {\n"
    "      in[p][k] = inputs[p].values[(s + k % lanes) % STATES * inputs[p].count + k / lanes];\n"
    "    }\n"
    "  }\n"
    "  for (int i = 0; i < functions[function].noutput; i++) {\n"
    "    out[i] = room(functions[function].count[i], lanes);\n"
    "    all += functions[function].count[i];\n"
    "  }\n"
    "  functions[function].call(lanes, in, out);\n"
    "  for (int i = 0; i < functions[function].noutput; i++) {\n"
    "    for (int k = 0; k < functions[function].count[i] * lanes; k++) {\n"
    "      const int e = (s + k % lanes) % STATES * all + at + k / lanes;\n"
    "      const double error = fabs(out[i][k] - functions[function].expected[e]) / "
    "functions[function].scale[e];\n"
    "      worst = larger(worst, error);\n"
    "    }\n"
    "    at += functions[function].count[i];\n"
    "    free(out[i]);\n"
    "  }\n"
    "  for (int p = 0; p < INPUTS; p++) {\n"
    "    free(in[p]);\n"
    "  }\n"
    "  return worst;\n"
    "}\n"
    "\n"
    "int main(void)\n"
    "{\n"
    "  int bad = 0;\n"
    "  for (int f = 0; f < FUNCTIONS; f++) {\n"
    "    for (int lanes = 1; lanes <= MOST_LANES; lanes += lanes == 1 ? 3 : 4) {\n"
    "      double worst = 0;\n"
    "      for (int s = 0; s < STATES; s++) {\n"
    "        worst = larger(worst, compare(f, lanes, s));\n"
    "      }\n"
    "      const int good = worst <= 1e-12;\n"
    "      printf(\"%-18s %d lane%s  %d states  error %.1e of 1e-12  %s\\n\", functions[f].name, lanes,\n"
    "             lanes > 1 ? \"s\" : \" \", STATES, worst, good ? \"good\" : \"WRONG\");\n"
    "      bad += !good;\n"
    "    }\n"
    "  }\n"
    "  return bad > 0;\n"
    "}\n";

bool pki_codegen_test(const pki_codegen *c, pki_text *text)
{
  pki_expect e;
  if (!pki_expect_init(&e, c->m)) {
    return false;
  }
  pki_text_addf(
      text,
      "/* Self-test of %s, made by pronk: states, and what Pronk %s's generic kernels say of them. An error "
      "counts relative "
      "to what a\n"
      " * rounding error of one in the inputs would change; derivatives were compared with differences. */\n"
      "#include <math.h>\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n\n#include "
      "\"%s.h\"\n\n"
      "enum { STATES = %d };\n\n#ifdef %s_TEST_X8\nenum { MOST_LANES = 8 };\n#else\nenum { MOST_LANES = 4 "
      "};\n"
      "#endif\n\n",
      c->name, pk_version(), c->name, c->states, c->capitals);
  add_inputs(c, &e, text);
  bool good = true;
  for (int i = 0; i < c->count && good; i++) {
    good = add_expected(c, &e, &c->units[i].f, text);
    add_call(c, &c->units[i].f, text);
  }
  add_rows(c, text);
  pki_text_add(text, body);
  pki_expect_free(&e);
  return good;
}
