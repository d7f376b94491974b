import { once } from 'node:events';
import type { ServerResponse } from 'node:http';

/** What may wait for a slow reader, in bytes. */
const maxWaitingBytes = 1_024 * 1_024;

export function beginEvents(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  response.flushHeaders();
}

export function sendEvent(response: ServerResponse, message: object): void {
  sendText(response, eventText(message));
}

export function eventText(message: object): string {
  return `data: ${JSON.stringify(message)}\n\n`; // JSON has no line end of its own
}

/** Sends what `eventText` made, for one that many readers are sent. */
export function sendText(response: ServerResponse, text: string): void {
  response.write(text);
}

/** Whether so much waits for the reader that no more should be added. */
export function isBehind(response: ServerResponse): boolean {
  return response.writableLength > maxWaitingBytes;
}

/** Resolves when the reader has taken what was sent, or the signal aborts. */
export async function taken(response: ServerResponse, signal: AbortSignal): Promise<void> {
  if (response.writableNeedDrain && !signal.aborted) {
    await once(response, 'drain', { signal }).catch(() => undefined); // who has gone takes nothing any more
  }
}
