/** Beginnings of files by type, with `.` for any byte. What a server says of its data must be so. */
const signatures: Readonly<Record<string, string>> = {
  'image/png': '\x89PNG\r\n\x1a\n',
  'image/jpeg': '\xff\xd8\xff',
  'image/gif': 'GIF8',
  'image/webp': 'RIFF....WEBP',
  'audio/wav': 'RIFF....WAVE',
  'audio/mpeg': 'ID3',
  'audio/ogg': 'OggS',
  'audio/flac': 'fLaC',
};
const otherNames: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'audio/x-wav': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/mp3': 'audio/mpeg',
};
const maxLength = 30_000_000;

export interface CheckedMedia {
  readonly kind: 'image' | 'audio';
  /** A `data:` address. */
  readonly url: string;
}

/**
 * Data of a type that browsers show without running it. `undefined` for other types, such as SVG, and for data that do
 * not begin as their type does.
 *
 * @param data - Base64.
 */
export function checkedMedia(mimeType: unknown, data: unknown): CheckedMedia | undefined {
  if (typeof mimeType !== 'string' || typeof data !== 'string' || data.length > maxLength) return undefined;
  const named = mimeType.toLowerCase();
  const type = Object.hasOwn(otherNames, named) ? (otherNames[named] ?? '') : named;
  const signature = Object.hasOwn(signatures, type) ? signatures[type] : undefined;
  if (!signature || !/^[A-Za-z0-9+/]+={0,2}$/.test(data) || data.length % 4 !== 0) return undefined;
  if (!beginsWith(atob(data.slice(0, 32)), signature)) return undefined;
  return { kind: type.startsWith('image/') ? 'image' : 'audio', url: `data:${type};base64,${data}` };
}

function beginsWith(bytes: string, signature: string): boolean {
  return [...signature].every((byte, index) => byte === '.' || bytes[index] === byte);
}

/** Bytes of base64 text. */
export function bytesOf(data: string): number {
  return Math.floor((data.replace(/=+$/, '').length * 3) / 4);
}

const shownBytes = 256;
const bytesPerLine = 16;

/** The first 256 bytes of base64 text, 16 a line, as hexadecimal numbers and as printable ASCII. */
export function hexLines(data: string): readonly string[] {
  const bytes = firstBytes(data);
  const lines = Array.from({ length: Math.ceil(bytes.length / bytesPerLine) }, (_, line) => {
    const part = [...bytes.slice(line * bytesPerLine, (line + 1) * bytesPerLine)];
    const codes = part.map((byte) => byte.charCodeAt(0).toString(16).padStart(2, '0')).join(' ');
    return `${codes.padEnd(bytesPerLine * 3)} ${part.map((byte) => (/[ -~]/.test(byte) ? byte : '.')).join('')}`;
  });
  return bytesOf(data) > shownBytes ? [...lines, '…'] : lines;
}

function firstBytes(data: string): string {
  try {
    return atob(data.slice(0, Math.ceil(shownBytes / 3) * 4)).slice(0, shownBytes);
  } catch {
    return '';
  }
}
