import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  type RequestId,
} from '@modelcontextprotocol/server';
import type { ServerRequest } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import type { ClientCall } from '../../serving/client-calls.js';

export type Fields = Readonly<Record<string, unknown>>;

/**
 * `legacy`: revisions up to 2025-11-25, with a handshake. `modern`: 2026-07-28, where each request describes its
 * client.
 */
export type Era = 'legacy' | 'modern';

export interface ClientRequest extends ClientCall {
  readonly id: RequestId;
  readonly method: string;
  readonly era: Era;
  /** `_meta` without the keys that describe the client. */
  readonly _meta?: (Fields & { readonly progressToken?: string | number }) | undefined;
  /** `_meta` as sent. Describes the client in revision 2026-07-28. */
  readonly envelope: Fields;
  /** Responses to the input requests of an earlier round. */
  readonly inputResponses?: Fields | undefined;
  readonly requestState?: unknown;
  /** Ends the stream of the response, if its client can return for the rest. */
  pause(): void;
  notify(notification: { readonly method: string; readonly params?: Fields }): Promise<void>;
  /**
   * Sends the client a request as part of its own. Only before revision 2026-07-28.
   *
   * @throws {NoResponse} after `timeoutMs`, and when the connection ends. The signal's reason. The client's error.
   */
  ask(question: ServerRequest, options: { readonly signal: AbortSignal; readonly timeoutMs: number }): Promise<Fields>;
}

export interface SortedParams extends Pick<ClientRequest, '_meta' | 'envelope' | 'inputResponses' | 'requestState'> {
  readonly params: Fields;
}

const NOTHING: Fields = Object.freeze({});

export function sortParams(given: Fields | undefined): SortedParams {
  if (given === undefined) return { params: NOTHING, envelope: NOTHING };
  // Most requests of earlier revisions have params alone, which need no copy.
  if (!('_meta' in given || 'inputResponses' in given || 'requestState' in given)) {
    return { params: given, envelope: NOTHING };
  }
  const { _meta: meta, inputResponses, requestState, ...params } = given;
  return {
    params,
    ...splitMeta(meta),
    ...(inputResponses !== undefined && { inputResponses: bareResponses(inputResponses) }),
    ...(requestState !== undefined && { requestState }),
  };
}

export function withoutEnvelope(params: Fields = NOTHING): Fields {
  if (!isRecord(params._meta)) return params;
  const { _meta, ...rest } = params;
  const { _meta: kept } = splitMeta(_meta);
  return kept === undefined ? rest : { ...rest, _meta: kept };
}

function splitMeta(given: unknown): Pick<SortedParams, '_meta' | 'envelope'> {
  if (!isRecord(given)) return { envelope: NOTHING };
  const {
    [PROTOCOL_VERSION_META_KEY]: _version,
    [CLIENT_INFO_META_KEY]: _info,
    [CLIENT_CAPABILITIES_META_KEY]: _capabilities,
    [LOG_LEVEL_META_KEY]: _level,
    ..._meta
  } = given;
  return { envelope: given, ...(Object.keys(_meta).length > 0 && { _meta }) };
}

/** Drops entries that are JSON-RPC messages instead of results. */
function bareResponses(given: unknown): Fields {
  const entries = isRecord(given) ? Object.entries(given) : [];
  return Object.fromEntries(entries.filter(([, each]) => isRecord(each) && !('method' in each) && !('result' in each)));
}
