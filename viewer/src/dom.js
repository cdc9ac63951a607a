// Small helpers to make elements.

/**
 * An element with attributes and children. Keys that start with "on" are listeners, others are
 * attributes; true and false set and leave out.
 * @param {string} tag "button.icon#play": a tag, classes, an id
 * @param {Record<string, any>} [attributes]
 * @param {...(Node|string|null)} children
 * @returns {any}
 */
export function element(tag, attributes = {}, ...children) {
  const [, name, rest] = tag.match(/^([a-z0-9]+)(.*)$/);
  const made = document.createElement(name);
  for (const part of rest.match(/[.#][\w-]+/g) ?? []) {
    if (part[0] === '#') made.id = part.slice(1);
    else made.classList.add(part.slice(1));
  }
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith('on')) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, '');
    else if (value !== false && value != null) made.setAttribute(key, String(value));
  }
  for (const child of children) if (child != null) made.append(child);
  return made;
}

const SVG = 'http://www.w3.org/2000/svg';

// One path each in a 24 by 24 box; drawn as lines.
const PATHS = {
  play: 'M7 4l13 8-13 8z',
  pause: 'M8 5v14M16 5v14',
  forward: 'M6 5l9 7-9 7zM18 5v14',
  back: 'M18 5l-9 7 9 7zM6 5v14',
  reset: 'M4 12a8 8 0 1 0 2.6-5.9M4 4v5h5',
  slower: 'M5 12h14',
  faster: 'M5 12h14M12 5v14',
  camera: 'M4 8h4l2-3h4l2 3h4v11H4zM12 16.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7z',
  help: 'M9 9a3 3 0 1 1 4.4 2.7c-1 .6-1.4 1-1.4 2.3M12 17.5v.5',
  panel: 'M4 5h16v14H4zM14 5v14',
  push: 'M4 20L18 6M9 5.5h9.5V15',
  close: 'M6 6l12 12M18 6L6 18',
  follow: 'M12 3v4M12 17v4M3 12h4M17 12h4M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6z',
};

/**
 * @param {keyof PATHS} name
 * @returns {SVGElement}
 */
export function icon(name) {
  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('viewBox', '0 0 24 24');
  svg.setAttribute('aria-hidden', 'true');
  const path = document.createElementNS(SVG, 'path');
  path.setAttribute('d', PATHS[name]);
  svg.append(path);
  return svg;
}

/** A number for people: at most `digits` significant digits, no trailing zeros. */
export function number(value, digits = 4) {
  if (value == null || !Number.isFinite(value)) return '–';
  if (value === 0) return '0';
  const size = Math.abs(value);
  if (size >= 1e6 || size < 1e-4) return value.toExponential(Math.max(0, digits - 2));
  return String(Number(value.toPrecision(digits)));
}

/** Follows the system's theme: calls back now and at each change. */
export function onTheme(callback) {
  const query = window.matchMedia('(prefers-color-scheme: dark)');
  query.addEventListener('change', () => callback(query.matches));
  callback(query.matches);
}
