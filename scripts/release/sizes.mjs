// How large the packages are to those who install them, against what is checked in.
import { existsSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../root.mjs';

const recordFile = join(root, 'scripts', 'release', 'sizes.json');
const page = join(root, 'docs', 'package-sizes.md');
const headroom = 1.1;
/** Promises, which `--write` does not change. */
const limits = {
  '@x/mcp': { packages: 5, installed: 4_500_000 },
  '@x/mcp-registry': { packages: 2, installed: 3_000_000 },
};

/** What one package costs: its own tarball, and all that `npm install` brings with it, of the project's lock file. */
export async function measure({ name, tarball }, project) {
  return {
    tarball: (await stat(tarball)).size,
    unpacked: await bytesIn(join(project, 'node_modules', name)),
    ...(await measureInstalled([name], project)),
  };
}

/** The number of installed packages, these included, and the bytes of all. */
export async function measureInstalled(names, project) {
  const { packages } = JSON.parse(await readFile(join(project, 'package-lock.json'), 'utf8'));
  const found = new Set();
  for (const name of names) treeOf(packages, `node_modules/${name}`, found);
  // Packages for other platforms are in the lock file and not on the disk.
  const tree = [...found].filter((path) => existsSync(join(project, path)));
  const bytes = await Promise.all(tree.map((path) => bytesIn(join(project, path))));
  return { packages: tree.length, installed: bytes.reduce((sum, each) => sum + each, 0) };
}

/** Fails when something has grown by more than a tenth. With `write` the figures are checked in, with the table of them. */
export async function compareSizes(measured, { write = false } = {}) {
  refuseAboveLimits(measured);
  if (write) {
    await writeFile(recordFile, `${JSON.stringify(measured, null, 2)}\n`);
    await writeFile(page, withTable(await readFile(page, 'utf8'), measured));
    return;
  }
  const record = JSON.parse(await readFile(recordFile, 'utf8'));
  const faults = Object.entries(measured).flatMap(([name, figures]) =>
    Object.entries(figures)
      .filter(([figure, value]) => !(value <= Math.ceil((record[name]?.[figure] ?? 0) * headroom)))
      .map(([figure, value]) => `${name}: ${figure} is ${value}, and was ${record[name]?.[figure]}`),
  );
  const text = (await readFile(page, 'utf8')).replaceAll('\r\n', '\n');
  if (text !== withTable(text, record)) faults.push('docs/package-sizes.md does not show scripts/release/sizes.json');
  if (faults.length === 0) return;
  throw new Error(
    `${faults.join('\n')}\nIf that is worth it, run \`npx -y pnpm@12.21.0 run check:consumer --write\` on Linux x64.`,
  );
}

function refuseAboveLimits(measured) {
  const above = Object.entries(limits).flatMap(([name, figures]) =>
    Object.entries(figures)
      .filter(([figure, limit]) => !(measured[name]?.[figure] <= limit))
      .map(([figure, limit]) => `${name}: ${figure} is ${measured[name]?.[figure]}, and may be ${limit}`),
  );
  if (above.length > 0) throw new Error(above.join('\n'));
}

/** Trees are compared where they were measured: a binary for another platform has another size. */
export const isMeasuredHere = process.platform === 'linux' && process.arch === 'x64';

function withTable(text, measured) {
  const rows = Object.entries(measured).map(
    ([name, { tarball, unpacked, packages, installed }]) =>
      `| \`${name}\` | ${kilobytes(tarball)} | ${kilobytes(unpacked)} | ${packages} | ${megabytes(installed)} |`,
  );
  const table = [
    '| Package | Download | Unpacked | Packages installed | On disk, all of them |',
    '| --- | ---: | ---: | ---: | ---: |',
    ...rows,
  ].join('\n');
  return text.replace(
    /(<!-- sizes -->\n)[\s\S]*?(\n<!-- \/sizes -->)/,
    (_, before, after) => `${before}${table}${after}`,
  );
}

/** The folders of a package and of all that it needs, each once, as npm's lock file names them. */
function treeOf(packages, path, found = new Set()) {
  if (found.has(path)) return found;
  found.add(path);
  const { dependencies, optionalDependencies, peerDependencies = {}, peerDependenciesMeta = {} } = packages[path];
  const peers = Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true);
  for (const name of [...Object.keys({ ...dependencies, ...optionalDependencies }), ...peers]) {
    const place = resolve(packages, path, name);
    if (place !== undefined) treeOf(packages, place, found);
  }
  return found;
}

/** Where Node would find `name` from the package at `path`: beside its own dependencies first, then further up. */
function resolve(packages, path, name) {
  for (let from = path; ; from = from.slice(0, from.lastIndexOf('/node_modules/'))) {
    const place = `${from}/node_modules/${name}`;
    if (packages[place] !== undefined) return place;
    if (!from.includes('/node_modules/')) break;
  }
  const top = `node_modules/${name}`;
  return packages[top] === undefined ? undefined : top;
}

/** What the files of a package take, without the packages inside of it. */
async function bytesIn(folder) {
  const entries = await readdir(folder, { withFileTypes: true });
  const sizes = await Promise.all(
    entries
      .filter(({ name }) => name !== 'node_modules')
      .map(async (entry) => {
        const path = join(folder, entry.name);
        return entry.isDirectory() ? bytesIn(path) : (await stat(path)).size;
      }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

function kilobytes(bytes) {
  return `${Math.round(bytes / 1000)} kB`;
}

function megabytes(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
