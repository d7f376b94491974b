import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './root.mjs';
import { run } from './run.mjs';

/** The packages that are published, in the order in which they build on one another. */
export const publishedPackages = [
  'mcp-config-schema',
  'mcp-client-manager',
  'mcp-registry',
  'mcp-gateway',
  'mcp-fleet',
  'mcp-host-sync',
  'mcp',
  'mcp-cli',
];

/**
 * Packs every published package the way a release does, so that `workspace:` and `catalog:` are replaced.
 * @returns {Promise<{ name: string, source: string, folder: string, tarball: string, manifest: any }[]>}
 */
export async function packPackages(folder, workspace = root) {
  const packed = [];
  for (const name of publishedPackages) packed.push(await packPackage(name, folder, workspace));
  return packed;
}

/** Packs one of them. */
export async function packPackage(name, folder, workspace = root) {
  const source = join(workspace, 'packages', name);
  const target = join(folder, name);
  await mkdir(target, { recursive: true });
  await run('pnpm', ['pack', '--pack-destination', target], { cwd: source });
  const tarball = (await readdir(target)).find((file) => file.endsWith('.tgz'));
  if (tarball === undefined) throw new Error(`pnpm pack wrote no tarball for ${name}`);
  const manifest = JSON.parse(await readFile(join(source, 'package.json'), 'utf8'));
  return { name: manifest.name, source, folder: target, tarball: join(target, tarball), manifest };
}
