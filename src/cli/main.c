/* pronk: one command, many words. */
#define _POSIX_C_SOURCE 200809L /* SIGXFSZ */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/build.h"
#include "base/error.h"
#include "cli/cli.h"
#include "cli/terminal.h"
#include "dynamics/kernels.h"
#include "pronk/dynamics.h"

static const pki_command commands[] = {
    {"run", "simulate a scenario: progress, summary, report", "SCENARIO [options]",
     "SCENARIO is a YAML file or the name of a scenario (`pronk list scenarios`). The exit\n"
     "status is 1 when a step fails or, with --certify or a scenario that asks for it, when a\n"
     "step's certificate is above the bound.",
     "pronk run starleth-stand --certify\n  pronk run starleth-trot --set controller.forward=0.2 --duration "
     "5",
     pki_options_run, pki_command_run, NULL},
    {"batch", "a scenario in many worlds at once, each with numbers of its own", "SCENARIO [options]",
     "World k has the numbers that the scenario's `vary` gives it, drawn from seed and k; it is the world\n"
     "of `pronk run SCENARIO --set world=k`, to the bit. Writes DIR/worlds.csv, a row for each, and\n"
     "DIR/report.html. Robots that fall are a result; the exit status is 1 when a world stops early or,\n"
     "where the scenario certifies, a step is above the bound.",
     "pronk batch starleth-rough --worlds 16 --duration 2", pki_options_batch, pki_command_batch, NULL},
    {"view", "a simulation or a recording in a browser", "SCENARIO|RECORDING|MODEL [options]",
     "Serves a page on this machine only and prints its address; on a desktop the browser opens\n"
     "by itself. RECORDING is a .mcap file or the folder of a run. With --json the first line is\n"
     "{url, token, port}. Ctrl-C ends.",
     "pronk view starleth-trot\n  pronk view out/starleth-trot/run.mcap --port 8080", pki_options_view,
     pki_command_view, NULL},
    {"render", "a recording as a video or pictures", "RECORDING|SCENARIO|MODEL [options]",
     "Draws the viewer's picture of a recording with a headless Chromium (PRONK_CHROMIUM names\n"
     "another), and makes a video of them with ffmpeg. A scenario is run first.",
     "pronk render out/starleth-trot -o trot.mp4\n  pronk render starleth-trot --at 2 -o trot.png",
     pki_options_render, pki_command_render, NULL},
    {"compare", "the same run under several settings, side by side", "SCENARIO --vary KEY=A,B,... [options]",
     "Runs every combination of the values and writes DIR/report.html: a row and a curve for each,\n"
     "changes against the first. A variant that is refused or fails is a row with its message; the\n"
     "others run, and the exit status is 1.",
     "pronk compare starleth-trot --vary controller.forward=0.1,0.2,0.3 --duration 5", pki_options_compare,
     pki_command_compare, NULL},
    {"stability", "how far a recorded robot was from tipping over", "RECORDING [options]",
     "Takes the world of a recording anew from the scenario in it, measures its stability at every sample\n"
     "(`pronk list measures`), prints the least and the mean of each, and writes DIR/stability.csv and\n"
     "DIR/report.html. RECORDING is a .mcap file or the folder of a run; it needs the channels state/q,\n"
     "state/u and contacts, which runs record unless told otherwise.",
     "pronk run starleth-trot --duration 2 -o out/trot && pronk stability out/trot", pki_options_stability,
     pki_command_stability, NULL},
    {"sweep", "one scenario under very many settings: a table, maps, the worst cases", "SWEEP [options]",
     "SWEEP is a YAML file or the name of a sweep (`pronk list sweeps`). Samples that are finished are\n"
     "kept in DIR/samples.pronk at once: the same command resumes after Ctrl-C, or after it was\n"
     "killed. Under mpirun or srun all processes share the work. In the end there are results.csv,\n"
     "results.h5, report.html, and recordings of the worst samples.",
     "pronk sweep starleth-trot-quick\n  mpirun -n 4 pronk sweep starleth-trot --output out/trots",
     pki_options_sweep, pki_command_sweep, NULL},
    {"tune", "the numbers of a scenario for which a run is best", "SCENARIO [options]",
     "Searches everywhere, then downhill from the best points (NLopt), for values of any keys of the\n"
     "scenario for which a metric of runs (`pronk list metrics`), or a weighted sum of some, is least or\n"
     "largest. What is computed is kept in DIR/evaluations.pronk at once: the same command resumes after\n"
     "Ctrl-C, or after it was killed, to the same result. Writes best.yaml, which runs, evaluations.csv\n"
     "and report.html with the landscape. The exit status is 1 when it was interrupted, or nothing ran.",
     "pronk tune starleth-trot --vary controller.cycle=0.4:0.9 --metric cost_of_transport --duration 3 "
     "--evaluations 20 -o out/cycle",
     pki_options_tune, pki_command_tune, NULL},
    {"optimize", "the best motion of a robot: gaits, steps, jumps", "GAIT [options]",
     "GAIT is a YAML file or the name of a motion (`pronk list motions`): a robot, its feet and their "
     "phases,\n"
     "limits, what is minimised. A ladder of problems leads from nothing to the one that is asked for; "
     "after\n"
     "each of them DIR/solution.pronk is written, and the same command goes on from there after Ctrl-C, or\n"
     "after it was killed. Writes motion.csv, track.txt, scenario.yaml, which runs the motion in the\n"
     "simulator, summary.json and report.html. The exit status is 1 when it was not solved.",
     "pronk optimize starleth-least-torque --set speed=0.4 -o out/trot\n  pronk run out/trot/scenario.yaml",
     pki_options_optimize, pki_command_optimize, NULL},
    {"size", "motors and gears for the motions of a robot", "STUDY|RECORDING|MOTION... [options]",
     "STUDY is a YAML file or the name of a sizing study (`pronk list sizings`): motions, groups of joints, "
     "and\n"
     "the motors, gears and voltages that they may have. Without one, motions are words: recordings "
     "(run.mcap, or\n"
     "the folder of a run), motion.csv of `pronk optimize`, gaits, which are optimised, and scenarios, which "
     "are\n"
     "run. Each motor with each gear on each voltage is held against the torques and speeds of the joints, "
     "with\n"
     "its own rotor and gear in them; what fits is ranked, what fails says why. Writes DIR/report.html, "
     "parts.csv\n"
     "and candidates.csv. The exit status is 1 when a joint has no drive that fits, or rounds do not agree.",
     "pronk size biped-walk --joints '*_KNEE_PITCH' --motors 'maxon-*' --gears 33,50,66,100 --voltages 24,42",
     pki_options_size, pki_command_size, NULL},
    {"step-limit", "the largest stable step of a scenario", "SCENARIO [options]",
     "Doubles the step until a run is unstable, then halves the interval. Unstable is a run that fails,\n"
     "falls where a reference run at a small step does not, exceeds a factor times the reference's joint\n"
     "speeds or its square times the kinetic energy, or a bound on the mean tracking error. A period of\n"
     "the controller follows the step. The exit status is 1 when not even the first step is stable.",
     "pronk step-limit starleth-stand --duration 2 --cap 0.02", pki_options_step_limit,
     pki_command_step_limit, NULL},
    {"floquet", "whether the gait of a scenario is stable: multipliers of its stride map",
     "SCENARIO [options]",
     "Runs the scenario, without its pushes, until its motion repeats from stride to stride, then changes\n"
     "each coordinate and velocity there by a little, in many worlds at once, and follows all of them for\n"
     "some strides: the derivative of the stride map, and its eigenvalues. Errors die out when all of them\n"
     "are inside of the unit circle. What controllers and contacts remember is found by looking several\n"
     "strides ahead; random errors are followed beside it. The report draws all of it.",
     "pronk floquet starleth-trot", pki_options_floquet, pki_command_floquet, NULL},
    {"info", "what is in a model, a recording or a motor", "MODEL|RECORDING|MOTOR [options]",
     "MODEL is a URDF file, a folder that holds one, the name of a model (`pronk list\n"
     "models`), or chain:N for a generated chain of N links. RECORDING is a .mcap file or the\n"
     "folder of a run. MOTOR is motors/NAME (`pronk list motors`), or a YAML file of your own; its\n"
     "torque-speed line is drawn.",
     "pronk info starleth\n  pronk info motors/maxon-re40\n  pronk info chain:5 --root free --json\n  pronk "
     "info out/starleth-trot/run.mcap",
     pki_options_info, pki_command_info, NULL},
    {"export", "a recording as HDF5, CSV, or a part of it as MCAP", "RECORDING [options]",
     "RECORDING is a .mcap file or the folder of a run. CSV is one file for each channel; an MCAP\n"
     "copy of a recording that was cut off is whole again.",
     "pronk export out/starleth-trot/run.mcap\n  pronk export out/starleth-trot --format csv --channels "
     "feet,com "
     "--from 1 --to 2",
     pki_options_export, pki_command_export, NULL},
    {"convert", "a model as URDF, as MJCF or in Pronk's compiled form", "MODEL OUT [options]",
     "OUT ends in .urdf, .xml (MJCF, MuJoCo's format) or .pkm (compiled: everything, in one file that all\n"
     "commands read like a URDF). Meshes go to the folder meshes beside OUT. What the format cannot hold\n"
     "is a warning, with --strict an error. docs/formats/compiled.md tells what each of them loses.",
     "pronk convert starleth starleth.xml\n  pronk convert starleth starleth.pkm && pronk info starleth.pkm",
     pki_options_convert, pki_command_convert, NULL},
    {"codegen", "a model's dynamics as C code of its own", "MODEL [options]",
     "Writes straight C for this one robot: a header, sources for 1, 4 and 8 robots at a time, a CMake\n"
     "file and a self-test; it needs nothing but libm (docs/codegen.md). Functions: kinematics, points,\n"
     "rnea, bias, crba, factor, solve, aba, energy, momentum, rnea_derivatives, aba_derivatives.",
     "pronk codegen ur10 -o ur10-code --functions aba,crba\n  cmake -S ur10-code -B ur10-code/build && cmake "
     "--build "
     "ur10-code/build && ur10-code/build/test_ur10",
     pki_options_codegen, pki_command_codegen, NULL},
    {"check", "validate a model, a scenario, a gait or a motor and explain what is wrong, and where",
     "MODEL|SCENARIO.yaml|GAIT.yaml|MOTOR.yaml... [options]",
     "Prints every error and warning as FILE:LINE: what. The exit status is 2 when a model,\n"
     "scenario or motor has an error. With --json there is one object for each, one on each line.",
     "pronk check models/starleth/starleth.urdf", pki_options_check, pki_command_check, NULL},
    {"list", "what there is: scenarios, models, motors, ...", "[WHAT] [options]",
     "Without WHAT it lists the lists.", "pronk list models", pki_options_list, pki_command_list, NULL},
    {"solve", "a saved contact or complementarity problem, or where feet stand", "FILE... [options]",
     "FILE is a contact problem: text (.fc) or FCLIB's HDF5 layout (.hdf5, .h5), or a linear\n"
     "complementarity problem (.lcp), which has solvers of its own. Prints how well what was\n"
     "found satisfies the conditions, checked apart from the solver. The exit status is 1\n"
     "when a problem was not solved to the tolerance (with --all: by no solver). With --json\n"
     "there is one object for each file and solver, one on each line. auto tries every solver\n"
     "before it gives up. Problems in the plane (dimension 2) are solved as problems in space.\n"
     "With --stance FILE is a model: joint angles by the closed form of its legs, and forces and torques\n"
     "at rest by the reduced dynamics.",
     "pronk solve problem.fc --solver bgs --tolerance 1e-10\n  pronk solve --stance starleth --trunk 0,0,0.4 "
     "--foot LF_FOOT=0.3,0.2,0.025",
     pki_options_solve, pki_command_solve, NULL},
    {"study", "a paper's tables and figures beside its values", "NAME|all [options]",
     "Writes a report and plots into DIR/NAME. The exit status is 1 when a value misses the\n"
     "paper's.",
     "pronk study pendulum --quick", pki_options_study, pki_command_study, NULL},
    {"bench", "measure this machine: Pronk and its peers", "[NAME] [options]",
     "NAME is one of `pronk list benches`; without it all run.", "pronk bench dynamics --quick",
     pki_options_bench, NULL, pki_command_bench},
    {"schema", "a JSON schema of scenarios, gait files or sizing studies, for editors",
     "[scenario|gait|sizing] [options]",
     "Draft 2020-12, made of the same tables that the files are read by: keys, types, units, defaults,\n"
     "ranges, words.",
     "pronk schema > scenario.schema.json", pki_options_schema, pki_command_schema, NULL},
    {"man", "this program's manual page", "[options]", "Prints pronk.1, which man and groff read.",
     "pronk man > pronk.1", pki_options_man, pki_command_man, NULL},
    {"completion", "completion of commands, options and names for a shell", "bash|zsh|fish [options]",
     "Prints a script. Installed programs bring theirs; a program from a build folder is completed\n"
     "in the shell at hand by the line below.",
     "source <(pronk completion bash)", pki_options_completion, pki_command_completion, NULL},
};

enum { COMMANDS = sizeof commands / sizeof commands[0] };

const pki_command *pki_commands(int *count)
{
  *count = COMMANDS;
  return commands;
}

static void print_overview(FILE *out)
{
  const pki_palette p = pki_palette_for(out);
  fprintf(out, "%spronk%s: dynamics of legged robots\n\n", p.bold, p.plain);
  fprintf(out, "Usage: pronk COMMAND [arguments]\n\nCommands:\n");
  for (int i = 0; i < COMMANDS; i++) {
    fprintf(out, "  %s%-12s%s%s\n", p.bold, commands[i].name, p.plain, commands[i].doc);
  }
  fprintf(out, "\nOptions:\n  --version   version, instruction set, compiler\n  --help      this text\n");
  fprintf(out, "\nExample:\n  pronk info starleth\n\n`pronk COMMAND --help` tells more about one command.\n");
}

static void print_help(const pki_command *c)
{
  const pki_palette p = pki_palette_for(stdout);
  printf("%spronk %s%s: %s\n\nUsage: pronk %s %s\n\n%s\n\nOptions:\n", p.bold, c->name, p.plain, c->doc,
         c->name, c->usage, c->about);
  for (const pki_option *o = c->options; o->name != NULL; o++) {
    char text[64];
    snprintf(text, sizeof text, "%s%.1s%s--%s%s%s", o->letter ? "-" : "", o->letter ? &o->letter : "",
             o->letter ? ", " : "", o->name, pki_option_gap(o), o->value ? o->value : "");
    printf("  %-24s%s\n", text, o->doc);
  }
  printf("  %-24s%s\n  %-24s%s\n\nExample:\n  %s\n", "--json", "the result as JSON", "--help", "this text",
         c->example);
}

static void print_version(void)
{
  printf("pronk %s (%s, %s)\n", pk_version(), pk_isa_name(), pki_build_compiler());
}

static bool wants_help(int argc, char **argv)
{
  for (int i = 0; i < argc && strcmp(argv[i], "--") != 0; i++) {
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
      return true;
    }
  }
  return false;
}

/* The library falls back silently on an instruction set that is not there; the user is told. */
static bool check_isa(void)
{
  const char *asked = getenv("PRONK_ISA");
  if (asked == NULL || asked[0] == '\0' || pki_kernels_find(asked, 1) != NULL) {
    return true;
  }
  static const char *const known[] = {"base", "avx2", "avx512"};
  char have[64] = "";
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    if (pki_kernels_find(known[i], 1) != NULL) {
      snprintf(have + strlen(have), sizeof have - strlen(have), "%s%s", have[0] ? ", " : "", known[i]);
    }
  }
  pki_complain("", "PRONK_ISA is '%s', but this machine has: %s", asked, have);
  return false;
}

/* The list of what there is must not depend on asking for it rightly. */
static bool lists_isas(const pki_args *args)
{
  return args->command->run == pki_command_list && args->nword == 1 && strcmp(args->words[0], "isas") == 0;
}

static int run_command(const pki_command *c, int argc, char **argv)
{
  const bool help = wants_help(argc - 1, argv + 1);
  if (c->raw != NULL) {
    return help || check_isa() ? c->raw(argc, argv) : PKI_EXIT_USAGE;
  }
  if (help) {
    print_help(c);
    return PKI_EXIT_OK;
  }
  pki_args args;
  int code = pki_args_parse(c, argc - 1, argv + 1, &args);
  if (code == PKI_EXIT_OK) {
    code = lists_isas(&args) || check_isa() ? c->run(&args) : PKI_EXIT_USAGE;
  }
  pki_args_free(&args);
  return code;
}

static int unknown_command(const char *word)
{
  const char *words[COMMANDS];
  for (int i = 0; i < COMMANDS; i++) {
    words[i] = commands[i].name;
  }
  const char *nearest = pki_nearest_word(word, words, COMMANDS);
  pki_complain("", "unknown %s '%s'%s%s%s (pronk --help lists them)", word[0] == '-' ? "option" : "command",
               word, nearest ? "; did you mean '" : "", nearest ? nearest : "", nearest ? "'?" : "");
  return PKI_EXIT_USAGE;
}

static int dispatch_command(int argc, char **argv)
{
  if (argc < 2) {
    print_overview(stderr);
    return PKI_EXIT_USAGE;
  }
  const char *word = argv[1];
  if (strcmp(word, "--version") == 0 || strcmp(word, "version") == 0) {
    print_version();
    return PKI_EXIT_OK;
  }
  /* `pronk help info` is `pronk info --help`; `pronk help help` is `pronk --help` */
  const bool help = strcmp(word, "help") == 0;
  word = help && argc > 2 ? argv[2] : word;
  if (strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
    print_overview(stdout);
    return PKI_EXIT_OK;
  }
  char help_option[] = "--help";
  char *help_argv[] = {argv[help ? 2 : 1], help_option, NULL};
  for (int i = 0; i < COMMANDS; i++) {
    if (strcmp(commands[i].name, word) == 0) {
      return help ? run_command(&commands[i], 2, help_argv) : run_command(&commands[i], argc - 1, argv + 1);
    }
  }
  return unknown_command(word);
}

int main(int argc, char **argv)
{
  /* a file that reaches the limit of its size (ulimit -f) is a write that fails with EFBIG, not the end of the program;
   * the choice is the program's, so that it is made here and not in the library */
  signal(SIGXFSZ, SIG_IGN);
  const int code = dispatch_command(argc, argv);
  /* what could not be written was no success */
  if (fflush(stdout) != 0 || ferror(stdout)) {
    pki_complain("", "the output could not be written");
    return code == PKI_EXIT_OK ? PKI_EXIT_FAILURE : code;
  }
  return code;
}
