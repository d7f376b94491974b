import { FLEET_WIDE } from '@x/internal/names';

const PLAIN = /^[A-Za-z0-9_-]+$/;
const NODE_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/** Encodes text as one token of a subject, uniquely. Each UTF-8 byte outside `A-Z a-z 0-9 _ -` becomes `=HH`. */
export function encodeToken(text: string): string {
  if (PLAIN.test(text)) return text;
  if (text === '') return '=';
  let token = '';
  for (const byte of new TextEncoder().encode(text)) {
    const character = String.fromCharCode(byte);
    token += PLAIN.test(character) ? character : `=${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return token;
}

/** Decodes a token; `undefined` if `encodeToken` cannot have produced it. */
export function decodeToken(token: string): string | undefined {
  if (PLAIN.test(token)) return token;
  if (token === '=') return '';
  const bytes: number[] = [];
  for (let index = 0; index < token.length; index += 1) {
    const hex = token[index] === '=' ? token.slice(index + 1, index + 3) : undefined;
    bytes.push(hex === undefined ? token.charCodeAt(index) : Number.parseInt(hex, 16));
    if (hex !== undefined) index += 2;
  }
  if (bytes.some((byte) => !(byte <= 0xff))) return undefined;
  const text = new TextDecoder().decode(new Uint8Array(bytes));
  return encodeToken(text) === token ? text : undefined;
}

/** True for 1 to 64 of `A-Z a-z 0-9 _ -`, a valid token on every bus. "fleet" is reserved for shared servers. */
export function isNodeName(name: unknown): name is string {
  return typeof name === 'string' && NODE_NAME.test(name) && name !== FLEET_WIDE;
}
