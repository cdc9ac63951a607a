// What Pronk computed for MJCF files of today's features, against the official MuJoCo for JavaScript.
//
//   node mjcf_modern.mjs MUJOCO.JS FOLDER
//
// FOLDER holds NAME.xml and NAME.json, as test_peers_mjcf --write makes them: counts and mass, and at some states the mass
// matrix, accelerations without constraints, and sensor values.
import fs from 'fs';
import path from 'path';
import { pathToFileURL } from 'url';

const TOLERANCE = 1e-9;
// MuJoCo finds principal axes of inertia to about 1e-11, which light links at the end of a chain make more of.
const TOLERANCE_OF_ACCELERATIONS = 1e-8;
const [library, folder] = process.argv.slice(2);
const mujoco = await (await import(pathToFileURL(library))).default();

/** The largest number, or 1 where that is more. */
function scaleOf(list) {
  return list.reduce((most, x) => Math.max(most, Math.abs(x)), 1);
}

/** The largest difference of two lists as a part of that. */
function difference(ours, theirs) {
  if (ours.length !== theirs.length) {
    return Infinity;
  }
  const worst = ours.reduce((most, x, i) => (Number.isFinite(x) ? Math.max(most, Math.abs(x - theirs[i])) : Infinity), 0);
  return worst / scaleOf(theirs);
}

function id(model, kind, name) {
  return mujoco.mj_name2id(model, mujoco.mjtObj[`mjOBJ_${kind}`].value, name);
}

/** Sensors by name, for Pronk has those of each tree together. A quaternion and its negative are one attitude. */
function compareSensors(model, data, places, values) {
  let worst = 0;
  for (const [name, [first, dim]] of Object.entries(places)) {
    const start = model.sensor_adr[id(model, 'SENSOR', name)];
    const theirs = data.sensordata.slice(start, start + dim);
    let ours = values.slice(first, first + dim);
    if (dim === 4 && ours.reduce((sum, x, i) => sum + x * theirs[i], 0) < 0) {
      ours = ours.map((x) => -x);
    }
    worst = Math.max(worst, difference(ours, theirs) * scaleOf(theirs));
  }
  return worst / scaleOf(data.sensordata);
}

function compare(name) {
  const ours = JSON.parse(fs.readFileSync(path.join(folder, `${name}.json`), 'utf8'));
  const model = mujoco.MjModel.from_xml_string(fs.readFileSync(path.join(folder, `${name}.xml`), 'utf8'));
  model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT.value;
  const data = new mujoco.MjData(model);
  const mass = model.body_mass.reduce((sum, m) => sum + m, 0);
  const worst = {
    counts: ours.nq === model.nq && ours.nv === model.nv && ours.nu === model.nu ? 0 : Infinity,
    mass: Math.abs(ours.mass - mass) / mass, M: 0, a: 0, sensors: 0,
  };
  const M = new mujoco.DoubleBuffer(model.nv * model.nv);
  for (const state of ours.states) {
    data.qpos.set(state.q);
    data.qvel.set(state.u);
    ours.actuators.forEach((actuator, i) => { data.ctrl[id(model, 'ACTUATOR', actuator)] = state.ctrl[i]; });
    mujoco.mj_forward(model, data);
    mujoco.mj_fullM(model, data, M);
    worst.M = Math.max(worst.M, difference(state.M, M.GetView()));
    worst.a = Math.max(worst.a, difference(state.a, data.qacc));
    worst.sensors = Math.max(worst.sensors, compareSensors(model, data, ours.sensors, state.sensors));
  }
  M.delete();
  data.delete();
  model.delete();
  return worst;
}

let failed = 0;
const names = fs.readdirSync(folder).filter((f) => f.endsWith('.json')).map((f) => f.slice(0, -5)).sort();
const largest = {};
for (const name of names) {
  const worst = compare(name);
  for (const [what, value] of Object.entries(worst)) {
    largest[what] = Math.max(largest[what] ?? 0, value);
    if (!(value <= (what === 'a' ? TOLERANCE_OF_ACCELERATIONS : TOLERANCE))) {
      console.error(`${name}: ${what} differ by ${value}`);
      failed++;
    }
  }
}
console.log(`${names.length} files against MuJoCo ${mujoco.mj_versionString()}: largest differences`, largest);
process.exit(failed > 0 || names.length === 0 ? 1 : 0);
