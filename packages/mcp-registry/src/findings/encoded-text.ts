import type { FindingDraft } from './finding-draft.js';
import type { ToolText } from './tool-texts.js';

/** Base64, hexadecimal digits or escapes of bytes. */
const ENCODED = /(?<![\w+/=-])[A-Za-z0-9+/]{120}|(?<![\w+/=-])(?:[0-9a-f]{2}[ :,]?){80}|(?:\\x[0-9a-f]{2}){20}/gi;
const ADDRESS_WITH_DATA =
  /\bhttps?:\/\/[^\s?#"'<>]{1,200}[?#][^\s"'<>]{0,200}?[\w.-]{1,40}=(?:\$?\{|<|%7b|\[(?!\])|\$[a-z_])/i;

/** Only in prose, because defaults and examples are often encoded. */
export function findEncodedText({ field, text, isProse, excerpt }: ToolText): readonly FindingDraft[] {
  if (!isProse) return [];
  const drafts: FindingDraft[] = [];
  const encoded = firstEncoded(text);
  if (encoded !== undefined) {
    drafts.push({
      code: 'encoded-text',
      severity: 'medium',
      field,
      what: 'a long encoded text, which a model can read and people cannot',
      at: encoded,
      excerpt: excerpt(encoded),
    });
  }
  const address = ADDRESS_WITH_DATA.exec(text);
  if (address !== null) {
    drafts.push({
      code: 'data-in-address',
      severity: 'low',
      field,
      what: 'a web address with a place for data in it',
      at: address.index,
      excerpt: excerpt(address.index),
    });
  }
  return drafts;
}

/** One long word, path or number has no digits or no letters. */
function firstEncoded(text: string): number | undefined {
  for (const { 0: found, index } of text.matchAll(ENCODED)) {
    if (/[0-9]/.test(found) && /[a-z]/i.test(found)) return index;
  }
  return undefined;
}
