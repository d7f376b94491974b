import type { ToolArguments } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { FleetError } from '../../errors.js';
import { isTimeout } from '../limits.js';
import { isCount, toBytes } from './json.js';
import { readValue, toMessage, toWhole, type WrittenValue, writeValue } from './wire-value.js';

export interface CallHead {
  readonly incarnation: number;
  readonly tool: string;
  /** Remaining time of the caller in milliseconds. */
  readonly timeoutMs: number;
  readonly wantsProgress: boolean;
  readonly principal: string;
}

export interface CallBody {
  readonly args: ToolArguments;
  readonly meta?: Readonly<Record<string, unknown>> | undefined;
  readonly params?: Readonly<Record<string, unknown>> | undefined;
  readonly inputRequired?: 'answer' | 'return' | undefined;
  /** Client that responds to server requests. Equal numbers mean the same client. */
  readonly client?: { readonly number: number; readonly capabilities: Readonly<Record<string, unknown>> } | undefined;
}

/** Request as received. A body that does not fit follows in chunks; `bytes` is its length. */
export type CallRequest = CallHead & ({ readonly body: CallBody } | { readonly body?: never; readonly bytes: number });

const VERSION = 1;

export function writeBody(body: CallBody): WrittenValue {
  try {
    return writeValue(body);
  } catch (cause) {
    throw new TypeError('Arguments of a tool on another node must be JSON', { cause });
  }
}

/**
 * Encodes a call as one message, or as an announcement plus a body for chunks. Send the message before the next one is
 * encoded: they share memory.
 *
 * @returns `undefined` if the body exceeds `maxArgsBytes`.
 */
export function encodeRequest(
  head: CallHead,
  body: WrittenValue,
  { maxMessageBytes, maxArgsBytes }: { readonly maxMessageBytes: number; readonly maxArgsBytes: number },
): { readonly message: Uint8Array; readonly rest?: Uint8Array } | undefined {
  const start = JSON.stringify({ v: VERSION, ...head }).slice(0, -1);
  const message = toMessage('', { ...body, json: `${start},${body.json.slice(1)}` }, maxMessageBytes);
  if (message !== undefined) return { message };
  const rest = toWhole(body, maxArgsBytes);
  return rest && { message: toBytes(`${start},"bytes":${rest.byteLength}}`), rest };
}

export function readRequest(message: Uint8Array): CallRequest {
  const request = readValue(message);
  if (!isRecord(request)) throw invalid('it is not a JSON object');
  const { v, incarnation, tool, timeoutMs, wantsProgress, principal, bytes } = request;
  if (v !== VERSION) throw invalid(`it has version ${JSON.stringify(v)} of the protocol, and this node has ${VERSION}`);
  if (!isCount(incarnation)) throw invalid('incarnation is not a valid number');
  if (typeof tool !== 'string') throw invalid('tool is not a valid text');
  if (!isTimeout(timeoutMs)) throw invalid('timeoutMs is not a valid time');
  // A missing token counts as empty, which leads to `refused` instead of `invalid-message`.
  const token = typeof principal === 'string' ? principal : '';
  const head = { incarnation, tool, timeoutMs, wantsProgress: wantsProgress === true, principal: token };
  if (bytes === undefined) return { ...head, body: toBody(request) };
  if (!isCount(bytes) || bytes === 0) throw invalid('bytes is not a valid length');
  return { ...head, bytes };
}

export function readBody(bytes: Uint8Array): CallBody {
  const body = readValue(bytes);
  if (!isRecord(body)) throw invalid('its arguments are not a JSON object');
  return toBody(body);
}

function toBody({ args, meta, params, inputRequired, client }: Readonly<Record<string, unknown>>): CallBody {
  if (!isRecord(args)) throw invalid('args is not a valid object');
  const declared = isRecord(client) ? client : undefined;
  return {
    args,
    meta: isRecord(meta) ? meta : undefined,
    params: isRecord(params) ? params : undefined,
    inputRequired: inputRequired === 'return' || inputRequired === 'answer' ? inputRequired : undefined,
    client:
      isCount(declared?.number) && isRecord(declared.capabilities)
        ? { number: declared.number, capabilities: declared.capabilities }
        : undefined,
  };
}

function invalid(why: string): FleetError {
  return new FleetError('invalid-message', `The call cannot be read: ${why}`);
}
