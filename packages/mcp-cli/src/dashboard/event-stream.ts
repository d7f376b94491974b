import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/** Bytes queued for a slow reader, at most. */
const maxWaitingBytes = 1_024 * 1_024;

export function beginEvents(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  response.flushHeaders();
}

export function sendEvent(response: ServerResponse, message: object): void {
  sendText(response, eventText(message));
}

export function eventText(message: object): string {
  return `data: ${JSON.stringify(message)}\n\n`; // JSON contains no line end
}

/** Sends the output of `eventText`. */
export function sendText(response: ServerResponse, text: string): void {
  response.write(text);
}

/** True for a slow reader. */
export function isBehind(response: ServerResponse): boolean {
  return response.writableLength > maxWaitingBytes;
}

/** Resolves when the reader has caught up or the signal aborts. */
export async function drained(response: ServerResponse, signal: AbortSignal): Promise<void> {
  if (response.writableNeedDrain && !signal.aborted) {
    await once(response, 'drain', { signal }).catch(() => undefined); // the reader is gone
  }
}
