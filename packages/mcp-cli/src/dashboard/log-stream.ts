import type { ServerResponse } from 'node:http';
import { pause } from '@x/internal/async';
import { beginEvents, isBehind, sendEvent, taken } from './event-stream.js';
import type { LogLineView, LogMessage } from './page-messages.js';

/** Lines are sent together with those that come within so many milliseconds: a page draws no faster. */
const collectMs = 200;
/** No more are taken in that time: a page shows no more, and whoever gives them counts what it leaves out meanwhile. */
const maxLines = 300;

/** Sends lines until there are no more, or the signal aborts. */
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
    if (isBehind(response)) await taken(response, signal);
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
