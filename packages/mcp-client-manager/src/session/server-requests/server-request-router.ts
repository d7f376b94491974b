import { eitherSignal, unlessAborted } from '@x/internal/async';
import type { ClientHandlerContext, ServerRequest } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { type Redact, redactError } from '../../redaction.js';
import { internalError, JsonRpcError, type Params } from '../peer/json-rpc.js';
import type { ReceivedRequest, RequestOrigin } from '../peer/peer.js';
import type { ActiveCaller } from './active-caller.js';
import { ActiveCallers, type CallerChoice } from './active-callers.js';
import { AnswerQueue } from './answer-queue.js';
import type { PausingHandler } from './call-handler.js';
import { announcedCapabilities, type ClientHandlers } from './client-handlers.js';
import { isHandledMethod, requireAnswerable } from './server-request.js';
import { relatedTask } from './task-callers.js';

/** "No client can be determined", from JSON-RPC's range for implementations. */
const noClientCode = -32_094;

interface ServerRequestRouterOptions {
  readonly server: string;
  readonly redact: Redact;
  readonly capabilities?: Params | undefined;
}

interface Recipient {
  readonly caller: ActiveCaller;
  /** The transport named the call: the request never moves to another one. */
  readonly isExact: boolean;
  /** The fallback when the client of the task has no other call in progress. */
  readonly task?: ActiveCaller;
}

/** A caller, or the reason why there is none. `undefined`: the manager's client handlers. */
type Addressee = Recipient | 'several' | 'gone' | 'unknown-task' | undefined;

type Answer = (context: ClientHandlerContext) => unknown;

/** Routes server requests to the handler of their call, or else to the manager's client handlers. */
export class ServerRequestRouter {
  readonly callers = new ActiveCallers();
  readonly capabilities: Params;
  readonly #handlers: ClientHandlers;
  readonly #handled: Params;
  readonly #server: string;
  readonly #redact: Redact;
  readonly #lifetime = new AbortController();
  readonly #queue = new AnswerQueue();

  constructor(handlers: ClientHandlers, { server, redact, capabilities }: ServerRequestRouterOptions) {
    this.#handlers = handlers;
    this.capabilities = announcedCapabilities(handlers, capabilities);
    this.#handled = announcedCapabilities(handlers);
    this.#redact = redact;
    this.#server = server;
  }

  /** For requests that the server sent by itself, before revision 2026-07-28. They may concern any call in progress. */
  async answerRequest(
    { method, params, about }: ReceivedRequest,
    signal: AbortSignal,
    hasAnonymous: boolean,
  ): Promise<Params> {
    const addressee = isHandledMethod(method) ? this.#addresseeOf(params, about, hasAnonymous) : undefined;
    return this.#respond({ method, params }, addressee, signal);
  }

  /**
   * Rejects as soon as `signal` aborts or the session ends, even if the handler still runs. Pauses the call meanwhile.
   *
   * @param handler - Handler of the call. Default: the manager's client handlers.
   * @throws {JsonRpcError} The request is not supported, or the `AnswerQueue` is full.
   */
  async answer(question: ServerRequest, signal: AbortSignal, handler?: PausingHandler): Promise<Params> {
    requireAnswerable(question, handler?.capabilities ?? this.#handled);
    const answer: Answer = handler ? (context) => handler.answer(question, context) : this.#handlerFor(question);
    using either = eitherSignal(signal, this.#lifetime.signal);
    const resume = handler?.waits?.();
    try {
      return await this.#queue.during(handler?.client, either.signal, () => this.#answerNow(answer, either.signal));
    } finally {
      const turn = resume?.();
      if (turn) await unlessAborted(turn, either.signal);
    }
  }

  async #answerNow(answer: Answer, signal: AbortSignal): Promise<Params> {
    // A synchronous throw must reject, too.
    const answered = (async () => answer({ server: this.#server, signal }))();
    try {
      return asResult(await unlessAborted(answered, signal));
    } catch (error) {
      signal.throwIfAborted();
      throw redactError(error, this.#redact); // reaches the server and the caller of its tool
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

  close(reason: unknown): void {
    this.#lifetime.abort(reason);
  }

  #addresseeOf(params: Params, about: RequestOrigin | undefined, hasAnonymous: boolean): Addressee {
    const related = relatedTask(params);
    if (related) return this.#callerOfTask(related.taskId, about);
    return about ? exactly(about) : this.#choose(hasAnonymous);
  }

  #callerOfTask(taskId: unknown, about: RequestOrigin | undefined): Addressee {
    const taskCaller = this.callers.tasks.find(taskId);
    if (taskCaller === undefined) return this.callers.hasHadAny ? 'unknown-task' : undefined;
    if (taskCaller === 'several') return taskCaller;
    const stream = typeof about === 'object' ? about.caller : undefined;
    if (taskCaller === 'handlers') return stream ? 'several' : undefined;
    const { client } = taskCaller.handler;
    if (stream && stream.handler.client !== client) return 'several';
    return { caller: stream ?? this.callers.lastOf(client) ?? taskCaller, isExact: false, task: taskCaller };
  }

  #choose(hasAnonymous: boolean): Addressee {
    const choice: CallerChoice | undefined = this.callers.choose(hasAnonymous);
    return typeof choice === 'object' ? { caller: choice, isExact: false } : choice;
  }

  async #respond(question: ServerRequest, addressee: Addressee, signal: AbortSignal): Promise<Params> {
    if (addressee === undefined) return this.answer(question, signal);
    if (addressee === 'several') throw severalClients(question);
    if (addressee === 'gone') throw callIsOver(question);
    if (addressee === 'unknown-task') throw unknownTask(question);
    let caller: ActiveCaller | undefined = this.#idleCallOf(addressee);
    while (caller) {
      using either = eitherSignal(signal, caller.ended);
      const { handler } = caller;
      try {
        return await caller.whileAnswering(() => this.answer(question, either.signal, handler));
      } catch (error) {
        if (!caller.isOver || signal.aborted || this.#lifetime.signal.aborted) throw error;
      }
      caller = this.#nextAfter(addressee);
    }
    throw callIsOver(question);
  }

  /** Most calls have one open server request at a time. */
  #idleCallOf({ caller, isExact }: Recipient): ActiveCaller {
    if (isExact || !caller.isAnswering) return caller;
    return this.callers.lastOf(caller.handler.client) ?? caller;
  }

  /** Another call of the same client: the choice among them was a guess. */
  #nextAfter({ caller, isExact, task }: Recipient): ActiveCaller | undefined {
    if (isExact) return undefined;
    return this.callers.lastOf(caller.handler.client) ?? (task?.isOver ? undefined : task);
  }

  #handlerFor({ method, params }: ServerRequest): Answer {
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
  return about.caller && { caller: about.caller, isExact: true };
}

function severalClients({ method }: ServerRequest): JsonRpcError {
  const message = `"${method}" does not name a call, and several clients have calls in progress or had some a moment ago. No client was asked.`;
  return new JsonRpcError(noClientCode, message);
}

function callIsOver({ method }: ServerRequest): JsonRpcError {
  return new JsonRpcError(noClientCode, `The call that "${method}" is about has ended: there is no client to ask`);
}

function unknownTask({ method }: ServerRequest): JsonRpcError {
  const message = `Unknown or finished task in "${method}": there is no client to ask`;
  return new JsonRpcError(noClientCode, message);
}

function asResult(value: unknown): Params {
  if (isRecord(value)) return value;
  throw new JsonRpcError(internalError, 'The handler must return an object');
}
