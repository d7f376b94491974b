import { readdir, readFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { root } from '../root.mjs';
import { run } from '../run.mjs';
import { fileList } from './file-list.mjs';
import { comparePinned } from './pinned-file.mjs';

const imports =
  /^(?:import|export)\s[^'"]*?\sfrom\s*['"]([^'"]+)['"]|^import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/gm;

/** Looks at one packed package in the three ways that need nothing but its tarball. Adds a line each to the report. */
export async function checkTarball(report, packed, { write = false } = {}) {
  const { name, tarball } = packed;
  await report.check(`${name}: contents`, () => checkContents(packed, { write }));
  await report.check(`${name}: publint`, () => run(bin('publint'), ['run', tarball, '--strict'], { cwd: root }));
  await report.check(`${name}: attw`, () => run(bin('attw'), [tarball, '--profile', 'esm-only'], { cwd: root }));
}

async function checkContents({ folder, tarball }, { write }) {
  await run('tar', ['-xzf', tarball, '-C', folder]);
  const contents = join(folder, 'package');
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

  for (const file of [...Object.values(exports).flatMap(filesOf), ...Object.values(bins)]) {
    const path = join(contents, file);
    const found = file.includes('*') ? readdir(dirname(path)) : readFile(path);
    await found.catch(() => faults.push(`${file} is not in the tarball`));
  }
  for (const file of Object.values(bins)) {
    const text = await readFile(join(contents, file), 'utf8').catch(() => '');
    if (!text.startsWith('#!/usr/bin/env node')) faults.push(`${file} does not start with #!/usr/bin/env node`);
  }
  const { dependencies, peerDependencies } = manifest;
  const declared = new Set([manifest.name, ...Object.keys({ ...dependencies, ...peerDependencies })]);
  const code = (await readdir(contents, { recursive: true })).filter((file) => /\.(js|d\.ts)$/.test(file));
  for (const file of code) {
    const text = await readFile(join(contents, file), 'utf8');
    for (const name of importedPackages(text)) {
      if (!declared.has(name)) faults.push(`${file} imports ${name}, which package.json does not declare`);
    }
  }
  const pinned = join(root, 'scripts', 'release', 'contents', `${manifest.name.replace(/^@.*\//, '')}.txt`);
  const list = await fileList(contents, { exports });
  await comparePinned(pinned, list, { write }).catch(({ message }) => faults.push(message));
  if (faults.length > 0) throw new Error(faults.join('\n'));
}

/** Packages that a built file names, in `import`, `export … from` or `import()`. */
function importedPackages(text) {
  const specifiers = [...text.matchAll(imports)].map(([, from, bare, dynamic]) => from ?? bare ?? dynamic);
  const foreign = specifiers.filter((specifier) => !specifier.startsWith('.') && !isBuiltin(specifier));
  return new Set(foreign.map((specifier) => /^(?:@[^/]+\/)?[^/]+/.exec(specifier)?.[0]));
}

/** Every file that an entry of the exports map leads to, whatever the condition. */
function filesOf(target) {
  return typeof target === 'string' ? [target] : Object.values(target).flatMap(filesOf);
}

function bin(name) {
  return join(root, 'node_modules', '.bin', name);
}
