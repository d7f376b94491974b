// `pnpm release` checks the packages and publishes what the registry does not have yet. With `--dry-run` it publishes
// nothing and says what a release would be; changesets that still wait are then applied to a copy of the workspace.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { packPackages } from '../pack-packages.mjs';
import { Report } from '../report.mjs';
import { root } from '../root.mjs';
import { checkApi } from './check-api.mjs';
import { checkTarball } from './check-tarball.mjs';
import { planRelease, waitingChangesets } from './plan-release.mjs';
import { versionedCopy } from './versioned-copy.mjs';

const report = new Report();
const folder = await mkdtemp(join(tmpdir(), 'release-'));
try {
  const { values } = parseArgs({ options: { 'dry-run': { type: 'boolean', default: false } } });
  await release({ isDryRun: values['dry-run'] });
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
} finally {
  await rm(folder, { recursive: true, force: true });
}

async function release({ isDryRun }) {
  const waiting = await waitingChangesets(root);
  if (waiting.length > 0 && !isDryRun) {
    throw new Error(
      `There are changesets that no version has taken yet: ${waiting.join(', ')}.\n` +
        'Merge the pull request "Version packages" first, or run `npx -y pnpm@12.21.0 run version-packages`.\n' +
        '`npx -y pnpm@12.21.0 release --dry-run` shows what they would release.',
    );
  }
  const workspace = waiting.length > 0 ? await versionedCopy(join(folder, 'workspace')) : root;
  const packed = await report.check('pack', () => packPackages(join(folder, 'packed'), workspace));
  for (const each of packed ?? []) await checkTarball(report, each);
  await checkApi(report);
  report.finish();
  if (process.exitCode) return;

  const plan = await planRelease(packed, workspace);
  for (const line of plan.lines) console.log(line);
  if (isDryRun) console.log('\nNothing was published.');
  else if (plan.isNeeded) await publish();
}

/** Publishes each version that the registry does not have, and makes a git tag for it. Its output is what CI reads the tags from. */
async function publish() {
  const changeset = join(root, 'node_modules', '@changesets', 'cli', 'bin.js');
  const child = spawn(process.execPath, [changeset, 'publish'], { cwd: root, stdio: 'inherit' });
  const [code] = await once(child, 'close');
  process.exitCode = code ?? 1;
}
