// Packs the published packages and checks the tarballs: what is in them, publint, and "are the types wrong".
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { packPackages, root } from './pack-packages.mjs';
import { Report } from './report.mjs';
import { run } from './run.mjs';

const folder = await mkdtemp(join(tmpdir(), 'check-packages-'));
const report = new Report();
try {
  const packed = await report.check('pack', () => packPackages(folder));
  for (const { name, folder: target, tarball } of packed ?? []) {
    await report.check(`${name}: contents`, () => checkContents(target, tarball));
    await report.check(`${name}: publint`, () => run(bin('publint'), ['run', tarball, '--strict'], { cwd: root }));
    await report.check(`${name}: attw`, () => run(bin('attw'), [tarball, '--profile', 'esm-only'], { cwd: root }));
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
report.finish();

async function checkContents(target, tarball) {
  await run('tar', ['-xzf', tarball, '-C', target]);
  const contents = join(target, 'package');
  const manifestText = await readFile(join(contents, 'package.json'), 'utf8');
  const { exports, bin: bins = {}, files, ...manifest } = JSON.parse(manifestText);
  const faults = [];

  for (const protocol of ['workspace:', 'catalog:', 'link:', 'file:']) {
    if (manifestText.includes(`"${protocol}`)) faults.push(`package.json still holds a ${protocol} dependency`);
  }
  for (const field of ['description', 'license', 'repository', 'engines', 'publishConfig']) {
    if (manifest[field] === undefined) faults.push(`package.json has no ${field}`);
  }
  if (manifest.type !== 'module') faults.push('package.json does not say "type": "module"');
  if (manifest.sideEffects !== false) faults.push('package.json does not say "sideEffects": false');
  if (String(files) !== 'dist') faults.push(`package.json ships ${String(files)} and not dist alone`);

  const named = [...Object.values(exports).flatMap(filesOf), ...Object.values(bins), 'README.md', 'LICENSE'];
  if (manifest.name === '@x/mcp-cli') named.push('dist/dashboard/index.html');
  for (const file of named) {
    const path = join(contents, file);
    const found = file.includes('*') ? readdir(dirname(path)) : readFile(path);
    await found.catch(() => faults.push(`${file} is not in the tarball`));
  }
  for (const file of Object.values(bins)) {
    const text = await readFile(join(contents, file), 'utf8').catch(() => '');
    if (!text.startsWith('#!/usr/bin/env node')) faults.push(`${file} does not start with #!/usr/bin/env node`);
  }
  if (faults.length > 0) throw new Error(faults.join('\n'));
}

/** Every file that an entry of the exports map leads to, whatever the condition. */
function filesOf(target) {
  return typeof target === 'string' ? [target] : Object.values(target).flatMap(filesOf);
}

function bin(name) {
  return join(root, 'node_modules', '.bin', name);
}
