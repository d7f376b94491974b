import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './root.mjs';

/** The version of a package that the workspace itself uses: what `catalog:` stands for. */
export async function catalogVersion(name) {
  const text = await readFile(join(root, 'pnpm-workspace.yaml'), 'utf8');
  const version = new RegExp(`^  '?${name}'?: (.+)$`, 'm').exec(text)?.[1];
  if (version === undefined) throw new Error(`pnpm-workspace.yaml has no ${name} in its catalog`);
  return version;
}
