import { join, resolve } from 'node:path';
import { ConfigError } from '../errors.js';
import { kindOf } from '../load/kind-of.js';
import { readText } from '../load/read-text.js';
import { SourceText } from '../source/source-text.js';

/** Looked for in the folder of an extension; the first that is there counts. */
const manifestNames = ['extension.toml', 'extension.yaml', 'extension.yml', 'extension.json'];

/**
 * The path of an extension's manifest.
 *
 * @param given - Relative to the folder; left out, the usual names are tried.
 * @throws {ConfigError} `config-not-found` or `unreadable`
 */
export async function findManifest(folder: string, given: string | undefined): Promise<string> {
  if ((await kindOf(folder)) !== 'directory') {
    throw new ConfigError('config-not-found', `The extension ${folder} is not a folder that is there`);
  }
  for (const name of given === undefined ? manifestNames : [given]) {
    const path = resolve(folder, name);
    const kind = await kindOf(path);
    if (kind === 'file') return path;
    if (kind !== 'missing') throw new ConfigError('unreadable', `${path} is not a file`);
  }
  throw new ConfigError(
    'config-not-found',
    `There is no manifest in ${folder}.
Looked for ${given ?? manifestNames.join(', ')}.
The smallest extension.toml that works:

provides.mcp = "mcp.json"
`,
  );
}

/** @throws {ConfigError} `unreadable` */
export async function readSource(path: string): Promise<{ readonly source: SourceText; readonly text: string }> {
  const text = await readText(path);
  return { source: new SourceText(text, path), text };
}

/** Where the file that a manifest names would be. */
export function fileInFolder(folder: string, given: string): string {
  return join(folder, ...given.split(/[/\\]/));
}
