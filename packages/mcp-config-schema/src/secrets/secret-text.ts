import { ConfigError } from '../errors.js';

/** A larger value indicates the wrong file or program. */
export const mostSecretBytes = 65_536;

/**
 * Decodes a secret, without a byte order mark and the last line end.
 *
 * @param from - Source, for the message.
 * @throws {ConfigError} `secret-unavailable`: not UTF-8.
 */
export function secretText(bytes: Uint8Array, from: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r?\n$/, '');
  } catch {
    throw unavailable(`${from} is not UTF-8 text`);
  }
}

export function unavailable(message: string, cause?: unknown): ConfigError {
  return new ConfigError('secret-unavailable', message, { cause });
}
