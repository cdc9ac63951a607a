"""Every scenario, gait and sizing study satisfies the schema that `pronk schema` prints, wrong ones do not, and both judges agree."""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

try:
    import jsonschema
    import yaml
except ImportError as missing:
    print(f"skipped: {missing} (scripts/bootstrap test installs it)")
    sys.exit(77)

import json

PRONK, SOURCE = sys.argv[1], Path(sys.argv[2])


class Core(yaml.SafeLoader):
    """Scalars of YAML 1.2's core schema, as pronk reads them."""


Core.yaml_implicit_resolvers = {}
for tag, pattern, first in [
    ("null", r"^(?:~|null|Null|NULL|)$", "~nN" ),
    ("bool", r"^(?:true|True|TRUE|false|False|FALSE)$", "tTfF"),
    ("int", r"^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$", "-+0123456789"),
    ("float", r"^(?:[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$",
     "-+0123456789."),
]:
    Core.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(pattern), list(first) + ([""] if tag == "null" else []))

GOOD = {
    "everything": """
models:
  - starleth
  - {model: starleth, prefix: b_, root: free, position: [0, 2, 0.5], rpy: [0, 0, 1], joints: {LF_KFE: -1},
     surfaces: {LF_FOOT: rubber}}
gravity: [0, 0, -1.62]
coordinates: minimal
terrain:
  - {shape: plane, material: ice}
  - {shape: box, size: [1, 1, 0.1], position: [3, 0, 0]}
  - {shape: stairs, position: [5, 0, 0], depth: 0.3, height: 0.1, width: 1, count: 3}
  - {shape: heights, position: [9, 0, 0], cell: 0.5, heights: [[0, 0], [0, 1]]}
  - {shape: heights, rpy: [0, 0, 1], cell: 0.5, file: GROUND/hills.csv, scale: 0.3}
  - {shape: heights, cell: 0.5, function: rough, nx: 9, ny: 9, amplitude: 0.1, length: 2, seed: 4}
  - {shape: mesh, file: GROUND/rock.obj, scale: 1e-3, position: [0, 0, 1]}
  - {shape: sphere, size: 0.5}
  - {shape: ellipsoid, size: [0.5, 1, 2], rpy: [0, 1, 0]}
objects:
  - {name: ball, shape: sphere, size: 0.1, mass: 2, count: [2, 1, 3], spacing: [0.5, 0, 0.5], position: [0, 5, 1]}
  - {shape: convex, file: GROUND/rock.obj, surface: stone, position: [0, -5, 1]}
materials: {ice: {friction: 0.1}}
pairs: [{surface: rubber, material: ice, friction: 0.3}]
step: {preset: gehring-2014, dt: 2.5e-3, joint_limits: false}
controller: {name: locomotion, gait: trot, feet: [LF_FOOT, RF_FOOT, LH_FOOT, RH_FOOT],
  gaits: [{at: 2, gait: gallop, forward: 1}, {at: 4, gait: stand}]}
actuators: [{joints: 'b_*', effort: .inf, damping: 0.1}]
constraints:
  - {kind: distance, link: base, to: b_base, length: 2.0591260281974}
push: [{link: base, at: 0.5, for: 0.1, force: [0, 10, 0]}]
disturb: [{link: base, every: 1, for: 0.1, force: 5}]
vary: [{what: mass, link: base, from: 0.9, to: 1.1}, {what: position, axis: x, from: -1, to: 1}]
world: 3
record: {rate: 100, channels: [state/*], compression: lz4}
duration: 1
certify: 1e-6
seed: 7
""",
    "least": "model: pendulum\nduration: 1\n",
    "name of a controller": "model: pendulum\ncontroller: hold\nduration: 1\n",
}

REST = "model: starleth\nduration: 1\n"
WRONG = [
    "model: starleth\n",
    "duration: 1\n",
    REST + "models: [starleth]\n",
    "models: []\nduration: 1\n",
    REST + "terain: []\n",
    "model: starleth\nduration: long\n",
    "model: starleth\nduration: -1\n",
    REST + "seed: 1.5\n",
    REST + "gravity: [0, 0]\n",
    REST + "coordinates: extended\n",
    "duration: 1\nmodel: {model: starleth, rot: free}\n",
    "duration: 1\nmodel: {model: starleth, root: fre}\n",
    "duration: 1\nmodel: {model: starleth, rpy: [0, 0, 1], quaternion: [1, 0, 0, 0]}\n",
    REST + "terrain: [{shape: plain}]\n",
    REST + "terrain: [{shape: box}]\n",
    REST + "terrain: [{shape: plane, size: [1, 1, 1]}]\n",
    REST + "terrain: [{shape: heights, cell: 1, file: a.png, function: waves}]\n",
    REST + "terrain: [{shape: heights, cell: 1, file: a.tif, format: tiff}]\n",
    REST + "terrain: [{shape: heights, file: a.png}]\n",
    REST + "terrain: [{shape: mesh}]\n",
    REST + "objects: [{shape: ball, size: 1}]\n",
    REST + "objects: [{size: 1}]\n",
    REST + "terrain: [{shape: convex, file: a.obj, scale: 0}]\n",
    REST + "terrain: [{shape: sphere}]\n",
    REST + "terrain: [{shape: cone, radius: 1}]\n",
    REST + "terrain: [{shape: heights, cell: 1}]\n",
    REST + "materials: {ice: {frict: 1}}\n",
    REST + "materials: {ice: {friction: -1}}\n",
    REST + "step: {dt: 0}\n",
    REST + "step: {solver: best}\n",
    REST + "step: {joint_limits: yes}\n",
    REST + "controller: hald\n",
    REST + "controller: {kp: 1}\n",
    REST + "controller: {name: hold, gait: trot}\n",
    REST + "controller: {name: locomotion, feet: [a, b]}\n",
    REST + "controller: {name: locomotion, gaits: [{gait: trot}]}\n",
    REST + "controller: {name: locomotion, gaits: [{at: 1, gait: hop}]}\n",
    REST + "actuators: [{joints: LF_HAA}]\n",
    REST + "actuators: [{joints: LF_HAA, effort: -1}]\n",
    REST + "constraints: [{kind: rope, link: base}]\n",
    REST + "constraints: [{kind: distance, link: base}]\n",
    REST + "constraints: [{kind: weld, link: base, length: 1}]\n",
    REST + "push: [{link: base, at: 1, for: 0.2}]\n",
    REST + "disturb: [{link: base, every: 0, for: 0, force: 1}]\n",
    REST + "record: {rate: -1}\n",
    REST + "record: {channels: all}\n",
    REST + "record: {compression: gzip}\n",
]


def accepts(text):
    """What pronk itself says."""
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        file.write(text.replace("GROUND", str(SOURCE / "scenarios/ground")))
        file.flush()
        done = subprocess.run([PRONK, "check", file.name], capture_output=True, text=True,
                              env={"PRONK_MODELS": str(SOURCE / "models"), "PRONK_MOTORS": str(SOURCE / "motors")})
        return done.returncode == 0, done.stdout


schema = json.loads(subprocess.run([PRONK, "schema"], capture_output=True, check=True, text=True).stdout)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
failures = 0


def expect(what, text, good):
    global failures
    errors = [e.message for e in validator.iter_errors(yaml.load(text, Loader=Core))]
    if (not errors) != good:
        failures += 1
        print(f"{what}: the schema {'refuses' if good else 'accepts'} it {errors}")


for path in sorted((SOURCE / "scenarios").glob("*.yaml")):
    expect(path.name, path.read_text(), True)
for what, text in GOOD.items():
    expect(what, text, True)
    good, told = accepts(text)
    if not good:
        failures += 1
        print(f"{what}: pronk refuses it\n{told}")
for text in WRONG:
    expect(repr(text), text, False)
    if accepts(text)[0]:
        failures += 1
        print(f"{text!r}: pronk accepts it")
# Gait files by the schema of theirs.
validator = jsonschema.Draft202012Validator(
    json.loads(subprocess.run([PRONK, "schema", "gait"], capture_output=True, check=True, text=True).stdout))
validator.check_schema(validator.schema)
GAIT = "model: starleth\nfeet: [LF_FOOT, RF_FOOT, LH_FOOT, RH_FOOT]\n"
for path in sorted((SOURCE / "gaits").glob("*.yaml")):
    expect(path.name, path.read_text(), True)
for tail, good in [
    ("gait: {pattern: trot}\n", True),
    ("phases: [{stance: [], duration: [0.1, 1]}]\nclosure: once\nstart: {rest: true, joints: {z: 0.4}}\n", True),
    ("feet: [{link: LF_FOOT, ankle: 3}]\ngait: {pattern: trot}\nmotors: [{joints: '*', motor: maxon-re40, gear: 9}]\n", True),
    ("gait: {pattern: trott}\n", False),
    ("gait: {pattern: trot}\nphases: [{stance: [], duration: 1}]\n", False),
    ("phases: [{stance: []}]\n", False),
    ("phases: [{stance: [], duration: [1]}]\n", False),
    ("gait: {pattern: trot}\nobjective: {torqe: 1}\n", False),
    ("gait: {pattern: trot}\nspeed: fast\n", False),
    ("", False),
]:
    expect(repr(tail), ("model: starleth\n" if tail.startswith("feet") else GAIT) + tail, good)
# Sizing studies by theirs; what is wrong for the schema is wrong for pronk, too.
validator = jsonschema.Draft202012Validator(
    json.loads(subprocess.run([PRONK, "schema", "sizing"], capture_output=True, check=True, text=True).stdout))
validator.check_schema(validator.schema)
studies = sorted((SOURCE / "sizings").glob("*.yaml")) + sorted((SOURCE / "tests/fuzz/corpus/sizing").glob("*.yaml"))
for path in studies:
    expect(path.name, path.read_text(), True)
SIZE = "motions: [{gait: biped-walk}]\ndrives: [{joints: KNEE, motors: maxon-re40}]\n"
for text, good in [
    (SIZE, True),
    (SIZE + "present: [{joints: '*', mass: 0.3}, {joints: KNEE, motor: maxon-re40}]\nrounds: 3\n", True),
    (SIZE + "rank: {mass: 1, heat: 2}\none_voltage: false\n", True),
    ("motions: [{gait: biped-walk}]\n", False),
    (SIZE + "margin: 2\n", False),
    (SIZE + "margn: 0.1\n", False),
    (SIZE + "rounds: 1.5\n", False),
    (SIZE + "present: [{joints: KNEE}]\n", False),
    (SIZE + "present: [{joints: KNEE, mass: 1, motor: maxon-re40}]\n", False),
    (SIZE + "present: [{mass: 1}]\n", False),
    (SIZE.replace("{gait: biped-walk}", "{gait: a, motion: b}"), False),
    (SIZE.replace("{gait: biped-walk}", "{weight: 1}"), False),
    (SIZE.replace("motors: maxon-re40", "gears: [3]"), False),
    (SIZE.replace("motors: maxon-re40", "motors: maxon-re40, gears: [{ratoi: 3}]"), False),
]:
    expect(repr(text), text, good)
    if accepts(text)[0] != good:
        failures += 1
        print(f"{text!r}: pronk {'refuses' if good else 'accepts'} it")
print(f"{len(GOOD)} right, {len(WRONG)} wrong, {failures} failures")
sys.exit(failures != 0)
