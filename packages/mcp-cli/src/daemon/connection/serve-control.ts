import { chmod, rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import type { Redactor } from '@x/mcp-config-schema';
import type { DaemonControl, HandleServerRequest } from '../../control/control.js';
import { ControlError, controlErrorData, isControlError } from '../../control/control-error.js';
import { type Method, methods } from '../../control/methods.js';
import { readParams } from '../../control/params.js';
import { toControlError } from '../../control/to-control-error.js';
import { type ByteStreams, streamMethod } from './byte-streams.js';
import { LineConnection } from './line-connection.js';
import {
  failedRequest,
  isNonce,
  isProofOf,
  maxGreetingBytes,
  maxRequestBytes,
  maxResponseBytes,
  newNonce,
  proofOf,
  protocolNumber,
  type RpcHeartbeat,
  type RpcItem,
  type RpcNotice,
  type RpcResponse,
  type ServerHello,
} from './protocol.js';
import { SentServerRequests } from './rpc-server-requests.js';

/** Time for a client to authenticate, in milliseconds. */
const greetingTimeoutMs = 5_000;
/** A served client has two. */
const maxConnections = 512;
/** Concurrent requests of one connection. */
const maxRequests = 256;
/** Unread bytes of a connection above which its items are dropped, or it is closed. */
const maxUnreadItemBytes = 8 * 1_024 * 1_024;
const maxUnreadBytes = 2 * maxResponseBytes;

interface ServeControlOptions {
  /** Path of a Unix socket, or name of a pipe. */
  readonly socket: string;
  readonly token: string;
  readonly version: string;
  readonly redactor: Pick<Redactor, 'redact'>;
  /** Default: no connection becomes a stream. */
  readonly streams?: ByteStreams | undefined;
  /** A new connection waits for it, so that a command sees an edit that was saved before. Default: no wait. */
  readonly settled?: (() => Promise<void>) | undefined;
  /** One line for the user of each new connection. Default: none. */
  readonly notice?: (() => string | undefined) | undefined;
}

export interface ControlServer extends AsyncDisposable {
  /** Open authenticated connections. */
  readonly connections: number;
  /** True from the first authenticated connection on, also when it is closed. */
  readonly wasReached: boolean;
  /** Requests in progress. */
  readonly requests: number;
  /** Accepts no new connection; open ones stay. */
  stopListening(): Promise<void>;
  /** Sends everything queued, then closes every connection. */
  [Symbol.asyncDispose](): Promise<void>;
}

/** Serves commands that know the token, on a socket that only this user can open. */
export async function serveControl(control: DaemonControl, options: ServeControlOptions): Promise<ControlServer> {
  const open = new Set<LineConnection>();
  const work = { requests: 0, wasReached: false };
  let listening = true;
  // A client that ends its stream still reads responses.
  const server = createServer({ allowHalfOpen: true }, (socket) =>
    acceptConnection(socket, options, control, { open, work }),
  );
  server.maxConnections = maxConnections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.socket, resolve);
  });
  const isFile = !options.socket.startsWith('\\\\');
  if (isFile) await chmod(options.socket, 0o600);

  const stopListening = async (): Promise<void> => {
    if (!listening) return;
    listening = false;
    server.close();
    if (isFile) await rm(options.socket, { force: true });
  };
  return {
    get connections() {
      return open.size;
    },
    get wasReached() {
      return work.wasReached;
    },
    get requests() {
      return work.requests;
    },
    stopListening,
    [Symbol.asyncDispose]: async () => {
      await stopListening();
      for (const connection of open) connection.end();
    },
  };
}

interface Work {
  requests: number;
  wasReached: boolean;
}

function acceptConnection(
  socket: Socket,
  options: ServeControlOptions,
  control: DaemonControl,
  { open, work }: { readonly open: Set<LineConnection>; readonly work: Work },
): void {
  const { token, version, settled, notice } = options;
  const nonces = { client: '', server: newNonce() };
  const timer = setTimeout(() => connection.close(), greetingTimeoutMs);
  const ended = new AbortController();
  const connection = new LineConnection(socket, {
    maxLineBytes: maxGreetingBytes,
    onMessage: (message) => {
      const { mcpx, nonce, proof } = (message ?? {}) as Record<string, unknown>;
      if (nonces.client === '' && isNonce(nonce)) {
        nonces.client = nonce;
        const own: ServerHello = {
          mcpx: protocolNumber,
          version,
          nonce: nonces.server,
          proof: proofOf(token, 'server', nonces),
        };
        void Promise.resolve(settled?.()).then(() => {
          connection.send(own);
          if (mcpx !== protocolNumber) connection.end(); // the client has received the version
        });
        return;
      }
      if (nonces.client === '' || !isProofOf(proof, token, 'client', nonces)) {
        connection.close();
        return;
      }
      clearTimeout(timer);
      open.add(connection);
      work.wasReached = true;
      const text = notice?.();
      if (text !== undefined)
        connection.send({ jsonrpc: '2.0', method: '$/notice', params: { text } } satisfies RpcNotice);
      handleRequests(connection, control, { ...options, work }, ended.signal);
    },
    onClose: () => {
      clearTimeout(timer);
      open.delete(connection);
      ended.abort(new Error('the command is gone'));
    },
  });
}

function handleRequests(
  connection: LineConnection,
  control: DaemonControl,
  { redactor, streams, work }: Pick<ServeControlOptions, 'redactor' | 'streams'> & { readonly work: Work },
  ended: AbortSignal,
): void {
  const requests = new Map<
    number,
    { readonly controller: AbortController; readonly serverRequests: SentServerRequests }
  >();
  ended.addEventListener('abort', () => {
    for (const { controller } of requests.values()) controller.abort(ended.reason);
  });
  const handle = async (id: number, method: string, params: Record<string, unknown>): Promise<void> => {
    const controller = new AbortController();
    const { signal } = controller;
    const serverRequests = new SentServerRequests(connection, id);
    requests.set(id, { controller, serverRequests });
    work.requests += 1;
    const sendItem = (item: unknown): void => {
      if (connection.unsentBytes > maxUnreadItemBytes) return; // drops items that the client does not read
      connection.send({ jsonrpc: '2.0', method: '$/item', params: { id, item } } satisfies RpcItem);
    };
    const message = await dispatch(control, method, params, {
      signal,
      sendItem,
      drained: () => connection.drained(),
      handleRequest: (question, options) => serverRequests.send(question, AbortSignal.any([signal, options.signal])),
    }).then(
      (result = null): RpcResponse => ({ jsonrpc: '2.0', id, result }),
      (error: unknown) => failure(id, error, redactor),
    );
    requests.delete(id);
    work.requests -= 1;
    serverRequests.end(new Error('the request is over'));
    if (!signal.aborted) sendResponse(connection, id, message, redactor);
  };
  connection.expect({
    maxLineBytes: maxRequestBytes,
    onMessage: (message) => {
      const { id, method, params } = (message ?? {}) as Record<string, unknown>;
      const values = (typeof params === 'object' && params !== null ? params : {}) as Record<string, unknown>;
      if (method === '$/ping') connection.send({ jsonrpc: '2.0', method: '$/pong' } satisfies RpcHeartbeat);
      else if (method === '$/cancel')
        requests.get(values.id as number)?.controller.abort(new Error('the command was interrupted'));
      else if (method === '$/reply') requests.get(values.id as number)?.serverRequests.settle(values);
      else if (typeof id !== 'number' || typeof method !== 'string' || requests.has(id)) connection.close();
      else if (method === streamMethod) becomeStream(connection, id, streams?.claim(values.ticket));
      else if (requests.size >= maxRequests) connection.close();
      else void handle(id, method, values);
    },
  });
}

function becomeStream(connection: LineConnection, id: number, receive: ((socket: Socket) => void) | undefined): void {
  if (receive === undefined) {
    connection.close();
    return;
  }
  connection.send({ jsonrpc: '2.0', id, result: null } satisfies RpcResponse);
  receive(connection.detach());
}

function sendResponse(
  connection: LineConnection,
  id: number,
  message: RpcResponse,
  redactor: Pick<Redactor, 'redact'>,
): void {
  const json = JSON.stringify(message);
  if (Buffer.byteLength(json) > maxResponseBytes) {
    connection.send(failure(id, responseTooLarge(), redactor));
    return;
  }
  if (connection.unsentBytes > maxUnreadBytes) connection.close();
  else connection.sendText(json);
}

function responseTooLarge(): ControlError {
  return new ControlError('message-too-large', `The response is larger than ${maxResponseBytes} bytes.`, {
    hint: 'Request less data, for example with --limit or --server, or make the tool respond in parts.',
  });
}

function failure(id: number, error: unknown, redactor: Pick<Redactor, 'redact'>): RpcResponse {
  const data = controlErrorData(isControlError(error) ? error : toControlError(error, redactor));
  return { jsonrpc: '2.0', id, error: { code: failedRequest, message: data.message, data } };
}

interface RequestContext {
  readonly signal: AbortSignal;
  /** Sends an item of the request. */
  readonly sendItem: (item: unknown) => void;
  /** Resolves when the client has read the items, so that a slow reader slows the source. */
  readonly drained: () => Promise<void>;
  /** Forwards a server request to the client. Rejects with its error, or when the request ends. */
  readonly handleRequest: HandleServerRequest;
}

/**
 * @throws {ControlError} `invalid-request`: no method has that name, or a parameter does not fit. Errors of the called
 * method pass through.
 */
async function dispatch(
  control: DaemonControl,
  method: string,
  params: Readonly<Record<string, unknown>>,
  context: RequestContext,
): Promise<unknown> {
  if (!isMethod(method)) {
    throw new ControlError('invalid-request', `The daemon has no request named "${method}".`, {
      hint: `Requests are ${Object.keys(methods).join(', ')}.`,
    });
  }
  const { params: shape = {}, listeners = {}, forwardsRequests, streams }: Method = methods[method];
  const options = {
    ...readParams(method, shape, params),
    ...Object.fromEntries(Object.keys(listeners).map((listener) => [listener, context.sendItem])),
    ...(forwardsRequests && { onServerRequest: context.handleRequest }),
    signal: context.signal,
  };
  const outcome = (control[method] as (options: object) => unknown)(options);
  return streams ? sendAll(outcome as AsyncIterable<unknown>, context) : outcome;
}

function isMethod(name: string): name is keyof typeof methods {
  return Object.hasOwn(methods, name);
}

async function sendAll(items: AsyncIterable<unknown>, { sendItem, drained }: RequestContext): Promise<void> {
  for await (const item of items) {
    sendItem(item);
    await drained();
  }
}
