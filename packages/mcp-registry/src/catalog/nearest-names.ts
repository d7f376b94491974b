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

/** 0 for texts that say the same, 1 for nothing in common; up to 0.4 one may have been meant for the other. */
export function distanceBetween(left: string, right: string): number {
  return distanceTo(toKey(left), toKey(right));
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
  // Most names are told apart by their letters alone, which is what makes a miss among ten thousand bearable.
  if (long.length - short.length > budget || lettersMissing(short, long) > budget) return 1;
  return editDistance(short, long) / long.length;
}

const counts = new Uint8Array(256);

/** How many letters of one text the other has none for: so many changes are needed at least. */
function lettersMissing(short: string, long: string): number {
  counts.fill(0);
  for (let index = 0; index < short.length; index++) {
    const letter = short.charCodeAt(index) & 255; // two letters in one place make the count too small, never too large
    counts[letter] = (counts[letter] ?? 0) + 1;
  }
  let missing = 0;
  for (let index = 0; index < long.length; index++) {
    const letter = long.charCodeAt(index) & 255;
    const left = counts[letter] ?? 0;
    if (left === 0) missing++;
    else counts[letter] = left - 1;
  }
  return missing;
}

/** How many letters are to be changed, added, taken out or swapped with their neighbour. Keeps three rows. */
function editDistance(left: string, right: string): number {
  let twoAbove: number[] = [];
  let above = Array.from({ length: right.length + 1 }, (_, column) => column);
  for (let row = 1; row <= left.length; row++) {
    const current = [row];
    for (let column = 1; column <= right.length; column++) {
      const change = (above[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1);
      let distance = Math.min(change, (above[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1);
      const isSwap = left[row - 1] === right[column - 2] && left[row - 2] === right[column - 1];
      if (row > 1 && column > 1 && isSwap) distance = Math.min(distance, (twoAbove[column - 2] ?? 0) + 1);
      current.push(distance);
    }
    [twoAbove, above] = [above, current];
  }
  return above[right.length] ?? 0;
}
