import type { HostFault } from '../host-issue.js';
import type { HostStdioServer } from '../host-server.js';
import type { EntryForm } from './entry-form.js';

/**
 * Warns about relative paths, which depend on the folder that the host starts servers in. Counts only arguments that
 * are clearly paths.
 */
export function relativePathFault(server: HostStdioServer, { format }: EntryForm, faults: HostFault[]): void {
  const places = placesOfRelativePaths(server, format.stdio.cwd !== undefined);
  if (places.length === 0) return;
  const [what, which] = places.length === 1 ? ['is a relative path', 'it'] : ['are relative paths', 'each'];
  const message = `In this server ${places.join(', ')} ${what}, but this host chooses the folder in which servers start`;
  const directory = format.stdio.cwd === undefined ? '' : ', or set an absolute working directory';
  const hint = `write ${which} as an absolute path; in a config file {{root}} is the project folder${directory}`;
  faults.push({ code: 'command-not-supported', severity: 'warning', message, hint });
}

function placesOfRelativePaths({ command, args = [], cwd }: HostStdioServer, isCwdWritten: boolean): readonly string[] {
  // Hosts without a field for the directory get a separate warning.
  if (cwd !== undefined) return isAbsolute(cwd) || !isCwdWritten ? [] : ['cwd'];
  const inArguments = args.flatMap((argument, index) => (isPlainlyRelative(argument) ? [`args[${index}]`] : []));
  return isRelativeProgram(command) ? ['command', ...inArguments] : inArguments;
}

/** `./data`, `..` or `--config=../settings.json`, but not `data/x`, which may be a package name. */
function isPlainlyRelative(argument: string): boolean {
  return /^(?:-[^=]*=)?\.{1,2}(?:[\\/]|$)/.test(argument);
}

/** A program with a separator is a path; others are looked up in `PATH`. */
function isRelativeProgram(command: string): boolean {
  return /[\\/]/.test(command) && !isAbsolute(command);
}

/** Absolute on any system, or after a variable or the home directory. */
function isAbsolute(path: string): boolean {
  return /^(?:[\\/]|[A-Za-z]:|~|\$\{)/.test(path);
}
