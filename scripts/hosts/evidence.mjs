// What check:hosts has seen, in packages/mcp-host-sync/src/evidence/verified.json: by host the program, and its versions with
// the facts that each has shown, the newest first.
import { readFile } from 'node:fs/promises';
import { writeFormatted } from '../write-formatted.mjs';

const file = new URL('../../packages/mcp-host-sync/src/evidence/verified.json', import.meta.url);

/**
 * @param {{ host: string, program: string, version: string, facts: string[] }[]} seen - Newest version of a host first.
 * @param {object} options
 * @param {boolean} options.isWhole - Whether `seen` has all programs, and replaces all that the file has.
 */
export async function recordEvidence(seen, { isWhole }) {
  const known = isWhole ? {} : JSON.parse(await readFile(file, 'utf8'));
  const date = new Date().toISOString().slice(0, 10);
  for (const host of new Set(seen.map((each) => each.host))) {
    const own = seen.filter((each) => each.host === host);
    const runs = own.map(({ version, facts }) => ({ version, date, facts: facts.toSorted() }));
    known[host] = { program: own[0].program, runs };
  }
  const sorted = Object.entries(known).toSorted(([one], [other]) => (one < other ? -1 : 1));
  await writeFormatted(file, Object.fromEntries(sorted));
}
