import type { ServerResponse } from 'node:http';
import { pause } from '@x/internal/async';
import { beginEvents, drained, isBehind, sendEvent } from './event-stream.js';
import type { LogLineView, LogMessage } from './page-messages.js';

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
