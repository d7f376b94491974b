import type { TextRange } from '../text/text-range.js';
import { isNamedSecret, isSecretName } from './secret-shapes.js';

/** A value in a text that is known for a secret by the name before it. */
export interface NamedSecret extends TextRange {
  readonly name: string;
  /** Where the name starts. */
  readonly nameStart: number;
  /** A `:` or a `=` says whose value it is, and not only that it follows. */
  readonly isAssigned: boolean;
}

// What may stand between a name and its value on one of the next lines: line ends, comments, and the dash of an item.
const gap = String.raw`(?:[ \t]{0,200}(?:(?:#|//)[^\n]{0,200})?\r?\n){0,5}[ \t]{0,200}(?:-[ \t]{1,20})?`;
// A name and what comes between it and its value: `name: `, `"name": "`, `--name=`, `--name `, `"--name", "`.
const beforeValue = new RegExp(
  String.raw`(?<![\w.-])([\w.-]{2,})(["']?[ \t]{0,200}[:=]${gap}|["']?(?=[\s,])[ \t]{0,200},?${gap})(?=[^\s,{}\]])`,
  'g',
);

/**
 * Every value under the name of a secret, as in `API_KEY=…`, `Authorization: Bearer …`, `--password …`, `"token": "…"`,
 * on the line of its name or below.
 */
export function* namedSecretsIn(text: string): Iterable<NamedSecret> {
  const pattern = new RegExp(beforeValue);
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [before, written = '', between = ''] = match;
    const nameStart = match.index;
    const start = nameStart + before.length;
    const isAssigned = /[:=]/.test(between);
    // A value that is no secret may itself be the name of one, as in `args: [--token, …]`.
    pattern.lastIndex = nameStart + written.length;
    const name = written.slice(-longestName).replace(/^-+/, '');
    if (!isSecretName(name) || belongsElsewhere(text, start, isAssigned, between.includes('\n'))) continue;
    const head = headOfValue(text, start, formAround(text, nameStart, between));
    if (!isNamedSecret(name, head.text.replace(/^[["'\s]+|[\]"'\s]+$/g, ''))) continue;
    const end = head.isWhole ? start + head.text.length : endOfValue(text, start, head);
    yield { name: written, nameStart, start, end, isAssigned };
    pattern.lastIndex = end;
  }
}

const longestName = 200;

/** The next key of a mapping is not the value of what stands before it, nor is a list that no sign gives to it. */
function belongsElsewhere(text: string, start: number, isAssigned: boolean, isBelow: boolean): boolean {
  if (!isAssigned && text[start] === '[') return true;
  if (!isAssigned && matchAt(quotedKey, text, start) !== undefined) return true;
  return isBelow && matchAt(key, text, start) !== undefined;
}

const quotedKey = /"[^"\n]{0,200}"[ \t]{0,20}[:=]|'[^'\n]{0,200}'[ \t]{0,20}[:=]/y;
const key = /(?:"[^"\n]{0,200}"|'[^'\n]{0,200}'|[^\s"':=,{}[\]#]{1,200})(?::(?=\s|$)|[ \t]{1,20}=[ \t])/y;

interface ValueHead {
  readonly kind: keyof typeof valueForms;
  readonly text: string;
  readonly isWhole: boolean;
}

// Of each form its head, which is as much as it takes to judge a value, and what goes on after it: values that are no
// secrets would otherwise be read again for each name in them.
const valueForms = {
  '"""': { head: /"""(?:[^"\\]|\\.|"(?!"")){0,200}(?:""")?/sy, rest: /(?:[^"\\]|\\.|"(?!""))*(?:""")?/sy },
  "'''": { head: /'''(?:[^']|'(?!'')){0,200}(?:''')?/y, rest: /(?:[^']|'(?!''))*(?:''')?/y },
  '"': { head: /"(?:[^"\\]|\\.){0,200}"?/sy, rest: /(?:[^"\\]|\\.)*"?/sy },
  "'": { head: /'(?:[^']|''){0,200}'?/y, rest: /(?:[^']|'')*'?/y },
  'in "': { head: /(?:[^"\\]|\\.){0,200}/sy, rest: /(?:[^"\\]|\\.)*/sy },
  "in '": { head: /(?:[^']|''){0,200}/y, rest: /(?:[^']|'')*/y },
  '[': { head: /\[[^\]]{0,200}\]?/y, rest: /[^\]]*\]?/y },
  line: {
    head: /\$\{[^}\n]{0,200}\}[^\s,]{0,200}|[^\s"',{}[\]][^\n]{0,200}/y,
    rest: /[^\n]*/y,
  },
  plain: {
    head: /\$\{[^}\n]{0,200}\}[^\s,]{0,200}|[^\s"',{}[\]][^,{}[\]\n]{0,200}/y,
    rest: /[^,{}[\]\n]*/y,
  },
} as const;

/**
 * What a value without quotes of its own ends with, as far as that follows from where its name stands: inside of quotes
 * with the quotes, as in `"X-Api-Key: …"`, and at the start of a line with the line.
 */
function formAround(text: string, nameStart: number, between: string): 'in "' | "in '" | 'line' | 'plain' {
  const before = text[nameStart - 1];
  if ((before === '"' || before === "'") && !between.startsWith(before)) return `in ${before}`;
  const start = text.slice(Math.max(0, nameStart - 200), nameStart);
  return between.startsWith(':') && /(?:^|\n)[ \t]*(?:-[ \t]+)*$/.test(start) ? 'line' : 'plain';
}

const openers = ['"""', "'''", '"', "'", '['] as const;

function headOfValue(text: string, start: number, around: 'in "' | "in '" | 'line' | 'plain'): ValueHead {
  const own = around.startsWith('in') ? undefined : openers.find((opener) => text.startsWith(opener, start));
  const kind = own ?? around;
  const head = matchAt(valueForms[kind].head, text, start) ?? '';
  return { kind, text: head, isWhole: head.length <= 200 };
}

function endOfValue(text: string, start: number, { kind, text: head }: ValueHead): number {
  const end = start + head.length;
  return end + (matchAt(valueForms[kind].rest, text, end)?.length ?? 0);
}

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
