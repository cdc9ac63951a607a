// The scale of colours from nothing to a limit.
import { Color, SRGBColorSpace } from 'three';

export const STOPS = ['#2f6fbf', '#3fb68b', '#f2d64b', '#d7261e']; // from none to all, evenly
const colours = STOPS.map((stop) => new Color().setStyle(stop, SRGBColorSpace));

/** The colour of a part of the limit; beyond it the last one. @param {number} part @param {Color} out */
export function scaleColour(part, out) {
  const at = Math.min(1, Math.max(0, part)) * (colours.length - 1),
    first = Math.min(Math.floor(at), colours.length - 2);
  return out.lerpColors(colours[first], colours[first + 1], at - first);
}
