import { win32 } from 'node:path';

interface WindowsCommand {
  readonly file: string;
  readonly args: readonly string[];
}

export interface WindowsSystem {
  readonly commandInterpreter: string;
  readonly node: string | undefined;
  isFile(path: string): boolean;
}

export type WindowsLaunch =
  | { readonly file: string; readonly args: readonly string[]; readonly isVerbatim: boolean }
  | { readonly refusal: string };

/** Environment that keeps programs of Windows from searching the current directory for other programs. */
export const windowsVariables: Readonly<Record<string, string>> =
  process.platform === 'win32' ? { NoDefaultCurrentDirectoryInExePath: '1' } : {};

const maxLineLength = 8_191;

/**
 * Batch files need `cmd.exe`, which parses the line twice, once itself and once for `%*`. Arguments are quoted for both
 * passes, or refused if no quoting is safe (CVE-2024-24576). `npx.cmd` and `npm.cmd` are replaced by their scripts.
 */
export function windowsLaunch({ file, args }: WindowsCommand, host: WindowsSystem): WindowsLaunch {
  const extension = win32.extname(file).toLowerCase();
  if (extension === '.exe' || extension === '.com') return { file, args, isVerbatim: false };
  if (extension !== '.cmd' && extension !== '.bat') return { refusal: 'it is neither a program nor a batch file' };
  const script = npmScript(file, host);
  if (script !== undefined) return { file: script.node, args: [script.file, ...args], isVerbatim: false };
  return batchLaunch(file, args, host.commandInterpreter);
}

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
  if (unquotable.test(file)) return { refusal: `cmd.exe cannot run its path, which contains ${refusedCharacters}` };
  const index = args.findIndex((argument) => unquotable.test(argument));
  if (index !== -1) {
    return { refusal: `argument ${index + 1} cannot be passed to a batch file: it contains ${refusedCharacters}` };
  }
  const line = `"${[file, ...args].map(quoted).join(' ')}"`;
  if (line.length + commandInterpreter.length > maxLineLength - 100) {
    return { refusal: `a batch file accepts at most ${maxLineLength} characters in all` };
  }
  // /d: no AutoRun commands. /e:on and /v:off: "!" is literal. /s: removes only the outer quotes.
  return { file: commandInterpreter, args: ['/e:on', '/v:off', '/d', '/s', '/c', line], isVerbatim: true };
}

/** `"` ends a quotation in one of the passes, `%` expands within quotes, a line end ends the command. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they end a line or a text
const unquotable = /["%\u0000-\u0008\u000a-\u001f]/;
const refusedCharacters = 'a quotation mark, a percent sign or a control character';

/** Doubles backslashes before the closing quote. */
function quoted(text: string): string {
  return `"${text.replace(/\\+$/, '$&$&')}"`;
}
