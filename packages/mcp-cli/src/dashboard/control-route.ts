import type { IncomingMessage, ServerResponse } from 'node:http';
import { isRecord } from '@x/internal/json';
import type { Control, HandleServerRequest } from '../control/control.js';
import { isControlError } from '../control/control-error.js';
import { type Method, serverMethods } from '../control/methods.js';
import { readParams } from '../control/params.js';
import { isBehind } from './event-stream.js';
import { readJson, sendJson, toRefusal } from './http.js';
import type { CallMessage, MethodResponse, PageKey } from './page-messages.js';
import type { PageQuestions } from './page-questions.js';
import { truncate } from './page-views.js';

const maxParamsBytes = 4 * 1_024 * 1_024;
const maxResultBytes = 32 * 1_024 * 1_024;
/** Limit of each text that a page only reads: a server can have thousands. */
const maxTextLength = 20_000;

/** The row of the table of control methods, if pages may send the request. */
export function pageMethod(name: string): (Method & { readonly page: PageKey }) | undefined {
  const row: Method | undefined = Object.hasOwn(serverMethods, name)
    ? serverMethods[name as keyof typeof serverMethods]
    : undefined;
  return row?.page === undefined ? undefined : { ...row, page: row.page };
}

interface PageCall {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  /** Aborts when the client is gone. */
  readonly signal: AbortSignal;
}

/** @throws {ControlError} `invalid-request`: the parameters do not fit. */
export async function runMethod(
  name: string,
  { page, params: shape = {}, fixedForPages, listeners, forwardsRequests }: Method & { readonly page: PageKey },
  { request, response, signal }: PageCall,
  { control, questions }: { readonly control: Control; readonly questions: PageQuestions },
): Promise<void> {
  const given = { ...(await readJson(request, maxParamsBytes)), ...fixedForPages };
  const params = readParams(name, shape, given);
  const handle = control[name as keyof Control] as (options: object) => Promise<unknown>;
  if (listeners || forwardsRequests) {
    await streamResult(response, (onItem, send) => {
      const onServerRequest: HandleServerRequest = (question, asked) => questions.ask(question, send, asked.signal);
      return handle({
        ...params,
        ...onEach(listeners ?? {}, onItem),
        ...(forwardsRequests && { onServerRequest }),
        signal,
      });
    });
    return;
  }
  const result = await handle({ ...params, signal });
  sendJson(response, { result: page === 'look' ? withShortTexts(result) : result } satisfies MethodResponse<unknown>);
}

function onEach(listeners: NonNullable<Method['listeners']>, onItem: (item: unknown) => void): object {
  return Object.fromEntries(Object.keys(listeners).map((name) => [name, onItem]));
}

/** One JSON text a line: items, then the result or the failure. Drops items for a slow reader. */
async function streamResult(
  response: ServerResponse,
  work: (onItem: (item: unknown) => void, send: (message: CallMessage) => void) => Promise<unknown>,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8' });
  response.flushHeaders();
  const send = (message: CallMessage): void => {
    if (!response.writableEnded) response.write(`${JSON.stringify(message)}\n`);
  };
  try {
    const result = await work((item) => {
      if (!isBehind(response)) send({ item });
    }, send);
    send(isTooLarge(result) ? { error: tooLarge } : { result });
  } catch (error) {
    const { code, message } = toRefusal(error);
    const hint = isControlError(error) ? error.hint : undefined;
    send({ error: { code, message, ...(hint !== undefined && { hint }) } });
  }
  response.end();
}

const tooLarge = {
  code: 'too-large',
  message: `The result is larger than ${maxResultBytes / 1_024 / 1_024} MB. The call was made. Use "mcpx call" for such results.`,
};

function isTooLarge(result: unknown): boolean {
  return JSON.stringify(result).length > maxResultBytes;
}

function withoutRest(text: string): string {
  const more = text.length - maxTextLength;
  if (more <= 0) return text;
  return `${truncate(text, maxTextLength)} (${more.toLocaleString('en')} more characters are not shown here)`;
}

function withShortTexts(value: unknown): unknown {
  if (typeof value === 'string') return withoutRest(value);
  if (Array.isArray(value)) return value.map(withShortTexts);
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, withShortTexts(each)]));
}
