import { posix, win32 } from 'node:path';
import type { StdioServerConfig } from '../config.js';
import { staysInside } from './inside-folder.js';

/** Facts about the machine that resolve a launch. */
export interface LaunchFacts {
  readonly platform: string;
  /** The project, absolute. Hosts start servers here. */
  readonly root: string;
  readonly folder: string;
  /** Python of the virtual environment, absolute. */
  readonly python?: string | undefined;
  /** Variable in which the extension's servers expect the root. */
  readonly rootVariable?: string | undefined;
  /** Items of `pathsToFind` in the extension but not in the root. */
  readonly ownPaths: ReadonlySet<string>;
}

/** An entry that can be launched. */
export type Launchable = Pick<StdioServerConfig, 'command' | 'args' | 'env' | 'cwd' | 'secrets'>;

/** A launch with absolute paths. */
export interface ResolvedLaunch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Absolute. Missing if not configured. */
  readonly cwd?: string | undefined;
  /** True if the command is Python and no virtual environment was found; the command then stays unchanged. */
  readonly lacksPython: boolean;
}

/**
 * Resolves the command of an extension's server:
 *
 * - `python` and `python3` become the Python of the virtual environment.
 * - The `.` of `--root .` and `--root=.` becomes the root.
 * - A relative path that exists in the extension but not in the root, where servers start, becomes absolute.
 * - The root variable is set to the root, unless the server sets it.
 * - A relative `cwd` becomes absolute; paths relative to it stay.
 */
export function resolveLaunch(launch: Launchable, facts: LaunchFacts): ResolvedLaunch {
  const isPython = asksForPython(launch.command, facts.platform);
  const args = launch.args.map((argument, index) => {
    if (isOption(launch.args[index - 1]) && isHere(argument)) return facts.root;
    if (argument.startsWith(`${rootOption}=`) && isHere(argument.slice(rootOption.length + 1))) {
      return `${rootOption}=${facts.root}`;
    }
    const found = launch.cwd === undefined ? pathArgument(argument) : undefined;
    return found === undefined ? argument : found.before + ownPath(found.path, facts);
  });
  const command = isPython ? (facts.python ?? launch.command) : ownCommand(launch, facts);
  return {
    command,
    args,
    env: withRootVariable(launch, facts),
    ...(launch.cwd === undefined ? {} : { cwd: absoluteCwd(launch.cwd, facts) }),
    lacksPython: isPython && facts.python === undefined,
  };
}

/** Paths whose existence decides about the launch. */
export function pathsToFind({ command, args, cwd }: Launchable): readonly string[] {
  if (cwd !== undefined) return isRelativePath(cwd) ? [cwd] : [];
  const found = args.flatMap((argument) => pathArgument(argument)?.path ?? []);
  return isProgramPath(command) ? [command, ...found] : found;
}

const rootOption = '--root';

function isOption(argument: string | undefined): boolean {
  return argument === rootOption;
}

function isHere(value: string): boolean {
  return /^\.[/\\]?$/.test(value);
}

function asksForPython(command: string, platform: string): boolean {
  return platform === 'win32' ? /^python3?(\.exe)?$/i.test(command) : /^python3?$/.test(command);
}

/** A program without a separator is looked up in `PATH`. */
function isProgramPath(command: string): boolean {
  return /[/\\]/.test(command) && isRelativePath(command);
}

function ownCommand({ command, cwd }: Launchable, facts: LaunchFacts): string {
  return cwd === undefined && isProgramPath(command) ? ownPath(command, facts) : command;
}

function ownPath(path: string, { folder, ownPaths, platform }: LaunchFacts): string {
  return ownPaths.has(path) ? pathsOf(platform).join(folder, path) : path;
}

function absoluteCwd(cwd: string, facts: LaunchFacts): string {
  const { join, isAbsolute } = pathsOf(facts.platform);
  if (isAbsolute(cwd) || cwd.startsWith('${')) return cwd;
  return facts.ownPaths.has(cwd) ? join(facts.folder, cwd) : join(facts.root, cwd);
}

function withRootVariable({ env, secrets = [] }: Launchable, { rootVariable, root, platform }: LaunchFacts) {
  if (rootVariable === undefined || secrets.some(({ key }) => key === rootVariable)) return env;
  const fold = (name: string) => (platform === 'win32' ? name.toUpperCase() : name);
  const written = Object.keys(env).find((name) => fold(name) === fold(rootVariable));
  if (written === undefined) return { ...env, [rootVariable]: root };
  return isHere(env[written] ?? '') ? { ...env, [written]: root } : env;
}

function pathsOf(platform: string): typeof posix {
  return platform === 'win32' ? win32 : posix;
}

/** An argument that may name a file: as a whole, or after the `=` of `--config=settings/a.json`. */
interface PathArgument {
  readonly before: string;
  readonly path: string;
}

function pathArgument(argument: string): PathArgument | undefined {
  const [, before = '', path = ''] = /^(-[^=]*=)?(.*)$/s.exec(argument) ?? [];
  return isRelativePath(path) ? { before, path } : undefined;
}

/** A word without a separator must end like a file name, because most are subcommands. Variables are unknown. */
function isRelativePath(text: string): boolean {
  if (text.startsWith('-') || text.includes('${') || text.includes('\0')) return false;
  if (/^[A-Za-z][A-Za-z0-9+.-]*:/.test(text)) return false; // a URL or a drive
  return (/[/\\]/.test(text) || /[^.]\.\w+$/.test(text)) && staysInside(text);
}
