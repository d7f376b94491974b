import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';

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

/** Numbers that the command line may set, as in `--rounds 5`. */
export function numbersFrom(defaults) {
  const options = Object.entries(defaults).map(([name, value]) => [name, { type: 'string', default: String(value) }]);
  const { values } = parseArgs({ options: Object.fromEntries(options) });
  return Object.fromEntries(Object.entries(values).map(([name, text]) => [name, numberOf(name, text)]));
}

function numberOf(name, text) {
  if (!(Number(text) > 0)) throw new TypeError(`--${name} must be a number above 0, got ${text}`);
  return Number(text);
}

/** Rows as a Markdown table; the first row is the head. */
export function table([head, ...rows]) {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** What a script prints is made of these, and of `printConditions` at the end. */
export function printTable(title, rows) {
  console.log(`${title}:\n\n${table(rows)}\n`);
}

/**
 * The last line of what a script prints.
 *
 * @param options.node - The version that ran what was measured, where it was not this one.
 * @param options.how - Rounds, sizes, and what else has to be known to read the tables.
 * @param options.peers - Names with versions.
 */
export function printConditions({ node = process.versions.node, how, peers = [] }) {
  console.log(`${[machineFacts(node), ...how, ...(peers.length > 0 ? [peers.join(', ')] : [])].join('; ')}.`);
}

/** What of the machine matters for a number. */
export function machineFacts(node = process.versions.node) {
  return `Node ${node}, ${process.platform} ${process.arch}, ${availableParallelism()} cores`;
}
