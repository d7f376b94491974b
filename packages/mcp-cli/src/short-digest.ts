import { createHash } from 'node:crypto';

/** 16 hexadecimal digits that stand for `text`, short enough for the name of a file. No secret: whoever has the text has them. */
export function shortDigest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
