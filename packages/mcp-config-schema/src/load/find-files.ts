import { basename, dirname, join } from 'node:path';
import { serverFiles, toolsFiles } from '@x/internal/config-files';
import type { ConfigLayer } from '../config.js';
import { ConfigError } from '../errors.js';
import { kindOf, readText } from './file-access.js';
import type { LoadPolicy } from './load-options.js';

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
  const { cwd, files, fileLayer, hasProject, userDirectory, given } = policy;
  const explicit = (await Promise.all(files.map((file) => findAt(file, fileLayer, triedPaths)))).flat();
  const project = hasProject ? await findNearest(policy, triedPaths) : [];
  const user = userDirectory === undefined ? [] : await findIn(userDirectory, 'user', triedPaths);

  const found = new Map<string, FoundFile>();
  for (const file of [...explicit, ...project, ...user]) if (!found.has(file.path)) found.set(file.path, file);
  if (found.size > 0 || given?.when === 'always') return [...found.values()];
  if (!hasProject) throw notFound(`in ${userDirectory ?? cwd}`);
  throw notFound(`in ${cwd} or any directory above it`, userDirectory);
}

/** Start of relative paths in a file: its directory, or the parent of `config` and `.vscode`. */
export function projectRootOf(file: string): string {
  const directory = dirname(file);
  return ['config', '.vscode'].includes(basename(directory)) ? dirname(directory) : directory;
}

/** Directories with servers come first. */
async function findNearest({ cwd, home }: LoadPolicy, triedPaths: Set<string>): Promise<readonly FoundFile[]> {
  await assertDirectory(cwd);
  const withServers = await searchUpward(cwd, home, (directory) => findServers(directory, 'project', triedPaths));
  if (withServers.length > 0) return withServers;
  return searchUpward(cwd, home, (directory) => findOwnTools(directory, triedPaths));
}

/** `tools.yaml` is also a file of other programs, which would be full of errors. */
async function findOwnTools(directory: string, triedPaths: Set<string>): Promise<readonly FoundFile[]> {
  for (const name of toolsFiles) {
    const found = await findTools(directory, 'project', triedPaths, [name]);
    // A file that cannot be read may have roles, so it is found and its error reported.
    for (const { path } of found) if (ownKeys.test(await readText(path).catch(() => 'mcp_tools'))) return found;
  }
  return [];
}

/** Also misspelled ones, to report them. */
const ownKeys = /mcp_?tool|role_?restriction/i;

async function searchUpward(
  cwd: string,
  home: string | undefined,
  findInDirectory: (directory: string) => Promise<readonly FoundFile[]>,
): Promise<readonly FoundFile[]> {
  for (let current = cwd; ; current = dirname(current)) {
    const found = await findInDirectory(current);
    if (found.length > 0 || current === home || dirname(current) === current) return found;
  }
}

async function findAt(path: string, layer: ConfigLayer, triedPaths: Set<string>): Promise<readonly FoundFile[]> {
  triedPaths.add(path);
  const kind = await kindOf(path);
  if (kind === 'missing') throw new ConfigError('config-not-found', `${path} does not exist`);
  if (kind === 'file') return [{ path, layer, foundIn: dirname(path) }];
  if (kind === 'other') throw new ConfigError('unreadable', `${path} is neither a file nor a directory`);
  const found = await findIn(path, layer, triedPaths);
  if (found.length === 0) throw notFound(`in ${path}`);
  return found;
}

async function findIn(directory: string, layer: ConfigLayer, triedPaths: Set<string>): Promise<FoundFile[]> {
  const found = await findServers(directory, layer, triedPaths);
  return found.length > 0 ? found : findTools(directory, layer, triedPaths);
}

/** Servers, and the tools in the same directory. Empty without servers. */
async function findServers(directory: string, layer: ConfigLayer, triedPaths: Set<string>): Promise<FoundFile[]> {
  const servers = await firstFile(directory, serverFiles, triedPaths);
  if (servers === undefined) return [];
  // Prefers tools next to the servers, so that `config/` and the project are not mixed.
  const beside = toolsFiles.filter((name) => dirname(join(directory, name)) === dirname(servers));
  const tools = await findTools(directory, layer, triedPaths, [...beside, ...toolsFiles]);
  return [{ path: servers, layer, foundIn: directory }, ...tools];
}

async function findTools(
  directory: string,
  layer: ConfigLayer,
  triedPaths: Set<string>,
  names: readonly string[] = toolsFiles,
): Promise<FoundFile[]> {
  const path = await firstFile(directory, names, triedPaths);
  return path === undefined ? [] : [{ path, layer, foundIn: directory }];
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
Looked for ${[...serverFiles, ...toolsFiles].join(', ')}${alsoIn}.
The smallest mcp_servers.yaml that works:

mcp_servers:
  everything:
    command: npx -y @modelcontextprotocol/server-everything
    auto_start: true
`;
  return new ConfigError('config-not-found', message);
}
