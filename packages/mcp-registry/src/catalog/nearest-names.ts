import { compareText } from './compare-text.js';
import type { ToolView } from './tool-view.js';

const MAX_COMPARED = 80;
const MAX_OFFERED = 3;

/** Public names of the tools whose names are nearest to `wanted`, best first. Empty if none is near. */
export function nearestNames(wanted: string, tools: readonly ToolView[]): readonly string[] {
  const key = toKey(wanted);
  if (key === '') return [];
  const near = tools.flatMap(({ name, tool }) => {
    const distance = Math.min(distanceTo(key, toKey(name)), distanceTo(key, toKey(tool)));
    return distance > 0.4 ? [] : [{ name, distance }];
  });
  near.sort((left, right) => left.distance - right.distance || compareText(left.name, right.name));
  return near.slice(0, MAX_OFFERED).map(({ name }) => name);
}

function toKey(name: string): string {
  return name
    .slice(0, MAX_COMPARED)
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_');
}

/** 0 for the same, 1 for nothing in common. A name that is a whole part of the other is near. */
function distanceTo(wanted: string, name: string): number {
  if (wanted === name) return 0;
  const [short, long] = wanted.length < name.length ? [wanted, name] : [name, wanted];
  if (short.length >= 3 && `_${long}_`.includes(`_${short}_`)) return 0.1 + 0.2 * (1 - short.length / long.length);
  const budget = Math.floor(long.length * 0.4);
  return long.length - short.length > budget ? 1 : editDistance(short, long) / long.length;
}

/** Levenshtein's distance, two rows at a time. */
function editDistance(left: string, right: string): number {
  let above = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const change = (above[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      current.push(Math.min(change, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    above = current;
  }
  return above[right.length] ?? 0;
}
