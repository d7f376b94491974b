/** A part of untrusted text: plain text, an invisible character, or the address of a web page. */
type TextPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'hidden'; readonly text: string }
  | { readonly type: 'link'; readonly text: string; readonly href: string };

// Characters that are invisible or reorder the text around them: controls, format characters, line separators, and
// letters or marks without a glyph. Tab and line feed are text.
const hidden =
  '(?![\\t\\n])(?:[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\u115f\\u1160\\u2800\\u3164\\uffa0]|\\u034f|\\u17b4|\\u17b5|\\p{Variation_Selector})';
// Addresses consist of ASCII and end before punctuation that belongs to the sentence.
const link = 'https?://[\\x21\\x23-\\x26\\x28-\\x3b\\x3d\\x3f-\\x5f\\x61-\\x7e]+(?<![.,;:!?)\\]])';
const special = new RegExp(`(${hidden})|${link}`, 'gu');

/** Lossless: the parts contain the whole text, with hidden characters as `U+202E`. */
export function textParts(text: string): readonly TextPart[] {
  const parts: TextPart[] = [];
  let end = 0;
  for (const match of text.matchAll(special)) {
    if (match.index > end) parts.push({ type: 'text', text: text.slice(end, match.index) });
    end = match.index + match[0].length;
    parts.push(match[1] === undefined ? linkPart(match[0]) : { type: 'hidden', text: codePoint(match[0]) });
  }
  if (end < text.length) parts.push({ type: 'text', text: text.slice(end) });
  return parts;
}

/** Untrusted text where no elements can be, such as an attribute: one line, cut, with hidden characters as `U+202E`. */
export function foreignLine(text: string, maxLength = 200): string {
  const start = text.length > maxLength ? `${text.slice(0, maxLength)}…` : text;
  const parts = textParts(start).map((part) => part.text);
  return parts.join('').replace(/\s+/g, ' ');
}

/** Joins consecutive hidden characters, to limit the number of elements. */
export function joinHidden(parts: readonly TextPart[]): readonly TextPart[] {
  const joined: TextPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.type !== 'hidden' || last?.type !== 'hidden') joined.push(part);
    else joined[joined.length - 1] = { type: 'hidden', text: `${last.text} ${part.text}` };
  }
  return joined;
}

/** An address with credentials or hidden parts stays text. */
function linkPart(text: string): TextPart {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (!isPlain) return { type: 'text', text };
  return { type: 'link', text, href: url.href };
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
