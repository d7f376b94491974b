import { posix, win32 } from 'node:path';
import type { StdioServerConfig } from '../config.js';
import { isRelativePath, pathArgument } from './path-argument.js';

/** What has to be known of a machine to resolve the commands of an extension. */
export interface LaunchFacts {
  /** As in `process.platform`. */
  readonly platform: string;
  /** Absolute. The project that servers work on, and that hosts start them in. */
  readonly root: string;
  /** Absolute. The folder of the extension. */
  readonly folder: string;
  /** Absolute path of the Python of the extension's or the project's virtual environment. */
  readonly python?: string | undefined;
  /** The variable in which the extension's servers expect the root. */
  readonly rootVariable?: string | undefined;
  /** Those of `pathsToFind` that exist in the extension's folder and not in the root. */
  readonly ownPaths: ReadonlySet<string>;
}

/** What of a server is resolved. */
export type Launchable = Pick<StdioServerConfig, 'command' | 'args' | 'env' | 'cwd' | 'secrets'>;

/** The command of a server with its paths and templates resolved. */
export interface ResolvedLaunch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Only if it was written; absolute. */
  readonly cwd?: string | undefined;
  /** The command asks for Python and no virtual environment is known, so that it is left as it was written. */
  readonly lacksPython: boolean;
}

/**
 * Resolves what a server of an extension is started with:
 *
 * - `python` and `python3` become the Python of the virtual environment;
 * - the `.` of `--root .` and `--root=.` becomes the root;
 * - a relative path that exists in the extension and not in the root becomes absolute. One that exists in the root is
 *   left, because servers are started there;
 * - the declared root variable is set to the root, unless the server sets it itself;
 * - a relative `cwd` becomes absolute, and what is relative to it is left.
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

/** The relative paths of a server whose existence decides what becomes of them. */
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

/** A program without a separator is looked up in `PATH`, whatever files there are. */
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
