import { isBranded } from '@x/internal/errors';

/**
 * - `unreadable-document`: the text breaks the syntax that the host reads; `line` and `column` say where.
 * - `unsupported-shape`: the text can be read, but not edited without risk (repeated keys, YAML anchors on what would
 *   be edited, a list where a map belongs, …); `manualSnippet` says what to add by hand.
 * - `unknown-host`, `invalid-location`: there is no such host, or its file cannot be told from what is known.
 * - `outside-expected-place`, `not-a-file`, `broken-link`, `hard-link`, `foreign-owner`: what is at the path is not
 *   touched.
 * - `unreadable-file`, `not-text`, `too-large`: the file cannot be read as text.
 * - `read-only`, `no-space`, `write-failed`: the file cannot be written, and is what it was.
 * - `locked`: another process kept the file to itself for too long.
 * - `changed-since-plan`: the file is no longer the one that the plan was made for.
 * - `invalid-state`: the record of what was written cannot be read.
 */
export type HostFileErrorCode =
  | 'broken-link'
  | 'changed-since-plan'
  | 'foreign-owner'
  | 'hard-link'
  | 'invalid-location'
  | 'invalid-state'
  | 'locked'
  | 'no-space'
  | 'not-a-file'
  | 'not-text'
  | 'outside-expected-place'
  | 'read-only'
  | 'too-large'
  | 'unknown-host'
  | 'unreadable-document'
  | 'unreadable-file'
  | 'unsupported-shape'
  | 'write-failed';

/** Where the failure is, and what to do by hand instead. */
export interface HostFileErrorDetails extends ErrorOptions {
  readonly file?: string | undefined;
  readonly line?: number | undefined;
  readonly column?: number | undefined;
  readonly manualSnippet?: string | undefined;
}

const brand = Symbol.for('mcp-host-sync.error');

/** Every failure in reading or editing another program's file. `code` is public API; `message` is for people. */
export class HostFileError extends Error {
  override readonly name = 'HostFileError';
  readonly [brand] = true;
  readonly code: HostFileErrorCode;
  /** The path as it was asked for, when the failure is about one file. */
  readonly file: string | undefined;
  /** Where in the text, both from 1. */
  readonly line: number | undefined;
  readonly column: number | undefined;
  readonly #manualSnippet: string | undefined;

  constructor(
    code: HostFileErrorCode,
    message: string,
    { file, line, column, manualSnippet, ...options }: HostFileErrorDetails = {},
  ) {
    super(message, options);
    this.code = code;
    this.file = file;
    this.line = line;
    this.column = column;
    this.#manualSnippet = manualSnippet;
  }

  /**
   * The smallest document of the host's dialect that holds the refused entry, for adding it by hand. It is the entry as
   * it would be written, secrets too, and so it is given only when asked for: printing, logging, copying or serializing
   * the error shows nothing of it.
   */
  get manualSnippet(): string | undefined {
    return this.#manualSnippet;
  }
}

/** The error with the file that it is about, if it was not known yet, and with the place in front of its message. */
export function inFile(error: HostFileError, file: string): HostFileError {
  if (error.file !== undefined) return error;
  const { code, message, line, column, manualSnippet, cause } = error;
  const place = line === undefined ? file : `${file}:${line}:${column ?? 1}`;
  return new HostFileError(code, `${place}: ${message}`, { file, line, column, manualSnippet, cause });
}

/** Also true for an error made by another installed copy of this package. */
export function isHostFileError(value: unknown): value is HostFileError {
  return isBranded(value, brand);
}
