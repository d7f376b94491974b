import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { hexDigest } from '@x/internal/files';
import { realPath } from '../files.js';

/** Files that mark a project directory. A test compares this list with that of `loadConfig`. */
const serverFiles = [
  'mcp_servers.yaml',
  'mcp_servers.yml',
  join('config', 'mcp_servers.yaml'),
  join('config', 'mcp_servers.yml'),
  '.mcp.json',
];

export interface ConfigPlace {
  /** Base of relative paths and start of the search. */
  readonly cwd: string;
  /** Files or directories of the command line. Default: the nearest directory upward that has a config. */
  readonly config?: readonly string[] | undefined;
  /** Last directory of the upward search. */
  readonly home?: string | undefined;
}

/**
 * Id of a config's daemon: 16 hex digits, the same for all paths and links to one config on one machine. Loads no
 * config, because a command with a running daemon needs none.
 */
export function configIdentity({ cwd, config, home }: ConfigPlace): string {
  const parts = config?.length
    ? ['files', ...config.map((file) => realPath(resolve(cwd, file)))]
    : ['found', projectDirectory(cwd, home) ?? 'user'];
  return hexDigest(JSON.stringify([hostname(), ...parts]), 16); // several machines may share a home directory
}

/** `undefined` if only the user's config applies. */
function projectDirectory(cwd: string, home: string | undefined): string | undefined {
  for (let current = resolve(cwd); ; current = dirname(current)) {
    if (serverFiles.some((name) => isFile(join(current, name)))) return realPath(current);
    if (current === home || dirname(current) === current) return undefined;
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
