import { statSync } from 'node:fs';
import { hostname } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { hexDigest } from '@x/internal/files';
import { realPath } from '../real-path.js';

/** Looked for in each directory upward, as `loadConfig` does; a test holds the two together. */
const serverFiles = [
  'mcp_servers.yaml',
  'mcp_servers.yml',
  join('config', 'mcp_servers.yaml'),
  join('config', 'mcp_servers.yml'),
  '.mcp.json',
];

export interface ConfigPlace {
  /** Where relative paths start and the search begins. */
  readonly cwd: string;
  /** Files or directories that were named; left out, the nearest directory upward with a config counts. */
  readonly config?: readonly string[] | undefined;
  /** Where looking upward ends. */
  readonly home?: string | undefined;
}

/**
 * Which daemon a command means: 16 hexadecimal digits that are the same for whoever means the same config on this
 * machine, wherever in the project they are and whatever links led there. Loads no config: a command that finds its
 * daemon running has no use for one.
 */
export function configIdentity({ cwd, config, home }: ConfigPlace): string {
  const parts = config?.length
    ? ['files', ...config.map((file) => realPath(resolve(cwd, file)))]
    : ['found', projectDirectory(cwd, home) ?? 'user'];
  return hexDigest(JSON.stringify([hostname(), ...parts]), 16); // a home directory may be shared by machines
}

/** The nearest directory upward that has a config; `undefined`: there is none, and only that of the user counts. */
function projectDirectory(cwd: string, home: string | undefined): string | undefined {
  for (let current = resolve(cwd); ; current = dirname(current)) {
    if (serverFiles.some((name) => isFile(join(current, name)))) return realPath(current);
    if (current === home || dirname(current) === current) return undefined;
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
