import { basename, dirname, join } from 'node:path';
import type { ConfigLayer } from '../config.js';
import { ConfigError } from '../errors.js';
import { kindOf } from './file-access.js';
import type { LoadPolicy } from './load-options.js';

/** In order of preference for each directory. */
const serverFiles = [
  'mcp_servers.yaml',
  'mcp_servers.yml',
  join('config', 'mcp_servers.yaml'),
  join('config', 'mcp_servers.yml'),
  '.mcp.json',
];

const toolsFiles = ['tools.yaml', 'tools.yml', join('config', 'tools.yaml'), join('config', 'tools.yml')];

export interface FoundFile {
  readonly path: string;
  readonly layer: ConfigLayer;
  /** The file's directory if it was named. */
  readonly foundIn: string;
}

/**
 * Strongest layer first.
 *
 * @param triedPaths - Receives each tried path, also on an error: a change there affects the result.
 * @throws {ConfigError} `config-not-found` or `unreadable`
 */
export async function findFiles(
  policy: LoadPolicy,
  triedPaths: Set<string> = new Set(),
): Promise<readonly FoundFile[]> {
  const { cwd, files, hasProject, userDirectory } = policy;
  const explicit = (await Promise.all(files.map((file) => findAt(file, triedPaths)))).flat();
  const project = hasProject ? await findNearest(policy, triedPaths) : [];
  const user = userDirectory === undefined ? [] : await findIn(userDirectory, 'user', triedPaths);

  const found = new Map<string, FoundFile>();
  for (const file of [...explicit, ...project, ...user]) if (!found.has(file.path)) found.set(file.path, file);
  if (found.size > 0) return [...found.values()];
  if (!hasProject) throw notFound(`in ${userDirectory ?? cwd}`);
  throw notFound(`in ${cwd} or any directory above it`, userDirectory);
}

/** Start of relative paths in a file: its directory, or the parent of `config` and `.vscode`. */
export function projectRootOf(file: string): string {
  const directory = dirname(file);
  return ['config', '.vscode'].includes(basename(directory)) ? dirname(directory) : directory;
}

async function findNearest({ cwd, home }: LoadPolicy, triedPaths: Set<string>): Promise<readonly FoundFile[]> {
  await assertDirectory(cwd);
  for (let current = cwd; ; current = dirname(current)) {
    const found = await findIn(current, 'project', triedPaths);
    if (found.length > 0 || current === home || dirname(current) === current) return found;
  }
}

async function findAt(path: string, triedPaths: Set<string>): Promise<readonly FoundFile[]> {
  triedPaths.add(path);
  const kind = await kindOf(path);
  if (kind === 'missing') throw new ConfigError('config-not-found', `${path} does not exist`);
  if (kind === 'file') return [{ path, layer: 'explicit', foundIn: dirname(path) }];
  if (kind === 'other') throw new ConfigError('unreadable', `${path} is neither a file nor a directory`);
  const found = await findIn(path, 'explicit', triedPaths);
  if (found.length === 0) throw notFound(`in ${path}`);
  return found;
}

async function findIn(directory: string, layer: ConfigLayer, triedPaths: Set<string>): Promise<FoundFile[]> {
  const servers = await firstFile(directory, serverFiles, triedPaths);
  if (servers === undefined) return [];
  // Prefers tools next to the servers, so that `config/` and the project are not mixed.
  const beside = toolsFiles.filter((name) => dirname(join(directory, name)) === dirname(servers));
  const tools = await firstFile(directory, [...beside, ...toolsFiles], triedPaths);
  return [servers, tools].flatMap((path) => (path === undefined ? [] : { path, layer, foundIn: directory }));
}

async function firstFile(
  directory: string,
  names: readonly string[],
  triedPaths: Set<string>,
): Promise<string | undefined> {
  for (const name of names) {
    const path = join(directory, name);
    triedPaths.add(path);
    if ((await kindOf(path)) === 'file') return path;
  }
  return undefined;
}

async function assertDirectory(directory: string): Promise<void> {
  const kind = await kindOf(directory);
  if (kind === 'directory') return;
  const fault = kind === 'missing' ? 'does not exist' : 'is not a directory; pass a file in "files"';
  throw new ConfigError('unreadable', `cwd ${directory} ${fault}`);
}

function notFound(where: string, userDirectory?: string): ConfigError {
  const alsoIn = userDirectory === undefined ? '' : `, and in ${userDirectory} for every project`;
  const message = `There is no MCP configuration ${where}.
Looked for ${serverFiles.join(', ')}${alsoIn}.
The smallest mcp_servers.yaml that works:

mcp_servers:
  everything:
    command: npx -y @modelcontextprotocol/server-everything
    auto_start: true
`;
  return new ConfigError('config-not-found', message);
}
