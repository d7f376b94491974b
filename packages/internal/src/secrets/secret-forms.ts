/** Shorter values occur in every text. */
export const shortestHidden = 4;
/** Shorter lines and pieces of base64 occur by chance. */
const shortestPiece = 8;

/** None for a short value. */
export function formsOf(value: string): readonly string[] {
  const trimmed = value.trim();
  if (trimmed.length < shortestHidden) return [];
  const lines = trimmed.split(/[\r\n]/).map((line) => line.trim());
  const pieces = lines.filter((line) => line.length >= shortestPiece);
  const texts = [value, trimmed, ...pieces].flatMap((text) => [text, text.normalize('NFC'), text.normalize('NFD')]);
  return [...new Set(texts)].flatMap((text) => [
    text,
    JSON.stringify(text).slice(1, -1),
    text.replaceAll(' ', '+'), // as forms write it, with the percent escapes decoded
    ...base64Forms(text),
    ...hexForms(text),
  ]);
}

/** Alone, and inside of a longer text at each of three offsets. */
function base64Forms(text: string): readonly string[] {
  const bytes = new TextEncoder().encode(text);
  const alone = toBase64(bytes).replace(/=+/, '');
  const inside = [0, 1, 2].map((shift) => {
    const shifted = new Uint8Array(shift + bytes.length);
    shifted.set(bytes, shift);
    // Characters that also encode bits of the text around it.
    const from = shift === 0 ? 0 : shift + 1;
    return toBase64(shifted).slice(from, Math.floor((shifted.length * 8) / 6));
  });
  const standard = [alone, ...inside.filter((piece) => piece.length >= shortestPiece)];
  return [...standard, ...standard.map((piece) => piece.replaceAll('+', '-').replaceAll('/', '_'))];
}

function hexForms(text: string): readonly string[] {
  const hex = Array.from(new TextEncoder().encode(text), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex, hex.toUpperCase()];
}

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));
}
