import {
  isInitializeRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server';
import type { CallerTurns } from '../caller-turns.js';
import { type HttpRequest, HttpResponse, refuse } from '../http-messages.js';
import { readMessage } from '../methods/client-messages.js';
import type { ClientPeer, PeerLink } from '../methods/client-peer.js';
import { EventStream, PacedMessages, STREAM_HEADERS } from '../responses/event-stream.js';
import { formOf, PostResponse, type ResponseForm } from '../responses/post-response.js';
import type { Waiting } from '../responses/waiting-bytes.js';
import { type SessionEvents, STANDALONE } from './session-events.js';

const RETRY_MS = 1_000;
/** Age from which a response becomes a stream, so that a client can reconnect for it. */
const STREAM_AFTER_MS = 1_000;
const MAX_BATCH = 100;
/** The first revision whose clients accept an event without data. */
const FIRST_WITH_BEGINNINGS = '2025-11-25';
const DEFAULT_VERSION = '2025-03-26';

interface SessionTransportOptions {
  readonly id: string;
  readonly events: SessionEvents;
  readonly keepAliveMs: number;
  readonly turns: CallerTurns;
  /** Called before the response that opens the session. */
  readonly onInitialized: () => void;
  /** Called once. */
  readonly onClosed: () => void;
}

interface ResponseTerms {
  readonly form: ResponseForm;
  readonly version: string;
  readonly isBatch: boolean;
  readonly waiting: Waiting;
}

interface StreamTerms {
  /** Id of the event that marks the start of the stream. */
  readonly beginning?: string | undefined;
  readonly messages?: PacedMessages | undefined;
}

export class SessionTransport implements PeerLink {
  readonly transport = 'http';
  peer: ClientPeer | undefined;
  /** Set when the client sends `initialize`. */
  sessionId?: string;
  readonly #options: SessionTransportOptions;
  readonly #answers = new Map<RequestId, PostResponse>();
  /** Streams of requests without a response. */
  readonly #pending = new Set<string>();
  /** Requests whose HTTP response ends before their result. */
  readonly #paused = new Set<RequestId>();
  readonly #open = new Map<string, EventStream>();
  #isClosed = false;

  constructor(options: SessionTransportOptions) {
    this.#options = options;
  }

  answer(ask: HttpRequest, body: unknown, waiting: Waiting): Promise<HttpResponse> | HttpResponse {
    if (this.#isClosed) return notFound();
    if (ask.method === 'POST') return this.#post(ask, body, waiting);
    const refusal = this.#refusal(ask);
    if (refusal !== undefined) return refusal;
    if (ask.method === 'GET') return this.#listen(ask);
    this.close();
    return new HttpResponse(200, null);
  }

  /** @throws {Error} if the request that the message is about is over. */
  async send(message: JSONRPCMessage, about?: RequestId): Promise<void> {
    const answer = about === undefined ? undefined : this.#answers.get(about);
    if (answer !== undefined) return answer.send(message);
    if (about !== undefined) throw new Error(`The request ${JSON.stringify(about)} is over`);
    return this.#write(STANDALONE, message);
  }

  pause(about: RequestId): void {
    this.#answers.get(about)?.pause();
  }

  /** @param isTaken - Whether the client has received the whole HTTP response to these requests. */
  sent(ids: readonly RequestId[], { isTaken }: { readonly isTaken: boolean }): void {
    const whole = ids.filter((id) => !this.#paused.delete(id));
    if (isTaken && whole.length > 0) this.#options.events.forgetAnswers(whole);
  }

  async respond(id: RequestId, message: JSONRPCMessage): Promise<void> {
    const answer = this.#answers.get(id);
    this.#answers.delete(id);
    return answer?.settle(id, message); // absent if the client no longer waits
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const answer of new Set(this.#answers.values())) answer.end();
    this.#answers.clear();
    for (const stream of Array.from(this.#open.values())) stream.end();
    this.#options.onClosed();
  }

  cancel(requestId: RequestId, reason: string): void {
    this.#receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason } });
  }

  #refusal(ask: HttpRequest): HttpResponse | undefined {
    if (this.sessionId === undefined) return refuse(400, 'Bad Request: Server not initialized');
    const version = ask.header('mcp-protocol-version');
    if (version === null || SUPPORTED_PROTOCOL_VERSIONS.includes(version)) return undefined;
    const known = SUPPORTED_PROTOCOL_VERSIONS.join(', ');
    return refuse(400, `Bad Request: Unsupported protocol version: ${version} (supported versions: ${known})`);
  }

  #post(ask: HttpRequest, body: unknown, waiting: Waiting): HttpResponse | Promise<HttpResponse> {
    const form = formOf(ask.header('accept'));
    if (form === undefined) {
      return refuse(406, 'Not Acceptable: Client must accept both application/json and text/event-stream');
    }
    const messages = messagesOf(body);
    if (messages instanceof HttpResponse) return messages;
    const initialize = messages.find((message) => isInitialize(message));
    const refusal = initialize === undefined ? this.#refusal(ask) : this.#initialize(messages);
    if (refusal !== undefined) return refusal;
    const requests = messages.filter((message): message is JSONRPCRequest => 'method' in message && 'id' in message);
    if (requests.length === 0) {
      for (const message of messages) this.#receive(message);
      return new HttpResponse(202, null);
    }
    const ids = new Set(requests.map(({ id }) => id));
    if (ids.size < requests.length || requests.some(({ id }) => this.#answers.has(id))) {
      return refuse(400, 'Invalid Request: A request with this id is already in progress', {}, { code: -32_600 });
    }
    const asked = initialize?.params?.protocolVersion;
    const version = String(asked ?? ask.header('mcp-protocol-version') ?? DEFAULT_VERSION);
    const answer = this.#openAnswer(requests, { form, version, isBatch: Array.isArray(body), waiting });
    for (const message of messages) this.#receive(message, ask);
    return answer.answer;
  }

  #initialize(messages: readonly JSONRPCMessage[]): HttpResponse | undefined {
    if (this.sessionId !== undefined) {
      return refuse(400, 'Invalid Request: Server already initialized', {}, { code: -32_600 });
    }
    if (messages.length > 1) {
      return refuse(400, 'Invalid Request: Only one initialization request is allowed', {}, { code: -32_600 });
    }
    this.sessionId = this.#options.id;
    this.#options.onInitialized();
    return undefined;
  }

  #openAnswer(requests: readonly JSONRPCRequest[], { form, version, isBatch, waiting }: ResponseTerms): PostResponse {
    const { keepAliveMs, events, turns } = this.#options;
    const stream = crypto.randomUUID();
    const hasBeginning = SUPPORTED_PROTOCOL_VERSIONS.includes(version) && version >= FIRST_WITH_BEGINNINGS;
    const ids = requests.map(({ id }) => id);
    const [first] = ids;
    let isPaused = false;
    const answer = new PostResponse(ids, {
      form,
      waiting,
      turns,
      isBatch: isBatch && ids.length > 1,
      headers: this.#headers,
      streamAfterMs: Math.min(STREAM_AFTER_MS, keepAliveMs),
      openStream: () =>
        this.#openStream(stream, {
          beginning: hasBeginning ? events.store(stream) : undefined,
          messages: new PacedMessages(waiting, turns),
        }),
      pauseStream:
        hasBeginning && first !== undefined && ids.length === 1
          ? () => {
              isPaused = true;
              this.#paused.add(first);
              events.sendAway(stream);
              this.#open.get(stream)?.end();
            }
          : undefined,
      write: (message) => this.#write(stream, message, { isAwaited: isPaused && !('method' in message) }),
      onOver: () => {
        this.#pending.delete(stream);
        this.#open.get(stream)?.end();
      },
    });
    this.#pending.add(stream);
    for (const id of ids) this.#answers.set(id, answer);
    return answer;
  }

  #receive(message: JSONRPCMessage, ask?: HttpRequest): void {
    this.peer?.receive(message, ask && ((name) => ask.header(name)));
    if ('id' in message || !('method' in message) || message.method !== 'notifications/cancelled') return;
    const id = message.params?.requestId as RequestId;
    // No response follows a cancellation, so the HTTP request ends here.
    this.#answers.get(id)?.drop(id);
    this.#answers.delete(id);
  }

  #listen(ask: HttpRequest): HttpResponse {
    if (!(ask.header('accept') ?? '').includes('text/event-stream')) {
      return refuse(406, 'Not Acceptable: Client must accept text/event-stream');
    }
    const last = ask.header('last-event-id');
    if (last !== null && last !== '') return this.#resume(last);
    if (this.#open.has(STANDALONE)) return refuse(409, 'Conflict: Only one SSE stream is allowed per session');
    return this.#openStream(STANDALONE);
  }

  #resume(last: string): HttpResponse {
    const known = this.#options.events.after(last);
    if (known === undefined) return refuse(400, 'The event does not exist or is no longer stored');
    if (this.#open.has(known.stream)) return refuse(409, 'Conflict: Stream already has an active connection');
    const answer = this.#openStream(known.stream);
    const stream = this.#open.get(known.stream);
    for (const { id, message } of known.events) void stream?.send(message, id);
    if (known.stream !== STANDALONE && !this.#pending.has(known.stream)) stream?.end();
    return answer;
  }

  #openStream(id: string, { beginning, messages }: StreamTerms = {}): HttpResponse {
    const onOver = () => {
      if (this.#open.get(id) === stream) this.#open.delete(id);
    };
    const stream = new EventStream({ keepAliveMs: this.#options.keepAliveMs, messages, onOver });
    this.#open.set(id, stream);
    if (beginning !== undefined) stream.begin(beginning, RETRY_MS);
    return new HttpResponse(200, stream.body, { ...STREAM_HEADERS, ...this.#headers });
  }

  /** Also stores the message, since a disconnected client may reconnect. */
  #write(stream: string, message: JSONRPCMessage, { isAwaited = false } = {}): Promise<void> | void {
    const open = this.#open.get(stream);
    const id = this.#options.events.store(stream, message, { isAwaited: isAwaited && open === undefined });
    return open?.send(message, id);
  }

  get #headers(): Readonly<Record<string, string>> {
    return this.sessionId === undefined ? {} : { 'mcp-session-id': this.sessionId };
  }
}

function messagesOf(body: unknown): readonly JSONRPCMessage[] | HttpResponse {
  const given = Array.isArray(body) ? body : [body];
  if (given.length > MAX_BATCH) {
    const message = `Invalid Request: Batch must not exceed ${MAX_BATCH} messages`;
    return refuse(400, message, {}, { code: -32_600 });
  }
  const messages = given.flatMap((message) => readMessage(message) ?? []);
  if (messages.length === given.length) return messages;
  return refuse(400, 'Parse error: Invalid JSON-RPC message', {}, { code: -32_700 });
}

function isInitialize(message: JSONRPCMessage): message is JSONRPCRequest {
  return 'method' in message && message.method === 'initialize' && isInitializeRequest(message);
}

function notFound(): HttpResponse {
  return refuse(404, 'Session not found', {}, { code: -32_001 });
}
