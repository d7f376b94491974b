import type { TextRange } from '../text.js';
import { isNamedSecret, isSecretName } from './secret-shapes.js';

interface NamedSecret extends TextRange {
  readonly name: string;
  readonly nameStart: number;
  /** True if a `:` or `=` assigns the value. */
  readonly isAssigned: boolean;
}

// Between a name and its value on a later line.
const gap = String.raw`(?:[ \t]{0,200}(?:(?:#|//)[^\n]{0,200})?\r?\n){0,5}[ \t]{0,200}(?:-[ \t]{1,20})?`;
// A name with the text before its value: `name: `, `"name": "`, `--name=`, `--name `, `"--name", "`.
const beforeValue = new RegExp(
  String.raw`(?<![\w.-])([\w.-]{2,})(["']?[ \t]{0,200}[:=]${gap}|["']?(?=[\s,])[ \t]{0,200},?${gap})(?=[^\s,{}\]])`,
  'g',
);

/**
 * Every value under the name of a secret, as in `API_KEY=…`, `--password …` and `"token": "…"`, also on a line below.
 */
export function* namedSecretsIn(text: string, place?: 'field'): Iterable<NamedSecret> {
  const pattern = new RegExp(beforeValue);
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [before, written = '', between = ''] = match;
    const nameStart = match.index;
    const start = nameStart + before.length;
    const isAssigned = /[:=]/.test(between);
    // A value that is not a secret may itself be the name of one, as in `args: [--token, …]`.
    pattern.lastIndex = nameStart + written.length;
    const name = written.slice(-longestName).replace(/^-+/, '');
    if (!isSecretName(name) || belongsElsewhere(text, start, isAssigned, between.includes('\n'))) continue;
    const head = headOfValue(text, start, formAround(text, nameStart, between));
    if (!isNamedSecret(name, head.text.replace(/^[["'\s]+|[\]"'\s]+$/g, ''), place)) continue;
    const end = head.isWhole ? start + head.text.length : endOfValue(text, start, head);
    yield { name: written, nameStart, start, end, isAssigned };
    pattern.lastIndex = end;
  }
}

const longestName = 200;

/** True for the next key of a mapping, and for an unassigned list. */
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

// `head` suffices to judge a value. `rest` is matched after that, so that values are not read again for each name in
// them.
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

/** An unquoted value ends with the quotes around it, as in `"X-Api-Key: …"`, or with its line. */
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
