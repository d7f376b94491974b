import { limits } from '../../source/limits.js';
import { DocumentFault } from './document-fault.js';

export function isTooLong(body: string): boolean {
  return body.length > limits.textBytes || new TextEncoder().encode(body).length > limits.textBytes;
}

/** Throws a `DocumentFault` for a text that would take too long to read. */
export function checkLength(body: string): void {
  if (isTooLong(body)) throw new DocumentFault('too-large', `The text is longer than ${limits.textBytes} bytes`);
}
