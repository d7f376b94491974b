import type { HostFault } from '../host-issue.js';
import type { HostStdioServer } from '../host-server.js';
import type { EntryForm } from './entry-form.js';

/**
 * Warns of paths that start in a folder of the host's choice. Only what is plainly a path counts, and only its place is
 * named. What a working directory is given for starts there.
 */
export function relativePathFault(server: HostStdioServer, { format }: EntryForm, faults: HostFault[]): void {
  const places = placesOfRelativePaths(server, format.stdio.cwd !== undefined);
  if (places.length === 0) return;
  const [what, which] = places.length === 1 ? ['is a relative path', 'it'] : ['are relative paths', 'each'];
  const message = `Of this server ${places.join(', ')} ${what}, and this host starts servers in a folder of its own`;
  const directory = format.stdio.cwd === undefined ? '' : ', or give the server an absolute working directory';
  const hint = `write ${which} as an absolute path; in a config file {{root}} is the folder of the project${directory}`;
  faults.push({ code: 'command-not-supported', severity: 'warning', message, hint });
}

function placesOfRelativePaths({ command, args = [], cwd }: HostStdioServer, isCwdWritten: boolean): readonly string[] {
  // Where the host has no field for it, that is told with the field.
  if (cwd !== undefined) return isAbsolute(cwd) || !isCwdWritten ? [] : ['cwd'];
  const inArguments = args.flatMap((argument, index) => (isPlainlyRelative(argument) ? [`args[${index}]`] : []));
  return isRelativeProgram(command) ? ['command', ...inArguments] : inArguments;
}

/** `./data`, `..`, `--config=../settings.json`. `data/x` may be anything, as the name of a package. */
function isPlainlyRelative(argument: string): boolean {
  return /^(?:-[^=]*=)?\.{1,2}(?:[\\/]|$)/.test(argument);
}

/** A program with a separator is a path; any other is looked up in `PATH`. */
function isRelativeProgram(command: string): boolean {
  return /[\\/]/.test(command) && !isAbsolute(command);
}

/** On any system; what begins with a variable or the home directory may be absolute. */
function isAbsolute(path: string): boolean {
  return /^(?:[\\/]|[A-Za-z]:|~|\$\{)/.test(path);
}
