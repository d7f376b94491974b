/**
 * Text that is safe on a terminal: characters that move the cursor, hide or reorder text become visible stand-ins, and
 * columns stay aligned.
 */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Surrogate}]/gu, (character) => {
    const code = character.charCodeAt(0);
    if (character === '\t') return ' ';
    return code < 0x20 ? String.fromCharCode(0x2400 + code) : '\uFFFD'.repeat(character.length);
  });
}

/** The first `length` UTF-16 units, or one less where they would end in half a character. */
export function startOf(text: string, length: number): string {
  const last = text.charCodeAt(length - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? length - 1 : length);
}

// Before the first of `/?#` stands no host with a port, so that character belongs to a password.
const BROKEN_USER = /^([^/?#]*\/\/)[^/?#@[:]*:(?!\d*[/?#])[^/?#@]*[/?#].*@/s;

/** Drops the user and the password of a URI. A password may contain `/`, `?` and `#` as they are. */
export function withoutUser(uri: string): string {
  return uri.replace(BROKEN_USER, '$1').replace(/\/\/[^/?#]*@/, '//');
}

/** A name of a config text, quoted and cut for a message. */
export function quoted(text: string): string {
  const shown = text.length > 80 ? `${startOf(text, 77)}…` : text;
  return `"${printable(shown)}"`;
}

/** Foreign text for a message: quoted, cut, with escapes for hidden characters. */
export function quote(text: string): string {
  const shown = text.length > 100 ? `${startOf(text, 100)}…` : text;
  return escapeHidden(JSON.stringify(shown));
}

/** JSON of a value, with escapes for all hidden characters. */
export function toWireText(value: unknown): string {
  return JSON.stringify(value).replace(HIDDEN_CHARACTER, escapeForJson);
}

// Characters that readers do not see or terminals obey: controls, fillers, zero-width and bidirectional characters,
// line separators, invisible operators, variation selectors, tags, interlinear marks.
const CLASS =
  '\\u0000-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f' +
  '\\u2028-\\u202e\\u2060-\\u206f\\u2800\\u3164\\ufeff\\uffa0\\ufff0-\\ufffb\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}';

/** One hidden character, including tab and line feed. */
export const HIDDEN_CHARACTER = new RegExp(`[${CLASS}]`, 'gu');

export function escapeHidden(text: string): string {
  return text.replace(HIDDEN_CHARACTER, escapeCharacter);
}

/** `\u200b`, or `\u{e0041}` beyond four digits. */
export function escapeCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

/** JSON escapes, which have four digits: a character may need two. */
export function escapeForJson(character: string): string {
  return Array.from({ length: character.length }, (_, index) => {
    return `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`;
  }).join('');
}

/** By code units: the same on every machine, regardless of locale. */
export function compareText(left: string, right: string): number {
  if (left === right) return 0;
  return left < right ? -1 : 1;
}

export interface TextRange {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** One word of a POSIX shell, without expansions. */
export function inSingleQuotes(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
