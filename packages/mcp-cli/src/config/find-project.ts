import { readFileSync, type Stats, statSync } from 'node:fs';
import { homedir, platform as systemPlatform, userInfo } from 'node:os';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { serverFiles, toolsFiles } from '@x/internal/config-files';
import { realPath } from '@x/internal/files';
import type { Io } from '../command.js';

// Looks for configs without loading one, because a command with a running daemon needs none.

/** Files of tools mark a project if no directory has servers, and if they have keys of ours. */
const ownKeys = /mcp_?tool|role_?restriction/i;

/** Files of a project that host apps read. A test compares them with those of `@x/mcp-host-sync`. */
export const projectHostFiles: readonly string[] = [
  '.abacusai/mcp.json',
  '.agents/mcp_config.json',
  '.ai/mcp/mcp.json',
  '.amazonq/mcp.json',
  '.amp/settings.json',
  '.amp/settings.jsonc',
  '.augment/settings.json',
  '.codex/config.toml',
  '.continue/mcpServers/mcpx.json',
  '.crush.json',
  '.cursor/mcp.json',
  '.devin/mcp_config.json',
  '.factory/mcp.json',
  '.gemini/settings.json',
  '.github/mcp.json',
  '.junie/mcp/mcp.json',
  '.kilo/kilo.json',
  '.kilo/kilo.jsonc',
  '.kilocode/mcp.json',
  '.kimi-code/mcp.json',
  '.kiro/settings/mcp.json',
  '.opencode/opencode.json',
  '.opencode/opencode.jsonc',
  '.qwen/settings.json',
  '.roo/mcp.json',
  '.trae/mcp.json',
  '.vibe/config.toml',
  '.vs/mcp.json',
  '.vscode/mcp.json',
  '.warp/.mcp.json',
  '.zed/settings.json',
  'config/mcporter.json',
  'crush.json',
  'kilo.json',
  'kilo.jsonc',
  'librechat.yaml',
  'opencode.json',
  'opencode.jsonc',
];
const hostKeys = /mcp|servers/i;

/** The nearest directory with a config; `undefined` if only the user's config applies. */
export function projectDirectory(cwd: string, home: string | undefined): string | undefined {
  const found = nearest(cwd, home, hasServers) ?? nearest(cwd, home, hasOwnTools);
  return found && withoutFolder(found);
}

/** The nearest directory below the home with a host app's file of the project. */
export function hostProject(cwd: string, home: string | undefined): string | undefined {
  const isProject = (directory: string): boolean =>
    directory !== home && projectHostFiles.some((name) => hasText(join(directory, name), hostKeys));
  return nearest(cwd, home, isProject);
}

/**
 * The directory in which a search finds exactly what `config` names: the directory itself, or the file of it with the
 * servers. `undefined` for all other names, and for a file of another user, which no search should read.
 */
export function searchedDirectory(config: readonly string[], cwd: string): string | undefined {
  const [first, ...others] = config;
  if (first === undefined || others.length > 0) return undefined;
  const path = resolve(cwd, first);
  const isDirectory = statsOf(path)?.isDirectory() ?? false;
  const directory = isDirectory ? withoutFolder(path) : projectRootOf(path);
  const found = fileIn(directory);
  if (found === undefined || (!isDirectory && found !== path)) return undefined;
  return isOwn(found) ? directory : undefined;
}

/** The project of a folder `config`, unless the project has other files. */
function withoutFolder(directory: string): string {
  const found = fileIn(directory);
  const project = dirname(directory);
  return found !== undefined && projectRootOf(found) === project && fileIn(project) === found ? project : directory;
}

/** The file that a search finds first. */
function fileIn(directory: string): string | undefined {
  return [...serverFiles, ...toolsFiles].map((name) => join(directory, name)).find(isFile);
}

/** True if a search finds a config, so that the files of host apps are not used. */
export function hasConfig({ cwd, env }: Pick<Io, 'cwd' | 'env'>): boolean {
  return projectDirectory(cwd, homeDirectory()) !== undefined || hasUserConfig(env);
}

/** True if the user has a config that applies everywhere. */
export function hasUserConfig(env: Readonly<Record<string, string | undefined>>): boolean {
  const directory = userDirectory(env);
  return directory !== undefined && (hasServers(directory) || toolsFiles.some((name) => isFile(join(directory, name))));
}

/** A test compares it with `userConfigDirectory`, whose import takes longer. */
export function userDirectory(
  env: Readonly<Record<string, string | undefined>>,
  { home = homeDirectory(), platform = systemPlatform() as string } = {},
): string | undefined {
  if (home === undefined) return undefined;
  if (platform === 'darwin') return join(home, 'Library', 'Preferences', 'mcpx');
  if (platform === 'win32') return join(env.APPDATA || join(home, 'AppData', 'Roaming'), 'mcpx', 'Config');
  const directory = join(env.XDG_CONFIG_HOME || join(home, '.config'), 'mcpx');
  return isAbsolute(directory) ? directory : undefined;
}

export function homeDirectory(): string | undefined {
  try {
    return resolve(homedir());
  } catch {
    return undefined;
  }
}

function nearest(cwd: string, home: string | undefined, isMarked: (directory: string) => boolean): string | undefined {
  for (let current = resolve(cwd); ; current = dirname(current)) {
    if (isMarked(current)) return realPath(current);
    if (current === home || dirname(current) === current) return undefined;
  }
}

function hasServers(directory: string): boolean {
  return serverFiles.some((name) => isFile(join(directory, name)));
}

function hasOwnTools(directory: string): boolean {
  return toolsFiles.some((name) => hasOwnRules(join(directory, name)));
}

/** True for a file with programs or roles. */
export function hasOwnRules(path: string): boolean {
  return hasText(path, ownKeys);
}

/** The directory of a file, or the parent of `config`. */
export function projectRootOf(file: string): string {
  const directory = dirname(file);
  return basename(directory) === 'config' ? dirname(directory) : directory;
}

function hasText(path: string, wanted: RegExp): boolean {
  if (!isFile(path)) return false;
  try {
    return wanted.test(readFileSync(path, 'utf8'));
  } catch {
    return true; // loading the config reports it
  }
}

function isFile(path: string): boolean {
  return statsOf(path)?.isFile() ?? false;
}

/** `undefined` for a path that cannot be examined, such as one below a file. */
export function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined; // loading the config reports what it needs
  }
}

function isOwn(file: string): boolean {
  const { uid } = userInfo();
  return uid < 0 || statsOf(file)?.uid === uid; // Windows has no numeric user ids
}
