import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { relativeInside } from '@x/internal/files';
import type { Config, ServerConfig, SourcePosition } from '../config.js';
import type { ConfigIssue } from '../issues.js';
import { defaultLogDirectory } from '../schema/server-files.js';
import { escapeReferences } from '../template/expand-template.js';
import type { LoadPolicy } from './load-options.js';
import type { ReadFile } from './read-files.js';

export /**
 * Makes relative directories absolute, from the root of their file. A server of the user never runs in a project that
 * it does not name: programs such as `python3 -m x` load code from the working directory. With `variables: 'keep'` a
 * missing `cwd` stays missing.
 */
function withDirectories(
  config: Config,
  { files, logs }: { readonly files: readonly ReadFile[]; readonly logs: LogDirectories },
  { cwd, variables }: LoadPolicy,
): Config {
  const byName = new Map(files.map((file) => [file.shown, file]));
  const [first] = files;

  const servers = config.servers.map((declared): ServerConfig => {
    const server = { ...declared, ...logOf(declared, logs), ...(variables !== 'keep' && secretsIn(declared, byName)) };
    if (server.transport === 'http') return server;
    const root = byName.get(server.source.file ?? '')?.root ?? cwd;
    if (variables === 'keep')
      return server.cwd === undefined ? server : { ...server, cwd: keptDirectory(root, server.cwd) };
    return { ...server, cwd: resolve(root, server.cwd ?? '.') };
  });
  const { logDirectory = defaultLogDirectory, logDirectorySource } = logOf(config.settings, logs);
  const settings = { ...config.settings, logDirectory: resolve(first?.root ?? cwd, logDirectory), logDirectorySource };
  return { ...config, servers, settings };
}

type LogPlace = Pick<ServerConfig, 'logDirectory' | 'logDirectorySource'>;

/** Both fields are missing if the directory is not set or is outside of its project. */
function logOf({ logDirectory, logDirectorySource }: LogPlace, logs: LogDirectories): LogPlace {
  if (logDirectory === undefined || logDirectorySource === undefined) return {};
  const path = logs.of(logDirectory, logDirectorySource);
  return { logDirectory: path, logDirectorySource: path === undefined ? undefined : logDirectorySource };
}

function secretsIn({ secrets }: ServerConfig, files: ReadonlyMap<string, ReadFile>): Pick<ServerConfig, 'secrets'> {
  if (secrets === undefined) return {};
  return { secrets: secrets.map((secret) => ({ ...secret, root: files.get(secret.source.file ?? '')?.root })) };
}

/** A leading variable may be an absolute path. */
function keptDirectory(root: string, cwd: string): string {
  return cwd.startsWith('${') ? cwd : resolve(escapeReferences(root), cwd);
}

type Settings = Pick<Config, 'settings' | 'servers'>;

/** The `log_directory` settings of a project that are outside of it. No program may write there. */
interface LogDirectories {
  readonly issues: readonly ConfigIssue[];
  /** `undefined` if it is outside of its project. */
  of(logDirectory: string, source: SourcePosition): string | undefined;
}

/** Resolves each `log_directory` from the root of its file, including links. */
export async function resolveLogDirectories(
  config: Settings | undefined,
  files: readonly ReadFile[],
): Promise<LogDirectories> {
  const byName = new Map(files.map((file) => [file.shown, file]));
  const pathOf = (text: string, { file = '' }: SourcePosition): string => resolve(byName.get(file)?.root ?? '', text);
  const written = new Map(
    [...(config ? [config.settings, ...config.servers] : [])].flatMap(({ logDirectory, logDirectorySource: source }) =>
      source === undefined || logDirectory === undefined ? [] : [[source.file, { logDirectory, source }] as const],
    ),
  );
  const outside = new Map<string | undefined, ConfigIssue>();
  for (const [name, { logDirectory, source }] of written) {
    const file = byName.get(name ?? '');
    const path = pathOf(logDirectory, source);
    if (file === undefined || file.layer === 'user' || (await isInside(path, file.root))) continue;
    // An explicit file may name an outside path, but not through a link of the project.
    if (file.layer === 'project' || relativeInside(path, file.root) !== undefined)
      outside.set(name, outsideProject(source));
  }
  return {
    issues: [...outside.values()],
    of: (text, source) => (outside.has(source.file) ? undefined : pathOf(text, source)),
  };
}

async function isInside(path: string, directory: string): Promise<boolean> {
  const target = await targetOf(path);
  return target !== undefined && relativeInside(target, await realpath(directory)) !== undefined;
}

/** Target of `path`, whose last parts may be missing. `undefined` for a broken link. */
async function targetOf(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch {
    const isDangling = await lstat(path).catch(() => undefined);
    if (isDangling !== undefined || dirname(path) === path) return undefined;
    const parent = await targetOf(dirname(path));
    return parent && join(parent, basename(path));
  }
}

function outsideProject(source: SourcePosition): ConfigIssue {
  return {
    code: 'outside-project',
    severity: 'warning',
    message: 'The log_directory of this project is outside of it and has no effect',
    hint: 'use a directory in the project, or write log_directory in your own config',
    path: ['mcp_settings', 'log_directory'],
    ...source,
  };
}
