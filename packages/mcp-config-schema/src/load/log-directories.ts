import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { relativeInside } from '@x/internal/files';
import type { Config, SourcePosition } from '../config.js';
import type { ConfigIssue } from '../issues.js';
import type { ReadFile } from './read-files.js';

type Settings = Pick<Config, 'settings' | 'servers'>;

/** The `log_directory` settings of a project that are outside of it. No program may write there. */
export interface LogDirectories {
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
