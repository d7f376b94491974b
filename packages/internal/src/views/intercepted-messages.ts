import type { CallHandler, ToolProgress } from '../contracts.js';
import { callListener } from '../events.js';
import { isRecord } from '../json/json-values.js';
import type { InterceptedMessage, InterceptorParts, RequestResult } from './interceptors.js';

/** The subject of a message. */
export type MessageOrigin = Pick<InterceptedMessage, 'method' | 'server'>;

export function seesMessages({ interceptors }: InterceptorParts): boolean {
  return interceptors.some(({ message }) => message !== undefined);
}

/** @throws {Error} naming the interceptor that fails. */
export function interceptMessage(
  { interceptors, caller }: InterceptorParts,
  message: Omit<InterceptedMessage, 'caller'>,
): RequestResult {
  let { body } = message;
  for (const interceptor of interceptors.toReversed()) {
    if (interceptor.message === undefined) continue;
    try {
      const changed: unknown = interceptor.message({ ...message, body, caller });
      if (!isRecord(changed) || typeof changed.then === 'function') throw new TypeError('message() returned no object');
      body = changed;
    } catch (cause) {
      throw new Error(`The interceptor "${interceptor.name}" failed for a message of the server`, { cause });
    }
  }
  return body;
}

/** `undefined` if an interceptor fails, with a process warning. */
export function interceptNotification(
  parts: InterceptorParts | undefined,
  { method, server, params }: MessageOrigin & { readonly params: RequestResult },
): RequestResult | undefined {
  if (!parts || !seesMessages(parts)) return params;
  let body: RequestResult | undefined;
  callListener('An interceptor', () => {
    body = interceptMessage(parts, { kind: 'notification', method, server, body: params });
  });
  return body;
}

/** A result, whose questions to the client pass as requests. */
export function interceptAnswer(
  parts: InterceptorParts | undefined,
  origin: MessageOrigin,
  result: RequestResult,
): RequestResult {
  if (!parts || !seesMessages(parts)) return result;
  const { inputRequests, ...rest } = result;
  const body = interceptMessage(parts, { kind: 'result', ...origin, body: rest });
  if (!isRecord(inputRequests)) return body;
  const asked = Object.entries(inputRequests).map(([key, request]) => [key, question(parts, origin, request)]);
  return { ...body, inputRequests: Object.fromEntries(asked) };
}

function question(parts: InterceptorParts, { server }: MessageOrigin, request: unknown): unknown {
  const { method, params } = isRecord(request) ? request : {};
  if (!isRecord(params)) return request;
  const body = interceptMessage(parts, { kind: 'request', method: String(method), server, body: params });
  return { ...(request as object), params: body };
}

interface Listening {
  readonly onProgress?: ((progress: ToolProgress) => void) | undefined;
  readonly handler?: CallHandler | undefined;
}

/** Options of a request to a server, whose progress and questions pass the interceptors. */
export function interceptedOptions<Options extends Listening>(
  parts: InterceptorParts | undefined,
  server: string | undefined,
  options: Options,
): Options {
  const { onProgress, handler } = options;
  if (!parts || !seesMessages(parts)) return options;
  return {
    ...options,
    ...(onProgress && { onProgress: interceptedProgress(parts, server, onProgress) }),
    ...(handler && { handler: interceptedHandler(parts, server, handler) }),
  };
}

function interceptedProgress(
  parts: InterceptorParts,
  server: string | undefined,
  onProgress: (progress: ToolProgress) => void,
): (progress: ToolProgress) => void {
  return (progress) => {
    const origin = { method: 'notifications/progress', server };
    const params = interceptNotification(parts, { ...origin, params: { ...progress } });
    if (params !== undefined) onProgress(params as unknown as ToolProgress);
  };
}

export function interceptedHandler(
  parts: InterceptorParts | undefined,
  server: string | undefined,
  handler: CallHandler,
): CallHandler {
  if (!parts || !seesMessages(parts)) return handler;
  const { client, owner, era, clientInfo } = handler;
  const shown: CallHandler & PlainHandled = {
    [PLAIN]: handler,
    client,
    owner,
    era,
    clientInfo,
    get capabilities() {
      return handler.capabilities;
    },
    onStreamPause: () => handler.onStreamPause?.(),
    async answer({ method, params, ...others }, context) {
      const body = interceptMessage(parts, { kind: 'request', method, server, body: params });
      return handler.answer({ ...others, method, params: body }, context);
    },
  };
  return shown;
}

/** A global symbol, because two bundles use it. */
const PLAIN: unique symbol = Symbol.for('@x/mcp-registry.plain-handler');

interface PlainHandled {
  readonly [PLAIN]?: CallHandler;
}

/**
 * The same handler, with another for questions that are no server's.
 *
 * @param plain - Called for each such question, because most calls cause none.
 */
export function withPlainHandler(handler: CallHandler, plain: () => CallHandler): CallHandler {
  return Object.defineProperty(handler, PLAIN, { get: plain });
}

/** The handler for questions that are no server's. */
export function plainHandler(handler: CallHandler & PlainHandled): CallHandler {
  const plain = handler[PLAIN];
  return plain === undefined ? handler : plainHandler(plain);
}
