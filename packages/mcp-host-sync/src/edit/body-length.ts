import { textLimits } from '@x/internal/syntax';
import { DocumentFault } from './document-fault.js';

export function isTooLong(body: string): boolean {
  return body.length > textLimits.bytes || new TextEncoder().encode(body).length > textLimits.bytes;
}

/** Throws a `DocumentFault` for a text that would take too long to read. */
export function checkLength(body: string): void {
  if (isTooLong(body)) throw new DocumentFault('too-large', `The text is longer than ${textLimits.bytes} bytes`);
}
