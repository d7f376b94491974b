import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { ConfigError } from '../errors.js';

/** Looked for in each directory; the first that is there counts. */
const serverFiles = [
  'mcp_servers.yaml',
  'mcp_servers.yml',
  join('config', 'mcp_servers.yaml'),
  join('config', 'mcp_servers.yml'),
  '.mcp.json',
];

const toolsFiles = ['tools.yaml', 'tools.yml', join('config', 'tools.yaml'), join('config', 'tools.yml')];

/** Looks in a directory and in each one above it, up to the first that has a configuration. */
export async function findNearest(directory: string): Promise<readonly string[]> {
  await assertDirectory(directory);
  for (let current = directory; ; current = dirname(current)) {
    const found = await findIn(current);
    if (found.length > 0) return found;
    if (dirname(current) === current) throw notFound(`in ${directory} or any directory above it`);
  }
}

/** What is configured by one path: the file itself, or what a directory has. Nothing above it is looked at. */
export async function findAt(path: string): Promise<readonly string[]> {
  const kind = await kindOf(path);
  if (kind === 'missing') throw new ConfigError('config-not-found', `${path} does not exist`);
  if (kind === 'file') return [path];
  if (kind === 'other') throw new ConfigError('unreadable', `${path} is neither a file nor a directory`);
  const found = await findIn(path);
  if (found.length === 0) throw notFound(`in ${path}`);
  return found;
}

/** The directory that relative paths of a file start from: its own, or the one above if it lies in `config`. */
export function projectRootOf(file: string): string {
  const directory = dirname(file);
  return ['config', '.vscode'].includes(basename(directory)) ? dirname(directory) : directory;
}

async function findIn(directory: string): Promise<string[]> {
  const servers = await firstFile(directory, serverFiles);
  if (servers === undefined) return [];
  // Next to the servers first, so that `config/` and the project each keep what belongs together.
  const beside = toolsFiles.filter((name) => dirname(join(directory, name)) === dirname(servers));
  const tools = await firstFile(directory, [...beside, ...toolsFiles]);
  return tools === undefined ? [servers] : [servers, tools];
}

async function firstFile(directory: string, names: readonly string[]): Promise<string | undefined> {
  for (const name of names) {
    const path = join(directory, name);
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

async function kindOf(path: string): Promise<'file' | 'directory' | 'other' | 'missing'> {
  try {
    const found = await stat(path);
    return found.isFile() ? 'file' : found.isDirectory() ? 'directory' : 'other';
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'missing';
    throw new ConfigError('unreadable', `${path} cannot be looked at: ${String(code ?? cause)}`, { cause });
  }
}

function notFound(where: string): ConfigError {
  const message = `There is no MCP configuration ${where}.
Looked for ${serverFiles.join(', ')}.
The smallest mcp_servers.yaml that works:

mcp_servers:
  everything:
    command: npx -y @modelcontextprotocol/server-everything
    auto_start: true
`;
  return new ConfigError('config-not-found', message);
}
