import { isPackageHere, npxPackage, type PackageUser } from '@x/internal/processes';
import { type CommandLine, wrappedCommands } from './wrapped-command.js';

/**
 * True if a command may download the server before it runs: its first start takes minutes, and a kill restarts the
 * download.
 *
 * @param command - A name or a path; `npx`, `/usr/bin/npx` and `npx.cmd` are the same.
 */
export function isPackageRunner(command: string, args: readonly string[]): boolean {
  const name = programName(command);
  if (alwaysFetching.has(name)) return true;
  const wrapped = wrappedCommands(name, args);
  if (wrapped) return wrapped.some(isRunnerLine);
  if (name === 'deno') return args.some((argument) => /^(npm|jsr|https?):/.test(argument));
  const words = wordsOf(args, valueOptions.get(name)).join(' ');
  return (fetchingCommands.get(name) ?? []).some((start) => words === start || words.startsWith(`${start} `));
}

function isRunnerLine([command, ...args]: CommandLine): boolean {
  return command !== undefined && isPackageRunner(command, args);
}

/** True if the command is `npx`, also behind a wrapper, and its package is nowhere on this machine. */
export async function willDownload(command: string, args: readonly string[], user: PackageUser): Promise<boolean> {
  const name = npxPackage(command, args);
  if (name !== undefined) return !(await isPackageHere(name, user));
  const wrapped = wrappedCommands(programName(command), args) ?? [];
  const downloads = wrapped.map(([inner, ...rest]) => inner !== undefined && willDownload(inner, rest, user));
  return (await Promise.all(downloads)).includes(true);
}

const alwaysFetching = new Set(['npx', 'pnpx', 'bunx', 'uvx', 'dnx']);

const fetchingCommands = new Map<string, readonly string[]>([
  ['npm', ['exec', 'x', 'init', 'create']],
  ['pnpm', ['dlx', 'create']],
  ['yarn', ['dlx', 'create']],
  ['bun', ['x', 'create']],
  ['uv', ['tool run', 'run']],
  ['pipx', ['run']],
  ['hatch', ['run']],
  ['pixi', ['exec', 'run']],
  ['go', ['run']],
  ['cargo', ['run']],
  ['dotnet', ['tool exec', 'tool execute', 'run']],
  ['nix', ['run', 'shell', 'develop']],
  ...['docker', 'podman', 'nerdctl', 'finch'].map((name): [string, string[]] => [
    name,
    ['run', 'container run', 'compose run', 'mcp gateway run'],
  ]),
]);

/** Options before the subcommand that take a value. */
const valueOptions = new Map<string, ReadonlySet<string>>([
  ['docker', new Set(['-H', '--host', '-c', '--context', '--config', '-l', '--log-level'])],
  ['podman', new Set(['-c', '--connection', '--url', '--identity', '--log-level', '--root', '--runroot'])],
  ['npm', new Set(['--prefix', '-C', '--registry', '--cache', '--userconfig'])],
  ['pnpm', new Set(['-C', '--dir', '--filter', '-F'])],
  ['yarn', new Set(['--cwd'])],
  ['uv', new Set(['--directory', '--project', '--python', '-p', '--cache-dir', '--config-file', '--index-url'])],
  ['cargo', new Set(['-C', '--config', '--color'])],
  ['go', new Set(['-C'])],
]);

function programName(command: string): string {
  return command
    .replace(/^.*[/\\]/, '')
    .replace(/\.(cmd|exe|bat|ps1)$/i, '')
    .toLowerCase();
}

function wordsOf(args: readonly string[], withValue: ReadonlySet<string> = new Set()): string[] {
  const words: string[] = [];
  for (let index = 0; index < args.length && words.length < 3; index += 1) {
    const argument = args[index] ?? '';
    if (withValue.has(argument)) index += 1;
    else if (!argument.startsWith('-')) words.push(argument);
  }
  return words;
}
