#include "support/robot_source.h"

static void begin(pki_text *out, const char *name, const char *arguments)
{
  pki_text_addf(out, "\nvoid NAME(robot_%s)(%s)\n{\n", name, arguments);
}

/* M = L' D L, the diagonal 1/D (dynamics/kernels/ltl.c). */
static void add_factor(const pk_model *m, pki_text *out)
{
  begin(out, "factor", "const r *M, r *L");
  pki_text_addf(out, "  for (int e = 0; e < %d; e++) {\n    L[e] = M[e];\n  }\n  r a;\n", m->nM);
  for (int k = m->nu - 1; k >= 0; k--) {
    const int row = m->M_row[k], end = m->M_row[k + 1] - 1;
    pki_text_addf(out, "  L[%d] = 1.0 / L[%d];\n", end, end);
    for (int e = end - 1; e >= row; e--) {
      const int above = m->M_row[m->M_col[e]];
      pki_text_addf(out, "  a = L[%d] * L[%d];\n", e, end);
      for (int j = row; j <= e; j++) {
        pki_text_addf(out, "  L[%d] -= a * L[%d];\n", above + j - row, j);
      }
      pki_text_addf(out, "  L[%d] = a;\n", e);
    }
  }
  pki_text_add(out, "}\n");
}

static void add_finish(const pk_model *m, pki_text *out)
{
  for (int k = 0; k < m->nu; k++) {
    for (int e = m->M_row[k]; e < m->M_row[k + 1] - 1; e++) {
      pki_text_addf(out, "  x[%d] -= L[%d] * x[%d];\n", k, e, m->M_col[e]);
    }
  }
  pki_text_add(out, "}\n");
}

static void add_solve(const pk_model *m, pki_text *out, bool whole)
{
  begin(out, whole ? "solve" : "finish", "const r *L, const r *b, r *x");
  pki_text_addf(out, "  for (int k = 0; k < %d; k++) {\n    x[k] = b[k];\n  }\n", m->nu);
  for (int k = m->nu - 1; k >= 0 && whole; k--) {
    for (int e = m->M_row[k]; e < m->M_row[k + 1] - 1; e++) {
      pki_text_addf(out, "  x[%d] -= L[%d] * x[%d];\n", m->M_col[e], e, k);
    }
  }
  for (int k = 0; k < m->nu && whole; k++) {
    pki_text_addf(out, "  x[%d] *= L[%d];\n", k, m->M_row[k + 1] - 1);
  }
  add_finish(m, out);
}

pk_status robot_source(const pk_model *m, pki_text *out, pk_error *err)
{
  if (m->nplan != m->nu) {
    return pki_fail(err, PK_ERROR_UNSUPPORTED, (pki_where){.field = "model"},
                    "no code is written for models with constraints");
  }
  pki_text_add(out, "#if ROBOT_LANES == 1\n"
                    "typedef double r;\n#define NAME(name) name\n#else\n"
                    "typedef double r __attribute__((vector_size(8 * ROBOT_LANES)));\n"
                    "#define JOIN(name, lanes) name##_x##lanes\n"
                    "#define WITH(name, lanes) JOIN(name, lanes)\n"
                    "#define NAME(name) WITH(name, ROBOT_LANES)\n#endif\n");
  add_factor(m, out);
  add_solve(m, out, true);
  add_solve(m, out, false);
  return PK_OK;
}
