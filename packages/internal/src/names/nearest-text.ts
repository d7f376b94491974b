import { distanceBetween, MAX_DISTANCE } from './name-distance.js';

const MAX_CANDIDATES = 500;

/** The candidate nearest to `wanted`; `undefined` if none is near. */
export function nearestText(wanted: string, candidates: readonly string[]): string | undefined {
  let nearest: { readonly text: string; readonly distance: number } | undefined;
  for (const text of candidates.slice(0, MAX_CANDIDATES)) {
    const distance = distanceBetween(wanted, text);
    if (distance <= MAX_DISTANCE && distance < (nearest?.distance ?? 1)) nearest = { text, distance };
  }
  return nearest?.text;
}
