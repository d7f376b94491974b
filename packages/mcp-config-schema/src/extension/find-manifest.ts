import { join, resolve } from 'node:path';
import { ConfigError } from '../errors.js';
import { kindOf } from '../load/kind-of.js';
import { readText } from '../load/read-text.js';
import { SourceText } from '../source/source-text.js';

const manifestNames = ['extension.toml', 'extension.yaml', 'extension.yml', 'extension.json'];

/**
 * @param given - Relative to the folder. Default: the usual names.
 * @throws {ConfigError} `config-not-found` or `unreadable`
 */
export async function findManifest(folder: string, given: string | undefined): Promise<string> {
  if ((await kindOf(folder)) !== 'directory') {
    throw new ConfigError('config-not-found', `The extension folder ${folder} does not exist`);
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

export function fileInFolder(folder: string, given: string): string {
  return join(folder, ...given.split(/[/\\]/));
}
