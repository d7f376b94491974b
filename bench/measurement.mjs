import { availableParallelism } from 'node:os';

/** The middle of several measurements. */
export function medianOf(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** Where the middle half of several measurements lies, as in `31 – 35`. */
export function spreadOf(values, digits = 1) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (part) => sorted[Math.round((sorted.length - 1) * part)].toFixed(digits);
  return `${at(0.25)} – ${at(0.75)}`;
}

/**
 * Runs contenders in turns, so that what else the machine does meets all of them alike. The first round is thrown away.
 *
 * @param contenders - By name; each resolves with its measurement.
 * @returns The measurements of each, by name, in the order of the rounds.
 */
export async function interleaved(contenders, rounds) {
  const measured = new Map(Object.keys(contenders).map((name) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    for (const [name, measure] of Object.entries(contenders)) {
      const value = await measure();
      if (round > 0) measured.get(name).push(value);
    }
  }
  return measured;
}

/**
 * The median of the ratios of each round. The two sides of one round met the same machine, so this is steadier than
 * the ratio of two medians.
 */
export function ratioOf(ours, peers) {
  return medianOf(ours.map((value, round) => value / peers[round]));
}

/** Rows as a Markdown table; the first row is the head. */
export function table([head, ...rows]) {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** What of the machine matters for a number. */
export function machineFacts() {
  return `Node ${process.versions.node}, ${process.platform} ${process.arch}, ${availableParallelism()} cores`;
}
