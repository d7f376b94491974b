import type { McpServerEntry } from '../schema/mcp-servers-file.js';
import { splitTemplate } from '../servers/split-template.js';

/** The program of an entry and its arguments, as written. Empty where there is none or it cannot be split. */
export function commandWords({ command, args }: Pick<McpServerEntry, 'command' | 'args'>): readonly string[] {
  if (typeof command !== 'string') return [...(command ?? []), ...(args ?? [])];
  if (args !== undefined) return [command, ...args];
  const split = splitTemplate(command);
  return 'words' in split ? split.words : [];
}
