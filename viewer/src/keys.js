// The keyboard: one table that acts and that the help shows.
import { TOGGLES } from './world.js';

/**
 * @typedef {{keys: string[], shown: string, doc: string, act: (viewer: any) => void, replay?: boolean}} Key
 */

/** @type {Key[]} */
export const KEYS = [
  { keys: [' '], shown: 'Space', doc: 'play or pause', act: (v) => v.playPause() },
  { keys: ['ArrowRight'], shown: '→', doc: 'one step on', act: (v) => v.step(1) },
  { keys: ['ArrowLeft'], shown: '←', doc: 'one step back (replay)', act: (v) => v.step(-1) },
  { keys: ['+', '='], shown: '+', doc: 'faster', act: (v) => v.faster(2) },
  { keys: ['-', '_'], shown: '−', doc: 'slower', act: (v) => v.faster(0.5) },
  { keys: ['Backspace'], shown: 'Backspace', doc: 'start again', act: (v) => v.reset() },
  { keys: ['Escape'], shown: 'Esc', doc: 'let go, deselect, close', act: (v) => v.release() },
  { keys: ['F1', '?'], shown: 'F1 or ?', doc: 'this help', act: (v) => v.help.flip() },
  { keys: ['p'], shown: 'P', doc: 'screenshot (PNG)', act: (v) => v.screenshot() },
  { keys: ['v'], shown: 'V', doc: 'camera follows the selected body, or the trunk', act: (v) => v.followFlip() },
  { keys: ['1'], shown: '1', doc: 'view from the corner', act: (v) => v.look('iso') },
  { keys: ['2'], shown: '2', doc: 'from the side', act: (v) => v.look('side') },
  { keys: ['3'], shown: '3', doc: 'from the front', act: (v) => v.look('front') },
  { keys: ['4'], shown: '4', doc: 'from above', act: (v) => v.look('top') },
  { keys: ['5'], shown: '5', doc: 'from behind, turning with the robot', act: (v) => v.look('follow') },
  { keys: ['6'], shown: '6', doc: 'from below, through the ground', act: (v) => v.look('below') },
  { keys: ['h'], shown: 'H', doc: 'colour bodies by load, by temperature, not', act: (v) => v.tint.flip() },
  { keys: ['l'], shown: 'L', doc: 'show or hide the panel', act: (v) => v.panel.flip() },
];

export const MOUSE = [
  ['left drag', 'orbit'],
  ['right drag', 'pan'],
  ['wheel', 'zoom'],
  ['double-click', 'select a body'],
  ['ctrl + drag', 'push the body under the pointer, or the selected one'],
  ['one finger', 'orbit'],
  ['two fingers', 'pan and zoom'],
  ['double tap', 'select a body'],
];

/** True when a key belongs to what has the focus: a field, a slider, a button. */
function isTaken(event) {
  const { target } = event;
  if (!(target instanceof HTMLElement)) return false;
  if (target.matches('input[type=range]')) return event.key.startsWith('Arrow');
  if (target.matches('input, select, textarea')) return event.key !== 'Escape' && event.key !== 'F1';
  return target.matches('button, summary') && (event.key === ' ' || event.key === 'Enter');
}

/** Listen; `viewer` acts. */
export function listen(viewer) {
  window.addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || isTaken(event)) return;
    const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
    const key = KEYS.find(({ keys }) => keys.includes(name));
    const toggle = TOGGLES.find((candidate) => candidate.key === name);
    if (!key && !toggle) return;
    event.preventDefault();
    if (key) key.act(viewer);
    else viewer.toggle(toggle.id);
  });
}
