import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { pause } from '@x/internal/async';
import type { LogLineView, LogMessage } from './page-messages.js';

/** Bytes queued for a slow reader, at most. */
const maxWaitingBytes = 1_024 * 1_024;

export function beginEvents(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  response.flushHeaders();
}

function sendEvent(response: ServerResponse, message: object): void {
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

/** Period over which lines are batched, in milliseconds. */
const collectMs = 200;
/** Lines per batch, at most. The source counts dropped lines. */
const maxLines = 300;

/** Sends lines until the source ends or the signal aborts. */
export async function streamLines(
  response: ServerResponse,
  lines: AsyncIterable<LogLineView>,
  signal: AbortSignal,
): Promise<void> {
  beginEvents(response);
  let collected: LogLineView[] = [];
  let sending: Promise<void> | undefined;
  const send = async (): Promise<void> => {
    await pause(collectMs, signal).catch(() => undefined);
    if (!signal.aborted) sendEvent(response, { lines: collected } satisfies LogMessage);
    collected = [];
    if (isBehind(response)) await drained(response, signal);
    sending = undefined;
  };
  for await (const line of lines) {
    if (signal.aborted) return;
    collected.push(line);
    sending ??= send();
    if (collected.length >= maxLines) await sending;
  }
  await sending;
}
