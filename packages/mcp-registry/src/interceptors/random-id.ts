const SIGNS = '0123456789abcdefghjkmnpqrstvwxyz';

/** 100 random bits, as 20 characters. */
export function randomId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(20)), (byte) => SIGNS[byte & 31]).join('');
}
