// Minimal data of each kind.
import type { ContentBlock, TextContent } from '@modelcontextprotocol/server';

/** One red pixel. */
export const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

/** One silent sample, 8 kHz, mono. */
export const wav = silence().toString('base64');

export const image: ContentBlock = { type: 'image', data: png, mimeType: 'image/png' };

export function text(words: string): TextContent {
  return { type: 'text', text: words };
}

/** Result with one text. */
export function textResult(words: string): { content: ContentBlock[] } {
  return { content: [text(words)] };
}

function silence(): Buffer {
  const bytes = Buffer.alloc(46);
  bytes.write('RIFF', 0, 'latin1');
  bytes.writeUInt32LE(bytes.length - 8, 4);
  bytes.write('WAVEfmt ', 8, 'latin1');
  bytes.writeUInt32LE(16, 16); // length of the following format
  bytes.writeUInt16LE(1, 20); // PCM
  bytes.writeUInt16LE(1, 22); // channels
  bytes.writeUInt32LE(8_000, 24); // samples per second
  bytes.writeUInt32LE(16_000, 28); // bytes per second
  bytes.writeUInt16LE(2, 32); // bytes per sample
  bytes.writeUInt16LE(16, 34); // bits per sample
  bytes.write('data', 36, 'latin1');
  bytes.writeUInt32LE(2, 40);
  return bytes;
}
