import type { ToolArguments, ToolCaller } from '@x/internal/contracts';
import { escapeCharacter, escapeHidden, startOf } from '@x/internal/text';
import { plainLetters } from '../../findings/look-alike-letters.js';

const MAX_ARGUMENTS = 30;
const MAX_VALUE = 1_000;
const MAX_LINES = 5_000;

interface ShownCall {
  readonly server: string | undefined;
  readonly tool: string;
  readonly args: ToolArguments;
  readonly caller: ToolCaller;
  readonly policy: string | undefined;
  readonly digest: string;
  readonly expiresAt: string;
}

/** What a person reads before the decision. Server and arguments are foreign, so each stays in its own line. */
export function approvalText({ server, tool, args, caller, policy, digest, expiresAt }: ShownCall): string {
  const by = [caller.role && `role ${name(caller.role)}`, caller.principal && `principal ${name(caller.principal)}`];
  const asked = by.filter(Boolean).join(', ');
  return [
    'Allow this tool call, once?',
    `Server: ${server === undefined ? '(a tool of the app)' : name(server)}`,
    `Tool: ${name(tool)}`,
    ...(asked === '' ? [] : [`Caller: ${asked}`]),
    ...(policy === undefined ? [] : [`Policy: ${name(policy)}`]),
    ...argumentLines(args),
    `Digest: ${digest}`,
    `Expires: ${expiresAt}`,
  ].join('\n');
}

function argumentLines(args: ToolArguments): readonly string[] {
  const entries = Object.entries(args);
  if (entries.length === 0) return ['Arguments: none'];
  const lines = [`Arguments: ${entries.length}`];
  let left = MAX_LINES;
  for (const [key, value] of entries.slice(0, MAX_ARGUMENTS)) {
    const line = `  ${cut(safe(JSON.stringify(key)), 200)}: ${cut(safe(JSON.stringify(value) ?? 'null'), MAX_VALUE)}`;
    left -= line.length;
    if (left < 0) break;
    lines.push(line);
  }
  const missing = entries.length - lines.length + 1;
  return missing === 0 ? lines : [...lines, `  (${missing} more arguments are not shown)`];
}

/** In ASCII alone: names of servers and tools are compared by eye. */
function name(text: string): string {
  return cut(escapeHidden(JSON.stringify(text)).replace(/[^\x20-\x7e]/gu, escapeCharacter), 200);
}

const WORD = /[\p{L}\p{M}]+/gu;

/** Escapes letters that pass for Latin ones, in words that read as Latin. Other scripts stay as they are. */
function safe(json: string): string {
  return escapeHidden(json).replace(WORD, (word) => {
    const isPlain = /^[\x20-\x7e]*$/.test(word);
    const readsAsLatin = !isPlain && /^[A-Za-z]+$/.test(plainLetters(word)) && !/^\p{Script=Latin}+$/u.test(word);
    return readsAsLatin ? word.replace(/[^\x20-\x7e]/gu, escapeCharacter) : word;
  });
}

function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const start = startOf(text, length);
  return `${start} (${text.length - start.length} more characters are not shown)`;
}
