import { distanceOfKeys, MAX_DISTANCE, toNameKey } from '@x/internal/names';
import { compareText } from './compare-text.js';
import { LetterCounts } from './letter-counts.js';
import type { ToolView } from './tool-view.js';

const MAX_OFFERED = 3;
/** Of names that might be near by their letters, so many of the likeliest are compared in full. */
const MAX_COMPARISONS = 1_000;

interface Candidate {
  /** Public name. */
  readonly name: string;
  /** The public name or the tool's own one. */
  readonly text: string;
  /** It is no nearer than this. */
  readonly least: number;
}

interface NearName {
  readonly name: string;
  readonly distance: number;
}

/** Public names of the tools whose names are nearest to `wanted`, best first. Empty if none is near. */
export function nearestNames(wanted: string, tools: readonly ToolView[]): readonly string[] {
  const key = toNameKey(wanted);
  if (key === '') return [];
  let near: readonly NearName[] = [];
  let limit = MAX_DISTANCE;
  for (const [index, { name, text, least }] of findCandidates(key, tools).entries()) {
    if (least > limit || (least > 0 && index >= MAX_COMPARISONS)) break;
    const distance = distanceOfKeys(key, toNameKey(text), limit);
    if (distance > limit) continue;
    near = withName(near, { name, distance });
    // What is farther away than those need not be told from strangers.
    limit = near[MAX_OFFERED - 1]?.distance ?? limit;
  }
  return near.map(({ name }) => name);
}

/** Likeliest first. */
function findCandidates(key: string, tools: readonly ToolView[]): readonly Candidate[] {
  const letters = new LetterCounts(key);
  const candidates: Candidate[] = [];
  for (const { name, tool } of tools) {
    for (const text of name === tool ? [name] : [name, tool]) {
      const least = letters.leastChanges(text) / Math.max(key.length, text.length);
      if (least <= MAX_DISTANCE) candidates.push({ name, text, least });
    }
  }
  return candidates.sort((left, right) => left.least - right.least || compareText(left.name, right.name));
}

function withName(near: readonly NearName[], added: NearName): readonly NearName[] {
  const same = near.find(({ name }) => name === added.name);
  if (same !== undefined && same.distance <= added.distance) return near;
  const all = [...near.filter((each) => each !== same), added];
  all.sort((left, right) => left.distance - right.distance || compareText(left.name, right.name));
  return all.slice(0, MAX_OFFERED);
}
