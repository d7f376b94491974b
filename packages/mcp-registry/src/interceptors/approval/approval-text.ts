import type { JsonSchema, ToolArguments, ToolCaller } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { escapeCharacter, escapeHidden, startOf } from '@x/internal/text';
import { plainLetters } from '../../findings/look-alike-letters.js';

const MAX_ARGUMENTS = 30;
const MAX_NAME = 200;
const MAX_VALUE = 1_000;
const MAX_LINES = 4_000;

interface ShownCall {
  readonly server: string | undefined;
  readonly tool: string;
  readonly args: ToolArguments;
  readonly inputSchema: JsonSchema | undefined;
  readonly caller: ToolCaller;
  readonly policy: string | undefined;
  readonly digest: string;
  readonly expiresAt: string;
}

export interface ShownText {
  readonly text: string;
  /** False if a part of the call is missing in it. */
  readonly isWhole: boolean;
}

/** What a person reads before the decision. Server and arguments are foreign, so each stays in its own line. */
export function approvalText(call: ShownCall): ShownText {
  const { server, tool, args, inputSchema, caller, policy, digest, expiresAt } = call;
  const by = [caller.role && `role ${name(caller.role)}`, caller.principal && `principal ${name(caller.principal)}`];
  const asked = by.filter(Boolean).join(', ');
  const shown = argumentLines(args, inputSchema);
  const text = [
    'Allow this tool call, once?',
    `Server: ${server === undefined ? '(a tool of the app)' : name(server)}`,
    `Tool: ${name(tool)}`,
    ...(asked === '' ? [] : [`Caller: ${asked}`]),
    ...(policy === undefined ? [] : [`Policy: ${name(policy)}`]),
    ...shown.lines,
    `Digest: ${digest}`,
    `Expires: ${expiresAt}`,
  ].join('\n');
  const names = [server, tool, caller.role, caller.principal, policy];
  const hasWholeNames = names.every((each) => each === undefined || escapedName(each).length <= MAX_NAME);
  return { text, isWhole: shown.isWhole && hasWholeNames };
}

interface ShownArguments {
  readonly lines: readonly string[];
  readonly isWhole: boolean;
}

function argumentLines(args: ToolArguments, schema: JsonSchema | undefined): ShownArguments {
  const keys = inOrder(Object.keys(args), schema);
  if (keys.length === 0) return { lines: ['Arguments: none'], isWhole: true };
  const heading = `Arguments: ${keys.length}`;
  const whole = wholeLines(args, keys);
  if (whole !== undefined) return { lines: [heading, ...whole], isWhole: true };
  const lines: string[] = [];
  let left = MAX_LINES;
  for (const key of keys.slice(0, MAX_ARGUMENTS)) {
    const line = `  ${cut(safe(JSON.stringify(key)), MAX_NAME)}: ${cut(valueText(args[key]), MAX_VALUE)}`;
    left -= line.length;
    if (left < 0) break;
    lines.push(line);
  }
  const missing = keys.length - lines.length;
  const note = missing === 0 ? [] : [`  (${missing} more arguments are not shown)`];
  return { lines: [heading, ...lines, ...note], isWhole: false };
}

/** `undefined` if they are too long. */
function wholeLines(args: ToolArguments, keys: readonly string[]): readonly string[] | undefined {
  const lines: string[] = [];
  let left = MAX_LINES;
  for (const key of keys) {
    const line = `  ${safe(JSON.stringify(key))}: ${valueText(args[key])}`;
    left -= line.length + 1;
    if (left < 0) return undefined;
    lines.push(line);
  }
  return lines;
}

function valueText(value: unknown): string {
  return safe(JSON.stringify(value) ?? 'null');
}

/** Required ones first, then others that the schema names, so that invented ones hide none. */
function inOrder(keys: readonly string[], schema: JsonSchema | undefined): readonly string[] {
  const required = Array.isArray(schema?.required) ? schema.required.filter((key) => typeof key === 'string') : [];
  const named = isRecord(schema?.properties) ? Object.keys(schema.properties) : [];
  const given = new Set(keys);
  const known = [...required, ...named].filter((key) => given.has(key));
  return [...new Set([...known, ...keys])];
}

/** In ASCII alone: names of servers and tools are compared by eye. */
function name(text: string): string {
  return cut(escapedName(text), MAX_NAME);
}

function escapedName(text: string): string {
  return escapeHidden(JSON.stringify(text)).replace(/[^\x20-\x7e]/gu, escapeCharacter);
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

/** Both ends of a long text. */
function cut(text: string, length: number): string {
  if (text.length <= length) return text;
  const start = startOf(text, Math.ceil(length * 0.6));
  const end = text.slice(text.length - Math.floor(length * 0.4)).replace(/^[\udc00-\udfff]/, '');
  return `${start} (${text.length - start.length - end.length} more characters are not shown) ${end}`;
}
