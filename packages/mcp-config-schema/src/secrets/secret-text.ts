import { ConfigError } from '../errors.js';

/** More is no secret, but the wrong file or the wrong program. */
export const mostSecretBytes = 65_536;

/**
 * The text of a secret, without a byte order mark and without the end of its last line.
 *
 * @param from - What it was read from, for the message.
 * @throws {ConfigError} `secret-unavailable`: it is no UTF-8. Replaced characters would be another secret.
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
