import { type SplitCommand, splitCommand } from '@x/internal/launch';
import type { McpServerEntry } from '../schema/server-files.js';
import { parseTemplate } from '../template/parse-template.js';

/** `splitCommand` for a text with templates: spaces in `{{ root }}` do not separate words. */
export function splitTemplate(command: string): SplitCommand {
  if (!/\{\{[ \t]/.test(command)) return splitCommand(command);
  const [space, tab] = unusedCharacters(command);
  const parts = parseTemplate(command).map(({ kind, expression }) =>
    kind === 'text' ? expression : expression.replaceAll(' ', space).replaceAll('\t', tab),
  );
  const result = splitCommand(parts.join(''));
  if ('problem' in result) return result;
  return { ...result, words: result.words.map((word) => word.replaceAll(space, ' ').replaceAll(tab, '\t')) };
}

/** Private-use characters that the text lacks. */
function unusedCharacters(text: string): [string, string] {
  const found: string[] = [];
  for (let code = 0xe000; found.length < 2; code++) {
    const character = String.fromCharCode(code);
    if (!text.includes(character)) found.push(character);
  }
  return [found[0] ?? '', found[1] ?? ''];
}

/** Empty if there are none or the text cannot be split. */
export function commandWords({ command, args }: Pick<McpServerEntry, 'command' | 'args'>): readonly string[] {
  if (typeof command !== 'string') return [...(command ?? []), ...(args ?? [])];
  if (args !== undefined) return [command, ...args];
  const split = splitTemplate(command);
  return 'words' in split ? split.words : [];
}
