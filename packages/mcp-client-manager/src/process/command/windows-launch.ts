import { win32 } from 'node:path';

export interface WindowsCommand {
  /** Absolute path of what was found on PATH. */
  readonly file: string;
  readonly args: readonly string[];
}

export interface WindowsSystem {
  /** Absolute path of `cmd.exe`. */
  readonly commandInterpreter: string;
  /** Absolute path of `node.exe`, if there is one. */
  readonly node: string | undefined;
  isFile(path: string): boolean;
}

/** What `spawn` is to be given, or why it must not be. */
export type WindowsLaunch =
  | { readonly file: string; readonly args: readonly string[]; readonly isVerbatim: boolean }
  | { readonly refusal: string };

/** Longest command line that `cmd.exe` takes, in characters. */
const maxLineLength = 8_191;

/**
 * How to start a file on Windows. A program is started as it is. A batch file is run by `cmd.exe`, which reads its line
 * twice, once for itself and once where the file passes `%*` on: arguments are quoted for both, and those that no quoting
 * gets through are refused (CVE-2024-24576). `npx.cmd` and `npm.cmd` are passed by: Node runs the script behind them.
 */
export function windowsLaunch({ file, args }: WindowsCommand, host: WindowsSystem): WindowsLaunch {
  const extension = win32.extname(file).toLowerCase();
  if (extension === '.exe' || extension === '.com') return { file, args, isVerbatim: false };
  if (extension !== '.cmd' && extension !== '.bat') return { refusal: 'it is neither a program nor a batch file' };
  const script = npmScript(file, host);
  if (script !== undefined) return { file: script.node, args: [script.file, ...args], isVerbatim: false };
  return batchLaunch(file, args, host.commandInterpreter);
}

/** What `npx.cmd` and `npm.cmd` would run, where npm lies beside them. */
function npmScript(file: string, { node, isFile }: WindowsSystem): { node: string; file: string } | undefined {
  const name = win32.basename(file).toLowerCase();
  if (name !== 'npx.cmd' && name !== 'npm.cmd') return undefined;
  const folder = win32.dirname(file);
  const script = win32.join(folder, 'node_modules', 'npm', 'bin', name.replace('.cmd', '-cli.js'));
  const beside = win32.join(folder, 'node.exe');
  const program = isFile(beside) ? beside : node;
  return program !== undefined && isFile(script) ? { node: program, file: script } : undefined;
}

function batchLaunch(file: string, args: readonly string[], commandInterpreter: string): WindowsLaunch {
  if (unquotable.test(file)) return { refusal: `cmd.exe cannot be given its path: it holds ${refusedCharacters}` };
  const index = args.findIndex((argument) => unquotable.test(argument));
  if (index !== -1) {
    return { refusal: `argument ${index + 1} cannot be passed to a batch file: it holds ${refusedCharacters}` };
  }
  const line = `"${[file, ...args].map(quoted).join(' ')}"`;
  if (line.length + commandInterpreter.length > maxLineLength - 100) {
    return { refusal: `a batch file takes no more than ${maxLineLength} characters in all` };
  }
  // /d: no AutoRun commands. /e:on and /v:off: "!" means nothing. /s: of the line only the outer quotes are taken off.
  return { file: commandInterpreter, args: ['/e:on', '/v:off', '/d', '/s', '/c', line], isVerbatim: true };
}

/** `"` ends a quotation in one of the two readings, `%` is expanded within quotes, and a line end ends the command. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they end a line or a text
const unquotable = /["%\u0000-\u0008\u000a-\u001f]/;
const refusedCharacters = 'a quotation mark, a percent sign or a control character';

/** Backslashes before the closing quote are doubled for the program that the batch file runs. */
function quoted(text: string): string {
  return `"${text.replace(/\\+$/, '$&$&')}"`;
}
