import type { Readable, Writable } from 'node:stream';
import {
  classifyInboundRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  ProtocolError,
  ProtocolErrorCode,
  type RequestId,
} from '@modelcontextprotocol/server';
import type { RpcError } from '@x/internal/contracts';
import { bytes, type OptionRows, type Resolved } from '@x/internal/options';
import { DRAINING, type DrainOptions, RequestsInProgress } from '../drain.js';
import { stallRow } from '../message-sizes.js';
import { MODERN_REVISION, readMessage, unsupportedRevision } from '../methods/client-messages.js';
import { ClientPeer, type OnError } from '../methods/client-peer.js';
import type { Era } from '../methods/client-request.js';
import type { ClientServer, Hold } from '../methods/client-server.js';
import { REFUSED } from '../methods/results.js';
import { AT_LIMIT, DEFAULT_MAX_REQUESTS } from '../requests/http-limits.js';
import { StdioTransport } from './stdio-transport.js';

/** The used part of a transport of the protocol SDK, 1.x or 2.x. Declared here, so that any installed copy fits. */
export interface ClientTransport {
  /** Called once, after the callbacks are set. */
  start(): Promise<void>;
  /**
   * Sends one message.
   *
   * @param message - A JSON-RPC message.
   */
  send(message: object): Promise<void>;
  /** Ends the connection. */
  close(): Promise<void>;
  /** Called once, when the connection has ended. */
  onclose?: (() => void) | undefined;
  /** Called with faults that do not end the connection. */
  onerror?: ((error: Error) => void) | undefined;
  /** Receives each message of the client as an object. */
  onmessage?: ((message: never) => void) | undefined;
  /** Called with the revision of the protocol, such as `2025-11-25`, before the response that agrees on it. */
  setProtocolVersion?: ((version: string) => void) | undefined;
}

/** Options of a connection's streams and bounds. */
export interface StdioOptions {
  /** Input with the client's messages. Default: the process's stdin. */
  readonly stdin?: Readable | undefined;
  /** Output, reserved for the protocol. Default: the process's stdout. */
  readonly stdout?: Writable | undefined;
  /** Replaces `stdin` and `stdout`. */
  readonly transport?: ClientTransport | undefined;
  /**
   * Maximum pending bytes on `stdout`. One more message ends the connection. A single message may be larger. Default 64
   * MiB.
   */
  readonly maxQueuedBytes?: number | undefined;
  /** Time without progress on `stdout` after which the connection ends, in milliseconds. Default 60 000. */
  readonly maxStallMs?: number | undefined;
  /** Maximum number of requests in progress, without subscriptions. Further ones get `-32000`. Default 2000. */
  readonly maxRequests?: number | undefined;
}

export const stdioRows = {
  stdin: { kind: 'object' },
  stdout: { kind: 'object' },
  transport: { kind: 'object' },
  // All responses of one client share this bound, so it is larger than that of one response over HTTP.
  maxQueuedBytes: { ...bytes, default: 64 * 1024 * 1024 },
  maxStallMs: stallRow,
  maxRequests: { kind: 'number', min: 1, default: DEFAULT_MAX_REQUESTS },
} as const satisfies OptionRows<StdioOptions>;

/** An open connection. */
export interface RegistryServing extends AsyncDisposable {
  /**
   * Resolves when the connection has ended: by the client, by a broken stream, by a client that does not read, or by
   * `close()`. All data has then been written, or dropped after a grace period.
   */
  readonly closed: Promise<void>;
  /**
   * Refuses new requests, and waits for those in progress or the end of the connection. Resolves to whether all have
   * finished. Call `close()` next.
   */
  drain(options?: DrainOptions): Promise<boolean>;
  /** Ends the connection and aborts its requests in progress. Idempotent. */
  close(): Promise<void>;
}

interface StdioLink {
  readonly transport: ClientTransport;
  /** False for a transport of the app. */
  readonly isOwn: boolean;
  /** Resolves when all sent data was read or dropped, after the end of the connection. */
  readonly flushed: () => Promise<void>;
  readonly maxRequests: number;
}

export function openLink({
  stdin,
  stdout,
  transport,
  maxRequests,
  ...options
}: Resolved<StdioOptions, typeof stdioRows>): StdioLink {
  if (transport !== undefined) return { transport, isOwn: false, maxRequests, flushed: () => Promise.resolve() };
  const own = new StdioTransport(options, stdin, stdout);
  return { transport: own, isOwn: true, maxRequests, flushed: () => own.flushed() };
}

interface ConnectionHooks {
  readonly onError: OnError;
  /** True if the message continues a call that holds a drain. Default: none does. */
  readonly continues?: ((message: object) => boolean) | undefined;
  /** Called once, before `closed` resolves. */
  readonly onOver: () => void;
}

type OpenServer = (era: Era, hold: Hold) => ClientServer;

/** @param open - Creates the server for a client of the era. Called again if the client falls back to the handshake. */
export function serveConnection(open: OpenServer, link: StdioLink, hooks: ConnectionHooks): RegistryServing {
  const connection = new StdioConnection(open, link, hooks);
  const closed = connection.closed.then(hooks.onOver).then(link.flushed);
  const close = async () => {
    await connection.close();
    await closed;
  };
  return { closed, drain: (options) => connection.drain(options), close, [Symbol.asyncDispose]: close };
}

/** One connection, whose first messages decide the revision. */
class StdioConnection {
  readonly closed: Promise<void>;
  readonly #open: OpenServer;
  readonly #transport: ClientTransport;
  readonly #isOwn: boolean;
  readonly #maxRequests: number;
  readonly #onError: OnError;
  readonly #continues: ConnectionHooks['continues'];
  readonly #started: Promise<unknown>;
  readonly #requests = new RequestsInProgress();
  #peer: ClientPeer | undefined;
  /** `server/discover` alone commits a client to no era. */
  #isDecided = false;
  #revision: string | undefined;

  constructor(
    open: OpenServer,
    { transport, isOwn, maxRequests }: StdioLink,
    { onError, continues }: Pick<ConnectionHooks, 'onError' | 'continues'>,
  ) {
    this.#open = open;
    this.#transport = transport;
    this.#isOwn = isOwn;
    this.#maxRequests = maxRequests;
    this.#onError = onError;
    this.#continues = continues;
    this.closed = new Promise((resolve) => {
      transport.onclose = () => {
        this.#peer?.close(new Error('The connection is over'));
        resolve();
      };
    });
    transport.onerror = (error) => onError?.(error);
    transport.onmessage = (message: unknown) => this.#receive(message);
    this.#started = transport.start().catch((error) => onError?.(error));
  }

  drain(options?: DrainOptions): Promise<boolean> {
    return Promise.race([this.#requests.drain(options), this.closed.then(() => false)]);
  }

  async close(): Promise<void> {
    await this.#started;
    await this.#peer?.endStreams();
    await this.#transport.close();
  }

  #receive(given: unknown): void {
    const message = readMessage(given);
    try {
      if (message === undefined) this.#report('Unknown message type');
      else this.#pass(message);
    } catch (error) {
      if (message !== undefined && 'id' in message)
        this.#refuse(message, new ProtocolError(ProtocolErrorCode.InternalError, 'Internal server error'));
      this.#onError?.(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #pass(message: JSONRPCMessage): void {
    const peer = this.#peerFor(message);
    if (peer === undefined) return;
    if (isRequest(message) && this.#requests.isDraining && !this.#continues?.(message)) {
      this.#answer(message.id, { code: REFUSED, message: DRAINING });
    } else if (isCounted(message) && peer.requests >= this.#maxRequests) {
      this.#answer(message.id, { code: REFUSED, message: AT_LIMIT });
    } else {
      this.#serve(message, peer);
    }
  }

  /** A request begins before a held call that it continues releases the drain. */
  #serve(message: JSONRPCMessage, peer: ClientPeer): void {
    const end = isCounted(message) ? this.#requests.begin() : () => undefined;
    const served = peer.receive(message);
    if (served === undefined) end();
    else void served.then(end);
  }

  /** Returns `undefined` for a message that is refused. */
  #peerFor(message: JSONRPCMessage): ClientPeer | undefined {
    const era = this.#peer?.server.era;
    if (this.#isDecided && (era === 'legacy' || !isHandshake(message))) return this.#peer;
    if (!('method' in message)) {
      this.#report('Discarded a JSON-RPC response received before the connection negotiated an era');
      return undefined;
    }
    const route = classifyInboundRequest({ httpMethod: 'POST', body: message });
    if (route.kind === 'reject') return this.#refuse(message, new ProtocolError(route.code, route.message, route.data));
    if (route.kind === 'modern') {
      const { revision } = route.classification;
      if (revision !== MODERN_REVISION) return this.#refuse(message, unsupportedRevision(revision ?? 'unknown'));
      this.#isDecided ||= message.method !== 'server/discover' && ('id' in message || this.#peer === undefined);
      return this.#become('modern');
    }
    if (this.#isDecided) return this.#refuse(message, wrongHandshake(route.requestedVersion));
    this.#isDecided = true;
    return this.#become('legacy');
  }

  #become(era: Era): ClientPeer {
    if (this.#peer?.server.era === era) return this.#peer;
    const send = (message: JSONRPCMessage) => this.#transport.send(message);
    this.#peer?.server.connect(undefined);
    this.#peer = new ClientPeer(
      this.#open(era, () => this.#requests.begin()),
      { send, respond: (_, message) => this.#respond(message), transport: this.#isOwn ? 'stdio' : 'in-process' },
      this.#onError,
    );
    return this.#peer;
  }

  async #respond(message: JSONRPCMessage): Promise<void> {
    const revision = this.#peer?.server.revision;
    if (revision !== this.#revision) this.#transport.setProtocolVersion?.(revision ?? '');
    this.#revision = revision;
    await this.#transport.send(message);
  }

  #refuse(message: JSONRPCMessage, { code, message: text, data }: ProtocolError): undefined {
    this.#report(text);
    if (!('id' in message) || message.id === undefined) return;
    this.#answer(message.id, { code, message: text, ...(data !== undefined && { data }) });
  }

  #answer(id: RequestId, error: RpcError): void {
    this.#transport.send({ jsonrpc: '2.0', id, error }).catch((cause) => this.#onError?.(cause));
  }

  #report(message: string): void {
    this.#onError?.(new Error(message));
  }
}

function isRequest(message: JSONRPCMessage): message is JSONRPCRequest {
  return 'method' in message && 'id' in message;
}

/** Subscriptions have a limit of their own. */
function isCounted(message: JSONRPCMessage): message is JSONRPCRequest {
  return isRequest(message) && message.method !== 'subscriptions/listen';
}

function isHandshake(message: JSONRPCMessage): boolean {
  return isRequest(message) && message.method === 'initialize';
}

function wrongHandshake(requested: string | undefined): ProtocolError {
  if (requested !== undefined) return unsupportedRevision(requested);
  const message = 'Unsupported protocol version: the request did not name a protocol version';
  return new ProtocolError(ProtocolErrorCode.UnsupportedProtocolVersion, message, { supported: [MODERN_REVISION] });
}
