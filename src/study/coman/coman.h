/* The compliant humanoid of Zobova et al. 2016: what the parts of the study leave for rows and report. */
#ifndef PKI_STUDY_COMAN_COMAN_H
#define PKI_STUDY_COMAN_COMAN_H

#include "report/report.h"
#include "study/study.h"

enum { PKI_COMAN_ARM = 4, PKI_COMAN_SETS = 8, PKI_COMAN_MOST_MODES = 64 };

/* Runs of section 6. */
typedef enum pki_coman_case {
  PKI_COMAN_HARD,      /* hard contact, 1 ms */
  PKI_COMAN_HARD_LIMP, /* with soft elbows */
  PKI_COMAN_HARD_TWO,  /* at 2 ms */
  PKI_COMAN_HARD_LONG, /* at 4 ms */
  PKI_COMAN_SOFT,      /* compliant surfaces, implicit, 1 ms */
  PKI_COMAN_SOFT_LIMP, /* with soft elbows */
  PKI_COMAN_CONVEX,    /* with friction that hardly creeps */
  PKI_COMAN_RK4,       /* the paper's scheme and step, feet on the ground */
  PKI_COMAN_RK4_CALM, /* the same with heavier wrists and less steep friction of the soles, which RK4 bears */
  PKI_COMAN_LOCKED,   /* as PKI_COMAN_RK4 with the feet locked */
  PKI_COMAN_LARGEST,  /* at the paper's largest step, up to the touch */
  PKI_COMAN_CASES
} pki_coman_case;

/* What a case is called in rows, in words, and what of its scenario it changes. */
typedef struct pki_coman_variant {
  const char *id, *text, *scenario;
  const char *sets[PKI_COMAN_SETS]; /* up to NULL */
  double paper_factor;              /* real-time factor of the paper; NAN: it has none */
  bool slow;                        /* a quick study leaves it out */
  double least_factor;              /* that Pronk is held to on one core; 0: none */
} pki_coman_variant;
extern const pki_coman_variant pki_coman_variants[PKI_COMAN_CASES];

/* Curves of a lift, a value after each step. */
typedef enum pki_coman_channel {
  PKI_COMAN_TIME,                                        /* s */
  PKI_COMAN_REFERENCE,                                   /* rad, of the right arm's motors: four of them */
  PKI_COMAN_MOTOR = PKI_COMAN_REFERENCE + PKI_COMAN_ARM, /* rad, their angles */
  PKI_COMAN_JOINT = PKI_COMAN_MOTOR + PKI_COMAN_ARM,     /* rad, the joints' */
  PKI_COMAN_BOX_FORCE = PKI_COMAN_JOINT + PKI_COMAN_ARM, /* N, all vertical contact forces on the box */
  PKI_COMAN_TABLE_FORCE,                                 /* N, of them that of the table */
  PKI_COMAN_GRASP,                                       /* N, normal force of the right wrist on the box */
  PKI_COMAN_FOOT,                                        /* N, vertical, on the right foot */
  PKI_COMAN_BOX_HEIGHT,                                  /* m */
  PKI_COMAN_BOX_TILT,                                    /* degrees, of its vertical edges */
  PKI_COMAN_SLIP,                                        /* m/s, of the wrist on the box */
  PKI_COMAN_SLIDES, /* 1: friction of a wrist on the box is at its bound */
  PKI_COMAN_CHANNELS
} pki_coman_channel;

typedef struct pki_coman_curves {
  int n;
  double *values[PKI_COMAN_CHANNELS]; /* [n] each; one block */
} pki_coman_curves;

/* One run of the lift. */
typedef struct pki_coman_lift {
  bool ran, fell;
  pk_status status;  /* of the step that failed */
  double dt, factor; /* s; simulated over computing time of the steps alone */
  double touch;      /* s, when both wrists press the box; NAN: they never do */
  double leave;      /* s, when the table carries nothing any more; NAN: it always does */
  double before,
      after; /* N, of the box: carried by the table before the touch; by the wrists after the table, less what accelerates it */
  double settled;      /* s, after which the table's force stays within 1 % of the weight until the touch */
  double lifted, tilt; /* m, degrees, at the end */
  double slip;         /* m/s, mean of the wrist on the box after the table */
  double slid;         /* m, the way of it */
  double creep,
      creep_of_law; /* m/s, slip in the last 0.2 s; what Stribeck friction lets creep under that load */
  double sliding;   /* s after the table in which the friction of a wrist is at its bound */
  double grasp, grasp_most; /* N, mean of the last 0.2 s, largest */
  double deflection;        /* rad, largest of the elbow's spring after the touch */
  double feet;              /* N, vertical on both feet, mean of the last 0.2 s */
  double sway;              /* degrees, largest tilt of the waist */
  long long uncertified;    /* steps; 0 in laws that have no certificate */
  pki_coman_curves curves;
} pki_coman_lift;

/* WALK-MAN's squat, section 7. */
typedef struct pki_coman_squat {
  bool ran, fell;
  double duration, depth;       /* s, m: of the waist */
  double hip_error;             /* rad, mean of the hip's distance from its reference */
  double knee_least, knee_most; /* N m */
  double balance;               /* largest of |Fz - m (g + a)| over m g, after the first second */
  double mass;                  /* kg */
  double factor;
  int n;
  double *time, *hip, *hip_reference, *knee, *foot,
      *expected; /* [n] s, rad, rad, N m, N of both feet, m (g + a) */
} pki_coman_squat;

/* A motor, its spring and the joint alone: its inertia is that of the robot about the joint, all others being free. */
typedef struct pki_coman_mode {
  char joint[32];
  double spring, inertia; /* N m/rad, kg m^2 */
  double fastest[2];      /* 1/s, real and imaginary part of the eigenvalue that limits RK4 */
  double limit;           /* s, of RK4 for this joint */
} pki_coman_mode;

/* Where the limit of explicit steps comes from. */
typedef struct pki_coman_limits {
  int nmode;
  pki_coman_mode modes[PKI_COMAN_MOST_MODES];
  double whole;                              /* s, RK4 limit of the whole linear model with the waist fixed */
  double whole_value[2];                     /* 1/s, its eigenvalue */
  double measured_stable, measured_unstable; /* s, by runs; NAN: not run */
  double wrist_mass;     /* kg, effective, in the direction on the box in which it moves most easily */
  double wrist_rate;     /* 1/s, steepest slope of friction over that mass, at the grasping force */
  double wrist_limit;    /* s */
  double sole_mass[2];   /* kg, effective, along the ground and vertical */
  double friction_rate;  /* 1/s, steepest slope of friction over that mass */
  double friction_limit; /* s */
  double layer_rate;     /* 1/s, of the sole on its elastic layer */
  double layer_limit;    /* s */
} pki_coman_limits;

typedef struct pki_coman_data {
  bool quick;
  pki_coman_lift lifts[PKI_COMAN_CASES];
  pki_coman_squat squat;
  pki_coman_limits limits;
} pki_coman_data;

/* Sets of a scenario with the feet locked: the waist is fixed, and there is no ground. */
#define PKI_COMAN_LOCKED_FEET \
  "model.root=fixed", \
      "terrain=[{shape: box, material: table, position: [0.2, 0, 0.4625], size: [0.2, 0.2, 0.025]}]"

/* The weight of the box, N. */
#define PKI_COMAN_WEIGHT (1.5 * 9.81)

/* coman_lift.c. What a lift leaves is freed by pki_coman_lift_free, also after a failure. */
pk_status pki_coman_lift_run(const pki_coman_variant *variant, const pki_study_watch *watch,
                             pki_coman_lift *out, pk_error *err);
void pki_coman_lift_free(pki_coman_lift *out);

/* coman_squat.c, likewise. */
pk_status pki_coman_squat_run(bool quick, const pki_study_watch *watch, pki_coman_squat *out, pk_error *err);
void pki_coman_squat_free(pki_coman_squat *out);

/* coman_limits.c. A quick study leaves out the runs that measure a limit. */
pk_status pki_coman_limits_compute(bool quick, pki_coman_limits *out, pk_error *err);

/* m/s, the slip u at which Stribeck friction holds a tangential force of `ratio` times the normal one: wrist on box of Table 2, where
 * mu(u) = 1.1 s5(u/v_t), s5(x) = 10 x^3 - 15 x^4 + 6 x^5, and 0.5 u; v_t = 0.01 m/s. NAN: none below v_t. */
double pki_coman_creep(double ratio);

/* The largest step at which RK4 does not let exp(lambda t) grow, lambda = re + i im with re < 0 [s]. */
double pki_coman_rk4_limit(double re, double im);

/* s, the smallest limit of all eigenvalues of A [size][size], and the one that has it: real and imaginary part. An error: A has a motion that
 * grows by itself. */
pk_status pki_coman_linear_limit(const double *A, int size, double *limit, double value[2], pk_error *err);

/* coman_figures.c: Figs. 9 to 12, into the report and into files of the folder. */
pk_status pki_coman_figures(const pki_coman_data *d, const char *folder, pki_report *report, pk_error *err);

void pki_coman_rows(const pki_coman_data *d, pki_study_result *result);
pk_status pki_coman_report(const pki_coman_data *d, const pki_study_options *options,
                           pki_study_result *result, pk_error *err);

#endif
