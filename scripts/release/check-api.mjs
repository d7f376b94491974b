import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { publishedPackages } from '../pack-packages.mjs';
import { root } from '../root.mjs';
import { apiReports, readDeclarations, typedEntries } from './api-report.mjs';
import { comparePinned } from './pinned-file.mjs';

/** Compares what the built packages export, and as which types, with the `api` folder of each. Adds a line a package to the report. */
export async function checkApi(report, { write = false } = {}) {
  const packages = await Promise.all(publishedPackages.map(readPackage));
  const files = packages.flatMap(({ entries }) => entries.map(({ file }) => file));
  const reports = apiReports(readDeclarations(files, root), packages);
  for (const [described, ofPackage] of reports) {
    await report.check(`${described.name}: exports and types`, () => compare(ofPackage, described, { write }));
  }
}

async function compare(reports, described, { write }) {
  const folder = join(described.folder, 'api');
  const faults = [];
  if (write) await rm(folder, { recursive: true, force: true });
  const left = new Set(await readdir(folder).catch(() => []));
  for (const { name, text } of reports) {
    const file = `${name.slice(described.name.length + 1) || 'index'}.api.md`;
    left.delete(file);
    await comparePinned(join(folder, file), text, { write }).catch(({ message }) => faults.push(message));
  }
  for (const file of left) faults.push(`api/${file} is of an entry that is no longer there`);
  if (faults.length > 0) throw new Error(faults.join('\n'));
}

async function readPackage(directory) {
  const folder = join(root, 'packages', directory);
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  return { name: manifest.name, folder, entries: typedEntries(folder, manifest) };
}
