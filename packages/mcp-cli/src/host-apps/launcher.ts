import { mkdir, readFile } from 'node:fs/promises';
import { platform as systemPlatform } from 'node:os';
import { delimiter, dirname, isAbsolute, join } from 'node:path';
import { exists, replaceFile } from '@x/internal/files';
import { isRecord, parseJson } from '@x/internal/json';
import { inSingleQuotes } from '@x/internal/text';
import packageJson from '../../package.json' with { type: 'json' };
import type { Io } from '../command.js';

/** The package in its present major version, as `npx` takes it. Minor versions before 1.0 are compatible, too. */
export const npxPackage = `@x/mcp-cli@${packageJson.version.split('.')[0]}`;

type LauncherIo = Pick<Io, 'env' | 'daemonPrograms'> & { readonly stateDirectory: string };

/**
 * File of the program that host apps start: it outlives updates of Node.js and of `mcpx`. It starts the version that
 * wrote it; if that one was removed, another one that it finds.
 */
export function launcherPath(stateDirectory: string, platform: string = systemPlatform()): string {
  return join(stateDirectory, 'bin', platform === 'win32' ? 'mcpx.cmd' : 'mcpx');
}

/** Makes the launcher start this program, with its directories in PATH: apps of a desktop start without them. */
export async function writeLauncher({ env, daemonPrograms, stateDirectory }: LauncherIo): Promise<void> {
  const [node, program] = daemonPrograms?.command ?? [];
  if (node === undefined || program === undefined) return;
  const file = launcherPath(stateDirectory);
  const text = launcherText({ node, program, path: lastingPath(env.PATH, node), version: packageJson.version });
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await replaceFile(file, text, { mode: 0o700 });
}

/** Updates a launcher that is there, if its program was removed or is older. Fails silently: the launcher is a copy. */
export async function refreshLauncher(
  io: Omit<LauncherIo, 'stateDirectory'> & Pick<Io, 'stateDirectory'>,
): Promise<void> {
  const { stateDirectory, daemonPrograms } = io;
  if (stateDirectory === undefined) return;
  const known = await writtenBy(launcherPath(stateDirectory));
  if (known === undefined) return;
  const isOther = daemonPrograms?.command.some((word, index) => word !== known.program[index]) ?? false;
  if (!isOther && known.version === packageJson.version) return;
  const isGone = !(await Promise.all(known.program.map(exists))).every(Boolean);
  if (isGone || replaces(daemonPrograms?.command, known.version)) {
    await writeLauncher({ ...io, stateDirectory }).catch(() => undefined);
  }
}

/** A version in the cache of npx is of one project, and may be deleted at any time. */
function replaces(command: readonly string[] = [], version: string): boolean {
  return !command.some((word) => /[\\/]_npx[\\/]/.test(word)) && compare(packageJson.version, version) > 0;
}

function compare(left: string, right: string): number {
  const [a, b] = [left, right].map((version) => version.split(/[.+-]/, 3).map(Number));
  const index = a?.findIndex((part, at) => part !== b?.[at]) ?? -1;
  return index < 0 ? 0 : (a?.[index] ?? 0) - (b?.[index] ?? 0);
}

interface Written {
  readonly version: string;
  readonly program: readonly string[];
}

/** What the launcher says of itself; `undefined` if there is none of ours. */
async function writtenBy(file: string): Promise<Written | undefined> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const value = parseJson(/^(?:#|rem) (\{.*\})$/m.exec(text)?.[1] ?? '');
  if (!isRecord(value) || typeof value.version !== 'string' || !Array.isArray(value.program)) return undefined;
  return { version: value.version, program: value.program.map(String) };
}

/** Without directories of one run, which `npx` and package scripts put in front. */
function lastingPath(path = '', node: string): string {
  const directories = [dirname(node), ...path.split(delimiter)];
  const lasting = directories.filter(
    (directory) =>
      isAbsolute(directory) && !/[\\/](node_modules[\\/]\.bin|_npx|fnm_multishells)([\\/]|$)/.test(directory),
  );
  return [...new Set(lasting)].join(delimiter);
}

interface LauncherParts {
  readonly node: string;
  readonly program: string;
  /** Directories behind those that the host app has in its PATH. */
  readonly path: string;
  readonly version: string;
}

export function launcherText(parts: LauncherParts, platform: string = systemPlatform()): string {
  return platform === 'win32' ? batchText(parts) : shellText(parts);
}

function facts({ version, node, program }: LauncherParts): string {
  return JSON.stringify({ version, program: [node, program] } satisfies Written);
}

const purpose = 'Host apps start mcpx by this file. mcpx replaces it when it changes.';

function shellText(parts: LauncherParts): string {
  return `#!/bin/sh
# ${purpose}
# ${facts(parts)}
PATH="\${PATH:+$PATH:}"${inSingleQuotes(parts.path)}
export PATH
node=${inSingleQuotes(parts.node)}
program=${inSingleQuotes(parts.program)}
if [ -x "$node" ] && [ -f "$program" ]; then exec "$node" "$program" "$@"; fi

# One of them was removed: the first other Node.js that works, with the program, or with the mcpx beside it.
npx=
for node in "$(command -v node)" "\${NVM_DIR:-$HOME/.nvm}"/versions/node/*/bin/node \\
  "$HOME"/.local/share/fnm/node-versions/*/installation/bin/node "$HOME"/.volta/bin/node "$HOME"/.asdf/shims/node \\
  "$HOME"/.local/share/mise/shims/node /opt/homebrew/bin/node /usr/local/bin/node /usr/bin/node; do
  [ -x "$node" ] || continue
  "$node" -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' 2>/dev/null || continue
  directory=\${node%/*}
  if [ -f "$program" ]; then PATH="$directory:$PATH"; exec "$node" "$program" "$@"; fi
  if [ -x "$directory/mcpx" ]; then PATH="$directory:$PATH"; exec "$directory/mcpx" "$@"; fi
  if [ -z "$npx" ] && [ -x "$directory/npx" ]; then npx=$directory; fi
done
if command -v mcpx >/dev/null; then exec mcpx "$@"; fi
if [ -n "$npx" ]; then PATH="$npx:$PATH"; exec "$npx/npx" -y ${npxPackage} "$@"; fi
echo 'mcpx: neither mcpx nor Node.js 20 or newer was found. Install them and run "mcpx sync --gateway" again.' >&2
exit 127
`;
}

function batchText(parts: LauncherParts): string {
  const [node, program, path] = [parts.node, parts.program, parts.path].map((text) => text.replaceAll('%', '%%'));
  const lines = [
    '@echo off',
    'setlocal DisableDelayedExpansion',
    'set "NoDefaultCurrentDirectoryInExePath=1"', // the app may start it in a cloned folder
    'chcp 65001 >nul',
    `rem ${purpose}`,
    `rem ${facts(parts)}`,
    `set "PATH=%PATH%;${path}"`,
    `if not exist "${node}" goto other`,
    `if not exist "${program}" goto other`,
    `"${node}" "${program}" %*`,
    'exit /b %errorlevel%',
    ':other',
    'where $PATH:mcpx.cmd >nul 2>nul',
    'if errorlevel 1 goto package',
    'call mcpx.cmd %*',
    'exit /b %errorlevel%',
    ':package',
    `call npx.cmd -y ${npxPackage} %*`,
    'exit /b %errorlevel%',
  ];
  return lines.map((line) => `${line}\r\n`).join('');
}
