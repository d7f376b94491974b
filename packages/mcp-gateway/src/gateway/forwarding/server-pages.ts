import { messageOf } from '@x/internal/errors';
import { type AuditedLimit, type CallRecord, recordCall } from '@x/internal/views';
import type { ClientRequest, Era } from '../../server/methods/client-request.js';
import { callOptionsOf } from '../../serving/client-calls.js';
import type { Audience } from '../audiences.js';
import type { ClientServices } from '../client-services.js';
import { type GatewayUpstream, reasonOf, type ServerPages, type UpstreamResult } from '../upstream.js';
import { answerThrough } from './intercepted-send.js';

interface PagesRequest {
  readonly method: string;
  /** Field of the result with the items, for people also what they are. */
  readonly items: string;
  readonly upstream: GatewayUpstream;
  readonly audience: Audience;
  readonly context: ClientRequest;
  /** In which the server is spoken to. */
  readonly era: Era | undefined;
  readonly record: (limit?: AuditedLimit) => CallRecord | undefined;
}

const MAX_PAGES = 100;

/** Reads one server's list, of every page, within the limits. Never rejects, but with the request's own signal. */
export async function readServerPages(parts: ClientServices, request: PagesRequest): Promise<ServerPages> {
  const { upstream, context, record } = request;
  let isLimited = false;
  const onLimited = () => {
    isLimited = true;
    record('rate-limited');
  };
  try {
    return await parts.answering.run(context, upstream, () => readPages(parts, request), onLimited);
  } catch (error) {
    if (!isLimited) throw error;
    return { server: upstream.name, items: [], reason: 'rate-limited' };
  }
}

async function readPages(parts: ClientServices, request: PagesRequest): Promise<ServerPages> {
  const { method, items: key, upstream, audience, context, era, record } = request;
  const { policy } = parts.core;
  const { name: server } = upstream;
  const items: unknown[] = [];
  const limit = AbortSignal.timeout(policy.listTimeoutMs);
  const { onProgress: _, ...options } = callOptionsOf(context);
  const signal = AbortSignal.any([context.signal, limit]);
  const handler = parts.bridge.handlerOf(context, upstream, era);
  const readAll = async (): Promise<UpstreamResult> => {
    let cursor: unknown;
    for (let page = 0; page < MAX_PAGES; page++) {
      const params = cursor === undefined ? {} : { cursor };
      const result = await answerThrough(audience, upstream, { method, params }, { ...options, signal, handler });
      const { [key]: some, nextCursor } = result;
      if (Array.isArray(some)) items.push(...some);
      if (typeof nextCursor !== 'string' || nextCursor === cursor) return result;
      cursor = nextCursor;
    }
    throw new Error(`it has more than ${MAX_PAGES} pages`);
  };
  try {
    await recordCall(readAll, record());
    return { server, items };
  } catch (cause) {
    context.signal.throwIfAborted();
    const reason = limit.aborted ? 'timed-out' : reasonOf(cause);
    const message = `The ${key} of server "${server}" are not all listed: ${messageOf(cause)}`;
    policy.onProblem({ code: 'list-incomplete', server, reason, message, cause });
    return { server, items, reason };
  }
}
