import { type Client, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import { eitherSignal } from '../either-signal.js';
import { type Redact, redactError } from '../redaction.js';
import { isRecord } from '../transport/is-record.js';
import { unlessAborted } from '../unless-aborted.js';
import { announcedCapabilities } from './announced-capabilities.js';
import { AnswerTurns } from './answer-turns.js';
import type { CallHost, CallHostContext, HostQuestion } from './call-host.js';
import type { HostHandlers } from './host-handlers.js';
import { isHostQuestion, requireAnswerable } from './host-question.js';
import { type HostChoice, HostsUnderWay, type HostUnderWay } from './hosts-under-way.js';
import type { Params, RequestOrigin } from './request-lane.js';

/** Our own error code for "it cannot be told who is to be asked", from the range that JSON-RPC leaves to whoever implements it. */
const nobodyToAskCode = -32_094;

export interface HostRequestsOptions {
  readonly server: string;
  readonly redact: Redact;
  /** Announced beside what the handlers stand for. */
  readonly capabilities?: Params | undefined;
}

/** Whom a request of a server's own is for: a call's host, nobody, or `undefined`: the manager's handlers. */
type Addressee = { readonly asked: HostUnderWay; readonly isExact: boolean } | 'several' | 'gone' | undefined;

type Answer = (context: CallHostContext) => unknown;

/** What servers ask of their client, and who answers: the host of the call it is about, or else the manager's handlers. */
export class HostRequests {
  /** Whose calls and other requests are under way. */
  readonly underWay = new HostsUnderWay();
  /** What servers are told that they may ask for. */
  readonly capabilities: Params;
  readonly #handlers: HostHandlers;
  readonly #answered: Params;
  readonly #server: string;
  readonly #redact: Redact;
  readonly #lifetime = new AbortController();
  readonly #turns = new AnswerTurns();
  /** By the ids of requests that were read in this very turn of the event loop; each begins to be answered in it. */
  readonly #arrivals = new Map<unknown, Addressee>();

  constructor(handlers: HostHandlers, { server, redact, capabilities }: HostRequestsOptions) {
    this.#handlers = handlers;
    this.capabilities = announcedCapabilities(handlers, capabilities);
    this.#answered = announcedCapabilities(handlers);
    this.#redact = redact;
    this.#server = server;
  }

  /**
   * For the revisions in which a server sends requests of its own. They come with all that was sent and are answered with
   * all that the host says: whatever the SDK has schemas for, it would leave out what those do not know.
   */
  register(client: Client): void {
    client.fallbackRequestHandler = async ({ method, params = {} }, { mcpReq: { id, signal } }) => {
      const addressee = this.#arrivals.has(id) ? this.#arrivals.get(id) : this.#choose();
      return this.#answerOwn({ method, params }, addressee, signal);
    };
  }

  /**
   * To be called in the moment in which a request of the server's own is read: the calls that are under way then are those
   * that it may be about.
   *
   * @param about - The request of ours that it is about, if the connection tells which.
   */
  arrived(id: unknown, method: string, about?: RequestOrigin): void {
    if (!isHostQuestion(method)) return;
    if (this.#arrivals.size === 0) setImmediate(() => this.#arrivals.clear());
    const isTwice = this.#arrivals.has(id);
    this.#arrivals.set(id, isTwice ? 'several' : about ? exactly(about) : this.#choose());
  }

  /**
   * Answers what a server needs for a request that it was sent, a few at a time. Rejects as soon as `signal` aborts or the
   * session ends, whatever is done to answer it.
   *
   * @param host - Of that request. Default: the manager's handlers.
   * @throws {ProtocolError} Nobody there answers such a request, or there are too many of them.
   */
  async answer(question: HostQuestion, signal: AbortSignal, host?: CallHost): Promise<Params> {
    requireAnswerable(question, host?.capabilities ?? this.#answered);
    const answer: Answer = host ? (context) => host.answer(question, context) : this.#handlerFor(question);
    using held = eitherSignal(signal, this.#lifetime.signal);
    const either = held.signal;
    return await this.#turns.during(either, async () => {
      // In a function of its own, so that one which throws before it returns is no different from one that rejects.
      const answered = (async () => answer({ server: this.#server, signal: either }))();
      try {
        return asResult(await unlessAborted(either, answered));
      } catch (error) {
        either.throwIfAborted();
        throw redactError(error, this.#redact); // the server is told, and whoever called its tool
      }
    });
  }

  elicitationCompleted(params: Params): void {
    const { elicitationCompleted } = this.#handlers;
    if (!elicitationCompleted) return;
    const context = { server: this.#server, signal: this.#lifetime.signal };
    (async () => elicitationCompleted(params, context))().catch((error: unknown) => {
      process.emitWarning(`The handler "elicitationCompleted" failed: ${error instanceof Error ? error.stack : error}`);
    });
  }

  /** Aborts what is still being answered. */
  close(reason: unknown): void {
    this.#lifetime.abort(reason);
  }

  #choose(): Addressee {
    const choice: HostChoice | undefined = this.underWay.choose();
    return typeof choice === 'object' ? { asked: choice, isExact: false } : choice;
  }

  async #answerOwn(question: HostQuestion, addressee: Addressee, signal: AbortSignal): Promise<Params> {
    if (addressee === undefined) return this.answer(question, signal);
    if (addressee === 'several') throw severalClients(question);
    if (addressee === 'gone') throw callIsOver(question);
    const { asked: first, isExact } = addressee;
    let asked: HostUnderWay | undefined = first;
    while (asked) {
      using held = eitherSignal(signal, asked.ended);
      try {
        return await this.answer(question, held.signal, asked.host);
      } catch (error) {
        if (!asked.isOver || signal.aborted || this.#lifetime.signal.aborted) throw error;
      }
      // It was the last of the client's calls that was asked, and that need not be the one which it is about.
      asked = isExact ? undefined : this.underWay.lastOf(first.host.client);
    }
    throw callIsOver(question);
  }

  #handlerFor({ method, params }: HostQuestion): Answer {
    const { sampling, samplingWithTools, elicitation, urlElicitation, roots } = this.#handlers;
    const withTools = params.tools !== undefined || params.toolChoice !== undefined;
    const handler = {
      'sampling/createMessage': withTools ? samplingWithTools : (sampling ?? samplingWithTools),
      'elicitation/create': params.mode === 'url' ? urlElicitation : elicitation,
      'roots/list': roots,
    }[method];
    return (context) => handler?.(params, context);
  }
}

function exactly(about: RequestOrigin): Addressee {
  if (about === 'gone') return about;
  return about.host && { asked: about.host, isExact: true };
}

function severalClients({ method }: HostQuestion): ProtocolError {
  const message = `Several clients have calls under way here, and "${method}" does not say which of them it is about: nobody was asked`;
  return new ProtocolError(nobodyToAskCode, message);
}

function callIsOver({ method }: HostQuestion): ProtocolError {
  return new ProtocolError(nobodyToAskCode, `The call that "${method}" was about is over: nobody is left to be asked`);
}

function asResult(value: unknown): Params {
  if (isRecord(value)) return value;
  throw new ProtocolError(ProtocolErrorCode.InternalError, 'The host gave an answer that is no object');
}
