import { countChanges } from '@x/internal/names';

/** The candidates are short words; a longer name is none of them. */
const longestName = 64;

/**
 * The candidate that `name` misspells, where other names are allowed too: `root_varaible`, and `mpc` for `mcp`. Another
 * letter in a short name makes another word.
 */
export function misspeltName(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > longestName) return undefined;
  for (const candidate of candidates) {
    const isShort = Math.min(name.length, candidate.length) < 5;
    const most = isShort ? 1 : 2;
    if (countChanges(name.toLowerCase(), candidate.toLowerCase(), most) > most) continue;
    if (!isShort || name.length !== candidate.length || lettersOf(name) === lettersOf(candidate)) return candidate;
  }
  return undefined;
}

function lettersOf(name: string): string {
  return [...name.toLowerCase()].sort().join('');
}
