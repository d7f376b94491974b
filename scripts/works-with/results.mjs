import { readFile, writeFile } from 'node:fs/promises';
import { clientPeers, commandPeers, dailyPeers, gatewayPeers, installerPeers } from '../../bench/peers.mjs';
import { run } from '../run.mjs';
import { writeFormatted } from '../write-formatted.mjs';
import { worksWithPage } from './page.mjs';

/** What the last runs with `--write` have seen, and the page that is made of it. */
const dataFile = new URL('../../docs/works-with.json', import.meta.url);
export const pageFile = new URL('../../docs/works-with.md', import.meta.url);

/**
 * Replaces one part of the data and writes the page.
 *
 * @param {'clients' | 'models'} part
 * @param {{ program: string, version: string, tried: Record<string, string[]>, failed: string[] }[]} programs
 * @param {object} [more] - Other parts that the same run has made, by name.
 */
export async function recordWorksWith(part, programs, more = {}) {
  const date = new Date().toISOString().slice(0, 10);
  const data = { ...(await readData()), [part]: { date, programs }, ...more };
  await writeFormatted(dataFile, data);
  await writeFile(pageFile, worksWithPage(data));
}

export async function readData() {
  const text = await readFile(dataFile, 'utf8').catch(() => '{}');
  return JSON.parse(text);
}

/** The peers with exact versions in bench/peers.mjs, by name. */
export const measuredPeers = Object.fromEntries(
  Object.entries({ ...gatewayPeers, ...commandPeers, ...dailyPeers, ...installerPeers, ...clientPeers }).filter(
    ([name, version]) => /^\d/.test(version) && name !== 'node' && name !== 'undici',
  ),
);

/** Their versions, and the newest ones of the registry. */
export async function peersNow() {
  const peers = Object.entries(measuredPeers)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(async ([name, version]) => {
      const { stdout } = await run('npm', ['view', name, 'version']);
      return { name, measured: version, newest: stdout.trim() };
    });
  return Promise.all(peers);
}
