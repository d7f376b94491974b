import {
  type JSONRPCMessage,
  type JSONRPCRequest,
  ProtocolErrorCode,
  type RequestId,
} from '@modelcontextprotocol/server';
import { EventStream, STREAM_HEADERS } from './answers/event-stream.js';
import { PacedMessages } from './answers/paced-messages.js';
import { PostAnswer } from './answers/post-answer.js';
import type { Waiting } from './answers/waiting-bytes.js';
import type { CallerTurns } from './caller-turns.js';
import { HttpAnswer, refuse } from './http-answers.js';
import { type AnswerFacts, ClientPeer, type OnError, type PeerLink } from './methods/client-peer.js';
import type { ClientServer } from './methods/client-server.js';

interface ExchangeOptions {
  readonly waiting: Waiting;
  readonly turns: CallerTurns;
  readonly keepAliveMs: number;
  readonly onError: OnError;
}

/** Nginx's status for a client that disconnected before the response. */
const GIVEN_UP = 499;

/** One request of revision 2026-07-28 over HTTP. The response is JSON, or a stream if a message precedes the result. */
export class ModernExchange implements PeerLink {
  readonly #id: RequestId;
  readonly #peer: ClientPeer;
  readonly #answer: PostAnswer;
  #stream: EventStream | undefined;

  constructor(server: ClientServer, id: RequestId, { waiting, turns, keepAliveMs, onError }: ExchangeOptions) {
    this.#id = id;
    this.#peer = new ClientPeer(server, this, onError);
    this.#answer = new PostAnswer([id], {
      form: 'either',
      headers: {},
      isBatch: false,
      waiting,
      turns,
      openStream: () => {
        const onOver = () => this.#peer.close(new Error('The client has gone'));
        this.#stream = new EventStream({ keepAliveMs, messages: new PacedMessages(waiting, turns), onOver });
        return new HttpAnswer(200, this.#stream.body, STREAM_HEADERS);
      },
      write: (message) => this.#stream?.tell(message),
      onOver: () => this.#stream?.end(),
    });
  }

  async serve(message: JSONRPCRequest, gone: AbortSignal): Promise<HttpAnswer> {
    if (gone.aborted) return new HttpAnswer(GIVEN_UP, null);
    const onGone = () => this.#giveUp(gone.reason, new HttpAnswer(GIVEN_UP, null));
    gone.addEventListener('abort', onGone);
    this.#peer.receive(message);
    const answer = await this.#answer.answer;
    if (this.#stream === undefined) gone.removeEventListener('abort', onGone);
    return answer;
  }

  send(message: JSONRPCMessage): Promise<void> | void {
    return this.#answer.tell(message);
  }

  respond(id: RequestId, message: JSONRPCMessage, { isUnknownMethod }: AnswerFacts): Promise<void> | void {
    return this.#answer.settle(id, message, statusOf(message, isUnknownMethod));
  }

  /** At close, subscriptions end with a result, and other requests are aborted. */
  async end(): Promise<void> {
    await this.#peer.endStreams();
    const message = 'The server is closed; the call may or may not have had its effect';
    this.#giveUp(new Error('The server is closed'), refuse(503, message, {}, { id: this.#id }));
  }

  #giveUp(reason: Error, answer: HttpAnswer): void {
    this.#peer.close(reason);
    this.#answer.end(answer);
  }
}

function statusOf(message: JSONRPCMessage, isUnknownMethod: boolean): number {
  if (isUnknownMethod) return 404;
  const code = 'error' in message ? message.error.code : undefined;
  return code === ProtocolErrorCode.MissingRequiredClientCapability ? 400 : 200;
}
