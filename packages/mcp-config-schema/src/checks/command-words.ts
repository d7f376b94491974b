import type { McpServerEntry } from '../schema/mcp-servers-file.js';
import { splitTemplate } from '../servers/split-template.js';

/** Empty if there are none or the text cannot be split. */
export function commandWords({ command, args }: Pick<McpServerEntry, 'command' | 'args'>): readonly string[] {
  if (typeof command !== 'string') return [...(command ?? []), ...(args ?? [])];
  if (args !== undefined) return [command, ...args];
  const split = splitTemplate(command);
  return 'words' in split ? split.words : [];
}
