import { basename, dirname, join } from 'node:path';
import type { ConfigLayer } from '../config.js';
import { ConfigError } from '../errors.js';
import { kindOf } from './kind-of.js';
import type { LoadPolicy } from './load-options.js';

/** Looked for in each directory; the first that is there counts. */
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
  /** The directory that it was looked for in; its own if it was named. */
  readonly foundIn: string;
}

/**
 * The files of every layer, strongest first, each once.
 *
 * @param lookedAt - Gets each path that was tried, also when this throws: what comes or goes there changes the result.
 * @throws {ConfigError} `config-not-found` or `unreadable`
 */
export async function findFiles(policy: LoadPolicy, lookedAt: Set<string> = new Set()): Promise<readonly FoundFile[]> {
  const { cwd, files, hasProject, userDirectory } = policy;
  const explicit = (await Promise.all(files.map((file) => findAt(file, lookedAt)))).flat();
  const project = hasProject ? await findNearest(policy, lookedAt) : [];
  const user = userDirectory === undefined ? [] : await findIn(userDirectory, 'user', lookedAt);

  const found = new Map<string, FoundFile>();
  for (const file of [...explicit, ...project, ...user]) if (!found.has(file.path)) found.set(file.path, file);
  if (found.size > 0) return [...found.values()];
  if (!hasProject) throw notFound(`in ${userDirectory ?? cwd}`);
  throw notFound(`in ${cwd} or any directory above it`, userDirectory);
}

/** The directory that relative paths of a file start from: its own, or the one above if it lies in `config` or `.vscode`. */
export function projectRootOf(file: string): string {
  const directory = dirname(file);
  return ['config', '.vscode'].includes(basename(directory)) ? dirname(directory) : directory;
}

/** Looks in a directory and in each one above it, up to the first that has a configuration. */
async function findNearest({ cwd, home }: LoadPolicy, lookedAt: Set<string>): Promise<readonly FoundFile[]> {
  await assertDirectory(cwd);
  for (let current = cwd; ; current = dirname(current)) {
    const found = await findIn(current, 'project', lookedAt);
    if (found.length > 0 || current === home || dirname(current) === current) return found;
  }
}

/** What is configured by one path: the file itself, or what a directory has. Nothing above it is looked at. */
async function findAt(path: string, lookedAt: Set<string>): Promise<readonly FoundFile[]> {
  lookedAt.add(path);
  const kind = await kindOf(path);
  if (kind === 'missing') throw new ConfigError('config-not-found', `${path} does not exist`);
  if (kind === 'file') return [{ path, layer: 'explicit', foundIn: dirname(path) }];
  if (kind === 'other') throw new ConfigError('unreadable', `${path} is neither a file nor a directory`);
  const found = await findIn(path, 'explicit', lookedAt);
  if (found.length === 0) throw notFound(`in ${path}`);
  return found;
}

async function findIn(directory: string, layer: ConfigLayer, lookedAt: Set<string>): Promise<FoundFile[]> {
  const servers = await firstFile(directory, serverFiles, lookedAt);
  if (servers === undefined) return [];
  // Next to the servers first, so that `config/` and the project each keep what belongs together.
  const beside = toolsFiles.filter((name) => dirname(join(directory, name)) === dirname(servers));
  const tools = await firstFile(directory, [...beside, ...toolsFiles], lookedAt);
  return [servers, tools].flatMap((path) => (path === undefined ? [] : { path, layer, foundIn: directory }));
}

async function firstFile(
  directory: string,
  names: readonly string[],
  lookedAt: Set<string>,
): Promise<string | undefined> {
  for (const name of names) {
    const path = join(directory, name);
    lookedAt.add(path);
    if ((await kindOf(path)) === 'file') return path;
  }
  return undefined;
}

async function assertDirectory(directory: string): Promise<void> {
  const kind = await kindOf(directory);
  if (kind === 'directory') return;
  const fault = kind === 'missing' ? 'does not exist' : 'is not a directory; give a file as one of "files"';
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
