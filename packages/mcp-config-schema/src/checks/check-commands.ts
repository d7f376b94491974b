import { quoted } from '@x/internal/text';
import type { ConfigFile } from '../config-file.js';
import type { ConfigFault, ConfigPath } from '../issues.js';
import type { McpServerEntry } from '../schema/mcp-servers-file.js';
import { splitTemplate } from '../servers/split-template.js';

export function checkCommands(files: readonly ConfigFile[]): void {
  for (const { source, section, serverParts } of files) {
    for (const [name, { command, args }] of serverParts) {
      const isSplit = typeof command === 'string' && args === undefined;
      const found = isSplit ? faultOfLine(command) : faultOfProgram(command);
      if (found !== undefined) source.report(found.fault, [section, name, ...found.path]);
    }
  }
}

interface CommandFault {
  readonly fault: ConfigFault;
  readonly path: ConfigPath;
}

/** Shell splitting drops the backslashes of a Windows path. */
function faultOfLine(command: string): CommandFault | undefined {
  if (!command.includes('\\')) return undefined;
  const split = splitTemplate(command);
  const [dropped] = 'dropped' in split ? split.dropped : [];
  if (dropped === undefined) return undefined;
  const message = `The backslash before ${quoted(dropped)} is dropped, because the command is split as a shell would`;
  const hint = 'write the command as a list of words, or quote the path inside the text';
  return { fault: { code: 'lost-backslash', severity: 'warning', message, hint }, path: ['command'] };
}

/** A text that is not split is the name of a program, including spaces. */
function faultOfProgram(command: McpServerEntry['command']): CommandFault | undefined {
  const program = typeof command === 'string' ? command : command?.[0];
  if (program === undefined || !holdsArguments(program)) return undefined;
  const message = 'This whole text is the name of a program, and it seems to contain arguments';
  const hint = 'write only the program as "command", and its arguments as the list "args"';
  const path = typeof command === 'string' ? ['command'] : ['command', 0];
  return { fault: { code: 'unsplit-command', severity: 'warning', message, hint }, path };
}

/** Paths may contain spaces: `C:\Program Files\nodejs\node.exe` is a program, `npx -y server` is not. */
function holdsArguments(program: string): boolean {
  const [first = '', ...rest] = program.trim().split(/\s+/);
  if (rest.length === 0) return false;
  if (rest.some((word) => word.startsWith('-'))) return true;
  return !/[/\\]/.test(first) && !/\.(exe|cmd|bat|com|app)$/i.test(program);
}
