import { eitherSignal, unlessAborted } from '@x/internal/async';
import type { CallHostContext, HostQuestion } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { type Redact, redactError } from '../redaction.js';
import { announcedCapabilities } from './announced-capabilities.js';
import { AnswerTurns } from './answer-turns.js';
import type { AwaitedHost } from './call-host.js';
import type { HostHandlers } from './host-handlers.js';
import { isHostQuestion, requireAnswerable } from './host-question.js';
import type { HostUnderWay } from './host-under-way.js';
import { type HostChoice, HostsUnderWay } from './hosts-under-way.js';
import { internalError, JsonRpcError, type Params } from './json-rpc.js';
import type { RequestOrigin, ServerRequest } from './peer.js';
import { relatedTask } from './task-hosts.js';

/** Our own error code for "it cannot be told who is to be asked", from the range that JSON-RPC leaves to whoever implements it. */
const nobodyToAskCode = -32_094;

export interface HostRequestsOptions {
  readonly server: string;
  readonly redact: Redact;
  /** Announced beside what the handlers stand for. */
  readonly capabilities?: Params | undefined;
}

/** Who is asked. */
interface Asked {
  readonly asked: HostUnderWay;
  /** Whether it is about that very request, so that no other one will do. */
  readonly isExact: boolean;
  /** Of the task that it is about: asked when its client has no request under way. */
  readonly task?: HostUnderWay;
}

/** Whom a request of a server's own is for: a call's host, nobody, or `undefined`: the manager's handlers. */
type Addressee = Asked | 'several' | 'gone' | 'unknown-task' | undefined;

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

  constructor(handlers: HostHandlers, { server, redact, capabilities }: HostRequestsOptions) {
    this.#handlers = handlers;
    this.capabilities = announcedCapabilities(handlers, capabilities);
    this.#answered = announcedCapabilities(handlers);
    this.#redact = redact;
    this.#server = server;
  }

  /**
   * Answers a request of the server, in the revisions in which it sends any. The calls that are under way in the moment of
   * this call are those that the request may be about.
   *
   * @param hasHostless - Whether requests are under way that are made for nobody in particular.
   */
  async answerServer(
    { method, params, about }: ServerRequest,
    signal: AbortSignal,
    hasHostless: boolean,
  ): Promise<Params> {
    const addressee = isHostQuestion(method) ? this.#addresseeOf(params, about, hasHostless) : undefined;
    return this.#answerOwn({ method, params }, addressee, signal);
  }

  /**
   * Answers what a server needs for a request that it was sent, a few at a time for each client. Rejects as soon as `signal`
   * aborts or the session ends, whatever is done to answer it. The call waits meanwhile, and is asked before it goes on.
   *
   * @param host - Of that request. Default: the manager's handlers.
   * @throws {JsonRpcError} Nobody there answers such a request, or there are too many of them.
   */
  async answer(question: HostQuestion, signal: AbortSignal, host?: AwaitedHost): Promise<Params> {
    requireAnswerable(question, host?.capabilities ?? this.#answered);
    const answer: Answer = host ? (context) => host.answer(question, context) : this.#handlerFor(question);
    using held = eitherSignal(signal, this.#lifetime.signal);
    const either = held.signal;
    const goOn = host?.waits?.();
    try {
      return await this.#turns.during(host?.client, either, () => this.#answerNow(answer, either));
    } finally {
      const turn = goOn?.();
      if (turn) await unlessAborted(turn, either);
    }
  }

  async #answerNow(answer: Answer, signal: AbortSignal): Promise<Params> {
    // In a function of its own, so that one which throws before it returns is no different from one that rejects.
    const answered = (async () => answer({ server: this.#server, signal }))();
    try {
      return asResult(await unlessAborted(answered, signal));
    } catch (error) {
      signal.throwIfAborted();
      throw redactError(error, this.#redact); // the server is told, and whoever called its tool
    }
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

  #addresseeOf(params: Params, about: RequestOrigin | undefined, hasHostless: boolean): Addressee {
    const related = relatedTask(params);
    if (related) return this.#makerOf(related.taskId, about);
    return about ? exactly(about) : this.#choose(hasHostless);
  }

  #makerOf(taskId: unknown, about: RequestOrigin | undefined): Addressee {
    const maker = this.underWay.tasks.find(taskId);
    if (maker === undefined) return this.underWay.hasHadAny ? 'unknown-task' : undefined;
    if (maker === 'several') return maker;
    const stream = typeof about === 'object' ? about.host : undefined;
    if (maker === 'handlers') return stream ? 'several' : undefined;
    const { client } = maker.host;
    if (stream && stream.host.client !== client) return 'several';
    return { asked: stream ?? this.underWay.lastOf(client) ?? maker, isExact: false, task: maker };
  }

  #choose(hasHostless: boolean): Addressee {
    const choice: HostChoice | undefined = this.underWay.choose(hasHostless);
    return typeof choice === 'object' ? { asked: choice, isExact: false } : choice;
  }

  async #answerOwn(question: HostQuestion, addressee: Addressee, signal: AbortSignal): Promise<Params> {
    if (addressee === undefined) return this.answer(question, signal);
    if (addressee === 'several') throw severalClients(question);
    if (addressee === 'gone') throw callIsOver(question);
    if (addressee === 'unknown-task') throw unknownTask(question);
    let asked: HostUnderWay | undefined = this.#unasked(addressee);
    while (asked) {
      using held = eitherSignal(signal, asked.ended);
      const { host } = asked;
      try {
        return await asked.duringQuestion(() => this.answer(question, held.signal, host));
      } catch (error) {
        if (!asked.isOver || signal.aborted || this.#lifetime.signal.aborted) throw error;
      }
      asked = this.#nextAfter(addressee);
    }
    throw callIsOver(question);
  }

  /** Another of the client's calls, if the one that was chosen is being asked since: a call mostly needs one thing at a time. */
  #unasked({ asked, isExact }: Asked): HostUnderWay {
    if (isExact || !asked.isAsked) return asked;
    return this.underWay.lastOf(asked.host.client) ?? asked;
  }

  /** It was one of the client's calls that was asked, and that need not be the one which it is about. */
  #nextAfter({ asked, isExact, task }: Asked): HostUnderWay | undefined {
    if (isExact) return undefined;
    return this.underWay.lastOf(asked.host.client) ?? (task?.isOver ? undefined : task);
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

function severalClients({ method }: HostQuestion): JsonRpcError {
  const message = `Several clients have calls under way here or had a moment ago, and "${method}" does not say which of them it is about: nobody was asked`;
  return new JsonRpcError(nobodyToAskCode, message);
}

function callIsOver({ method }: HostQuestion): JsonRpcError {
  return new JsonRpcError(nobodyToAskCode, `The call that "${method}" was about is over: nobody is left to be asked`);
}

function unknownTask({ method }: HostQuestion): JsonRpcError {
  const message = `The task that "${method}" names is none that is known to be open: nobody is left to be asked`;
  return new JsonRpcError(nobodyToAskCode, message);
}

function asResult(value: unknown): Params {
  if (isRecord(value)) return value;
  throw new JsonRpcError(internalError, 'The host gave an answer that is no object');
}
