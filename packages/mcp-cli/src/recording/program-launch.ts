import { win32 } from 'node:path';
import { checkCommand } from '@x/mcp-client-manager/diagnose';
import { CommandError, exitCodes, type Io } from '../command.js';
import { printableLine } from '../output/print.js';

interface ProgramLaunch {
  readonly file: string;
  readonly args: readonly string[];
  /** True if `args` are already quoted for Windows. */
  readonly isVerbatim: boolean;
}

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
  const found = await checkCommand({ command, cwd, environment: { ...env } as NodeJS.ProcessEnv });
  if (found.status === 'found') return windowsLaunch(found.file, args, env.SystemRoot ?? env.SYSTEMROOT);
  throw new CommandError(
    exitCodes.startFailed,
    `"${printableLine(command, 200)}" cannot be started: ${found.status}.`,
    { hint: found.hint },
  );
}

/** Batch files, such as the programs of npm, need `cmd.exe`. It gets only words that no quoting can turn into commands. */
export function windowsLaunch(file: string, args: readonly string[], systemRoot = 'C:\\Windows'): ProgramLaunch {
  const extension = win32.extname(file).toLowerCase();
  if (extension === '.exe' || extension === '.com') return { file, args, isVerbatim: false };
  const words = [file, ...args];
  const index = words.findIndex((word) => unquotable.test(word));
  if (index !== -1 || (extension !== '.cmd' && extension !== '.bat')) {
    const reason =
      index === -1
        ? 'it is neither a program nor a batch file'
        : `word ${index + 1} has a quotation mark, a percent sign or a control character, which a batch file cannot get safely`;
    throw new CommandError(exitCodes.startFailed, `"${printableLine(file, 200)}" cannot be started: ${reason}.`, {
      hint: 'Name the program that it runs, such as node with the script.',
    });
  }
  // /d: no AutoRun commands. /e:on and /v:off: "!" is literal. /s: removes only the outer quotes.
  const line = `"${words.map(quoted).join(' ')}"`;
  const interpreter = win32.join(systemRoot, 'System32', 'cmd.exe');
  return { file: interpreter, args: ['/e:on', '/v:off', '/d', '/s', '/c', line], isVerbatim: true };
}

/** `"` ends a quotation, `%` expands within quotes, a line end ends the command. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they end a line or a text
const unquotable = /["%\u0000-\u0008\u000a-\u001f]/;

/** Doubles backslashes before the closing quote. */
function quoted(text: string): string {
  return `"${text.replace(/\\+$/, '$&$&')}"`;
}
