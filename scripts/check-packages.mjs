// Packs the published packages and checks the tarballs: what is in them, publint, and "are the types wrong"; what the
// packages export; and how large single exports are in a bundle. `--write` checks in the lists of files and the reports of exports as they are now.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packPackages } from './pack-packages.mjs';
import { checkBundles } from './release/bundle-size.mjs';
import { checkApi } from './release/check-api.mjs';
import { checkTarball } from './release/check-tarball.mjs';
import { Report } from './report.mjs';

const { values: options } = parseArgs({ options: { write: { type: 'boolean', default: false } } });
const folder = await mkdtemp(join(tmpdir(), 'check-packages-'));
const report = new Report();
try {
  const packed = await report.check('pack', () => packPackages(folder));
  for (const each of packed ?? []) await checkTarball(report, each, options);
  await checkApi(report, options);
  await checkBundles(report);
} finally {
  await rm(folder, { recursive: true, force: true });
}
report.finish();
