/** A piece of a text that comes from outside: as it is, a character that would not show, or the address of a web page. */
export type TextPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'hidden'; readonly text: string }
  | { readonly type: 'link'; readonly text: string; readonly href: string };

// What nobody sees or what reorders the text around it: controls, format characters, line separators, and what stands
// for nothing although it is a letter or a mark. Tab and line feed are text.
const hidden =
  '(?![\\t\\n])(?:[\\p{Cc}\\p{Cf}\\p{Zl}\\p{Zp}\\u115f\\u1160\\u2800\\u3164\\uffa0]|\\u034f|\\u17b4|\\u17b5|\\p{Variation_Selector})';
// An address has ASCII alone, and ends before what rather ends the sentence.
const link = 'https?://[\\x21\\x23-\\x26\\x28-\\x3b\\x3d\\x3f-\\x5f\\x61-\\x7e]+(?<![.,;:!?)\\]])';
const special = new RegExp(`(${hidden})|${link}`, 'gu');

/** Loses nothing: the `text` of all parts, with hidden characters as `U+202E`, is the whole text. */
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

/** With hidden characters that follow one another as one part: a text of nothing else would be as many elements. */
export function joinHidden(parts: readonly TextPart[]): readonly TextPart[] {
  const joined: TextPart[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (part.type !== 'hidden' || last?.type !== 'hidden') joined.push(part);
    else joined[joined.length - 1] = { type: 'hidden', text: `${last.text} ${part.text}` };
  }
  return joined;
}

/** An address that hides something, or shows another host than it leads to, stays text. */
function linkPart(text: string): TextPart {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain = url && /^https?:$/.test(url.protocol) && url.username === '' && url.password === '';
  if (!isPlain) return { type: 'text', text };
  return { type: 'link', text, href: url.href };
}

function codePoint(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
