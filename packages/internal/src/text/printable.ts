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

/** A name of a config text, quoted and cut for a message. */
export function quoted(text: string): string {
  const shown = text.length > 80 ? `${text.slice(0, 77)}…` : text;
  return `"${printable(shown)}"`;
}
