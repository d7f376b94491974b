import { distance } from 'fastest-levenshtein';

/** Comparing takes time that grows with both lengths, and nobody mistypes a longer name. */
const longestName = 64;

/** The candidate that `name` was probably meant to be, if one is near enough to be worth saying. */
export function closestName(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > longestName) return undefined;

  const farthest = Math.max(1, Math.floor(name.length / 3));
  let best: { readonly candidate: string; readonly apart: number } | undefined;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - name.length) > farthest) continue;
    const apart = distance(name.toLowerCase(), candidate.toLowerCase());
    const isNear = apart <= farthest || (apart === 2 && lettersOf(name) === lettersOf(candidate)); // two letters swapped
    if (isNear && (best === undefined || apart < best.apart)) best = { candidate, apart };
  }
  return best?.candidate ?? longerOf(name, candidates);
}

/**
 * The candidate that `name` misspells, where other names are allowed too: `root_varaible`, and `mpc` for `mcp`. Another
 * letter in a short name makes another word.
 */
export function misspeltName(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > longestName) return undefined;
  for (const candidate of candidates) {
    const apart = distance(name.toLowerCase(), candidate.toLowerCase());
    const isShort = Math.min(name.length, candidate.length) < 5;
    const farthest = !isShort ? 2 : name.length === candidate.length ? 0 : 1;
    if (apart <= farthest || (apart === 2 && lettersOf(name) === lettersOf(candidate))) return candidate;
  }
  return undefined;
}

/** `timeout_seconds` for `timeout`: a name that was cut short, or that says too much. */
function longerOf(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length < 3) return undefined;
  for (const candidate of candidates) {
    if (candidate.startsWith(name) || (candidate.length >= 3 && name.startsWith(candidate))) return candidate;
  }
  return undefined;
}

function lettersOf(name: string): string {
  return [...name.toLowerCase()].sort().join('');
}
