import { parseJson } from '@x/internal/json';
import { isNamedSecret, isSecretName, secretsIn } from '@x/internal/secrets';

interface TextRange {
  readonly start: number;
  readonly end: number;
}

export const mask = '***';

/** The JSON object or list that a text consists of, also as a JSON string in it. */
export function structureIn(text: string): object | string | undefined {
  if (!/^\s*["[{]/.test(text)) return undefined;
  const value = parseJson(text);
  return typeof value === 'string' || (typeof value === 'object' && value !== null) ? value : undefined;
}

/** The text of a changed structure, with line ends if `text` has them. */
export function structureText(value: unknown, text: string): string {
  return JSON.stringify(value, null, /[{[]\s*\n/.test(text) ? 2 : 0);
}

/** The text with `***` for secrets of known shapes, assigned secrets, options and members of escaped JSON. */
export function withoutShapes(text: string): string {
  let result = '';
  let end = 0;
  for (const range of secretRangesIn(text).toSorted((a, b) => a.start - b.start)) {
    if (range.end <= end) continue;
    result += text.slice(end, Math.max(range.start, end)) + mask;
    end = range.end;
  }
  return result + text.slice(end);
}

export function secretRangesIn(text: string): readonly TextRange[] {
  return [...secretsIn(text), ...optionSecretsIn(text), ...escapedSecretsIn(text)];
}

const option = /(?<![\w-])--?([A-Za-z][\w.-]{1,80})[ \t]{1,20}("(?:[^"\\]|\\.)*"?|'[^']*'?|[^\s"']\S*)/gs;

/** Values after options of a command line, as in `--password …`. */
function* optionSecretsIn(text: string): Iterable<TextRange> {
  const pattern = new RegExp(option);
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
    const [whole, name = '', value = ''] = match;
    const end = match.index + whole.length;
    const start = end - value.length;
    if (value.startsWith('-') || !isNamedSecret(name, value.replace(/^["']|["']$/g, ''))) pattern.lastIndex = start;
    else yield { start, end };
  }
}

// Runs are matched from their begin only, which keeps the time linear.
const escapedName = /(?<!\\)(\\{1,64})"([\w.-]{2,80})\1"[ \t]{0,20}:[ \t]{0,20}/g;

/** Values of JSON that is part of a text inside of other JSON, as in `{\"password\":\"…\"}`. */
function* escapedSecretsIn(text: string): Iterable<TextRange> {
  if (!text.includes('\\"')) return;
  for (const { 0: before, 1: slashes = '', 2: name = '', index } of text.matchAll(escapedName)) {
    if (!isSecretName(name)) continue;
    const at = index + before.length;
    const quote = `${slashes}"`;
    const isQuoted = text.startsWith(quote, at);
    const start = isQuoted ? at + quote.length : at;
    const end = isQuoted
      ? endOfEscaped(text, start, quote)
      : start + (/^[^\s,}\]]*/.exec(text.slice(start, start + 200))?.[0].length ?? 0);
    if (end > start && text[start] !== '{' && text[start] !== '[') yield { start, end };
    if (end === text.length) return;
  }
}

/** The next quote of the same depth; those inside of the value have more backslashes. */
function endOfEscaped(text: string, start: number, quote: string): number {
  for (let at = text.indexOf(quote, start); at >= 0; at = text.indexOf(quote, at + 1)) {
    if (at === start || text[at - 1] !== '\\') return at;
  }
  return text.length;
}
