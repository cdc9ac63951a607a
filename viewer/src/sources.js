// What colours of bodies come from: the load of their joint, or how warm its motor is.
import { number } from './dom.js';

/** N m, the largest torque of a joint: the lesser of the model's and that of its motor's current; 0: not known. */
export function loadLimit(joint, motor) {
  const known = [joint.effort, motor?.current == null ? null : motor.constant * motor.current];
  const limits = known.filter((limit) => Number.isFinite(limit) && limit > 0);
  return limits.length > 0 ? Math.min(...limits) : 0;
}

/**
 * What gives a body its colour: the part |value - least| / (most - least) of a column.
 * @typedef {{body: number, channel: string, column: number, least: number, most: number}} Source
 */

/** @returns {Source[]} */
function loads({ scene, motors, channels }) {
  if (!channels.some(({ name }) => name === 'joints/force')) return [];
  const found = (scene.joints ?? []).map((joint) => ({
    body: joint.body ?? -1,
    channel: 'joints/force',
    column: joint.column,
    least: 0,
    most: loadLimit(
      joint,
      motors.find(({ name }) => name === joint.name),
    ),
  }));
  return found.filter(({ body, most }) => body >= 0 && most > 0);
}

/** @returns {Source[]} */
function temperatures({ scene, motors, channels }) {
  const columns = channels.find(({ name }) => name === 'actuators/temperature')?.columns ?? [];
  const found = motors.map((motor) => ({
    body: (scene.joints ?? []).find((joint) => joint.name === motor.name)?.body ?? -1,
    channel: 'actuators/temperature',
    column: columns.indexOf(motor.name),
    least: motor.ambient,
    most: motor.temperature ?? NaN,
  }));
  return found.filter(({ body, column, least, most }) => body >= 0 && column >= 0 && most > least);
}

/** By what bodies can have their colours. */
export const MODES = {
  none: { label: 'nothing', find: () => [] },
  load: { label: 'load', find: loads, title: 'torque, as part of its limit', ends: () => ['0', '100 %'] },
  temperature: {
    label: 'temperature',
    find: temperatures,
    title: 'temperature of windings',
    // Motors that differ share no scale in degrees.
    ends: (sources) =>
      sources.every(({ least, most }) => least === sources[0].least && most === sources[0].most)
        ? [`${number(sources[0].least)} °C`, `${number(sources[0].most)} °C`]
        : ['of the air', 'largest'],
  },
};

/**
 * The part of each body; not a number: it has none.
 * @param {Source[]} sources
 * @param {(i: number) => number} value of a source
 * @param {Float32Array} part [nbody]
 */
export function spread(sources, value, part) {
  part.fill(NaN);
  sources.forEach(({ body, least, most }, i) => {
    const share = Math.abs(value(i) - least) / (most - least);
    // Several joints may move one body: the worst one counts.
    if (!(part[body] >= share)) part[body] = share;
  });
}
