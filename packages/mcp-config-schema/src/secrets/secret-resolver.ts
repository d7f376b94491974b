/** What a resolver may use. */
export interface SecretContext {
  /** Aborted when nobody waits any more. */
  readonly signal: AbortSignal;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute. What relative paths start from, and where commands run. */
  readonly root: string;
}

/**
 * Looks up one secret.
 *
 * @param rest - The reference without its scheme and colon.
 * @returns The value, without an end of line that is not part of it. It is never printed.
 * @throws {ConfigError} `secret-unavailable`, with a message for people. Of any other error only the name is shown,
 *   because its message may hold the secret.
 */
export type SecretResolver = (rest: string, context: SecretContext) => string | Promise<string>;
