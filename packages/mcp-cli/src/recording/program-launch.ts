import { statSync } from 'node:fs';
import { win32 } from 'node:path';
import { type WindowsLaunch, windowsLaunch } from '@x/internal/processes';
import { checkCommand } from '@x/mcp-client-manager/diagnose';
import { CommandError, exitCodes, type Io } from '../command.js';
import { printableLine } from '../output/print.js';

type ProgramLaunch = Exclude<WindowsLaunch, { readonly refusal: string }>;

/**
 * POSIX searches PATH itself. Windows would search the current directory first, so the file is resolved here.
 *
 * @throws {CommandError} There is no such program, or Windows cannot pass it the arguments.
 */
export async function programLaunch(
  [command = '', ...args]: readonly string[],
  { cwd, env }: Pick<Io, 'cwd' | 'env'>,
  platform: NodeJS.Platform,
): Promise<ProgramLaunch> {
  if (platform !== 'win32') return { file: command, args, isVerbatim: false };
  const found = await find(command, { cwd, env });
  if (found.status !== 'found') throw notStarted(command, found.status, found.hint);
  const node = await find('node.exe', { cwd, env });
  const systemRoot = env.SystemRoot ?? env.SYSTEMROOT ?? 'C:\\Windows';
  const launch = windowsLaunch(
    { file: found.file, args },
    {
      commandInterpreter: win32.join(systemRoot, 'System32', 'cmd.exe'),
      node: node.status === 'found' ? node.file : undefined,
      isFile: (path) => statSync(path, { throwIfNoEntry: false })?.isFile() ?? false,
    },
  );
  if (!('refusal' in launch)) return launch;
  throw notStarted(found.file, launch.refusal, 'Name the program that it runs, such as node with the script.');
}

function find(command: string, { cwd, env }: Pick<Io, 'cwd' | 'env'>) {
  return checkCommand({ command, cwd, environment: { ...env } as NodeJS.ProcessEnv });
}

function notStarted(command: string, reason: string, hint: string | undefined): CommandError {
  return new CommandError(
    exitCodes.startFailed,
    `"${printableLine(command, 200)}" cannot be started: ${printableLine(reason, 300)}.`,
    { hint },
  );
}
