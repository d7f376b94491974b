import { TextPositions } from '@x/internal/syntax';
import { HostFileError, type HostFileErrorCode } from '../host-error.js';

/** Fault at an offset of a text. */
export class DocumentFault extends Error {
  override readonly name = 'DocumentFault';
  readonly code: HostFileErrorCode;
  readonly offset: number | undefined;

  constructor(code: HostFileErrorCode, message: string, offset?: number, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
    this.offset = offset;
  }
}

export const unreadable = (message: string, offset: number, options?: ErrorOptions): DocumentFault =>
  new DocumentFault('unreadable-document', message, offset, options);

export const unsupported = (message: string, offset?: number, options?: ErrorOptions): DocumentFault =>
  new DocumentFault('unsupported-shape', message, offset, options);

/** Converts a `DocumentFault` to a `HostFileError` with line, column and manual snippet. */
export function withPositions<T>(text: string, manualSnippet: () => string | undefined, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof DocumentFault)) throw error;
    const place =
      error.offset === undefined ? undefined : new TextPositions(text).at(Math.min(error.offset, text.length));
    throw new HostFileError(error.code, error.message, {
      ...place,
      manualSnippet: manualSnippet(),
      cause: error.cause,
    });
  }
}
