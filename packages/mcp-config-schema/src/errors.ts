import { isBranded } from '@x/internal/errors';
import { headline } from './format-issue.js';
import type { ConfigIssue } from './issues.js';

/**
 * - `invalid-config`: at least one issue of severity `error`; `issues` has all issues, including warnings.
 * - `config-not-found`: no file exists.
 * - `unreadable`: a file exists but cannot be read as text.
 * - `secret-unavailable`: a secret resolver has no value.
 * - `consent-required`: no server of the found files has the user's consent to start.
 * - `consent-not-stored`: the user's consent cannot be written to the state directory.
 */
export type ConfigErrorCode =
  | 'invalid-config'
  | 'config-not-found'
  | 'unreadable'
  | 'secret-unavailable'
  | 'consent-required'
  | 'consent-not-stored';

const brand = Symbol.for('mcp-config-schema.error');

/** Error of this package. `code` is public API; `message` is for people. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly [brand] = true;
  readonly code: ConfigErrorCode;
  /** Empty unless `code` is `invalid-config`. */
  readonly issues: readonly ConfigIssue[];

  constructor(
    code: ConfigErrorCode,
    message: string,
    { issues = [], ...options }: ErrorOptions & { readonly issues?: readonly ConfigIssue[] } = {},
  ) {
    super(message, options);
    this.code = code;
    this.issues = issues;
  }
}

/** True also for errors of another installed copy of this package. */
export function isConfigError(value: unknown): value is ConfigError {
  return isBranded(value, brand);
}

/** The message has the number of errors, and the first ones with positions. */
export function invalidConfig(issues: readonly ConfigIssue[]): ConfigError {
  const errors = issues.filter((issue) => issue.severity === 'error');
  const shown = errors.slice(0, 5).map((issue) => `  ${headline(issue)}`);
  if (errors.length > shown.length) shown.push(`  … and ${errors.length - shown.length} more`);

  const count = errors.length === 1 ? 'an error' : `${errors.length} errors`;
  return new ConfigError('invalid-config', [`The configuration has ${count}:`, ...shown].join('\n'), { issues });
}
