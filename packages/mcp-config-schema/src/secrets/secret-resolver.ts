/** Context of a secret lookup. */
export interface SecretContext {
  /** Aborts when no caller waits any more. */
  readonly signal: AbortSignal;
  readonly env: Readonly<Record<string, string | undefined>>;
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
