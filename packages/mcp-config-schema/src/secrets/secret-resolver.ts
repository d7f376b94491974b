import { ConfigError } from '../errors.js';

/** Context of a secret lookup. */
export interface SecretContext {
  /** Aborts when no caller waits any more. */
  readonly signal: AbortSignal;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute directory: start of relative paths, and working directory of commands. */
  readonly root: string;
}

/**
 * Resolves one secret.
 *
 * @param rest - The reference without its scheme and colon.
 * @returns The value, without a line end that is not part of it.
 * @throws {ConfigError} `secret-unavailable`, with a message for people. Of other errors only the name is shown,
 * because the message may contain the secret.
 */
export type SecretResolver = (rest: string, context: SecretContext) => string | Promise<string>;

/** A larger value indicates the wrong file or program. */
export const maxSecretBytes = 65_536;

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
