import { type Client, type ClientCapabilities, ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/client';
import { eitherSignal } from '../either-signal.js';
import { type Redact, redactError } from '../redaction.js';
import { isRecord } from '../transport/is-record.js';
import { unlessAborted } from '../unless-aborted.js';
import type { HostHandler, HostHandlers } from './host-handlers.js';
import type { Params } from './request-lane.js';

/** How many requests of one server are answered at a time, and how many more may wait for that. */
const maxAnswering = 16;
const maxWaiting = 64;
/** Our own error code for "too many requests at a time", from the range that JSON-RPC leaves to whoever implements it. */
const tooManyCode = -32_093;

const methods = ['sampling/createMessage', 'elicitation/create', 'roots/list'] as const;

/** What servers ask of the host, and the handlers that answer. The same for every revision. */
export class HostRequests {
  readonly #handlers: HostHandlers;
  readonly #server: string;
  readonly #redact: Redact;
  readonly #lifetime = new AbortController();
  #answering = 0;
  /** Each lets one more request be answered. In the order they came. */
  readonly #waiting = new Set<() => void>();

  constructor(handlers: HostHandlers, { server, redact }: { server: string; redact: Redact }) {
    this.#handlers = handlers;
    this.#redact = redact;
    this.#server = server;
  }

  /** Announces exactly what there is a handler for. */
  get capabilities(): ClientCapabilities {
    const { sampling, samplingWithTools, elicitation, urlElicitation, roots } = this.#handlers;
    return {
      ...((sampling ?? samplingWithTools) && { sampling: samplingWithTools ? { tools: {} } : {} }),
      ...((elicitation ?? urlElicitation) && {
        elicitation: { ...(elicitation && { form: {} }), ...(urlElicitation && { url: {} }) },
      }),
      ...(roots && { roots: { listChanged: true } }),
    };
  }

  /** For the revisions in which a server sends requests of its own. To be called before `client` connects. */
  register(client: Client): void {
    const { sampling, elicitation, roots } = this.capabilities;
    const announced = [sampling, elicitation, roots];
    for (const [index, method] of methods.entries()) {
      if (!announced[index]) continue;
      client.setRequestHandler(method, anyParams, async (params, { mcpReq: { signal } }) =>
        asResult(await this.answer(method, params as Params, signal)),
      );
    }
  }

  /**
   * Answers one request, a few at a time. Rejects as soon as `signal` aborts or the session ends, whatever the handler
   * does.
   * @throws {ProtocolError} Nobody here answers such a request, or there are too many of them.
   */
  async answer(method: string, params: Params, signal: AbortSignal): Promise<unknown> {
    const handler = this.#handlerFor(method, params);
    using held = eitherSignal(signal, this.#lifetime.signal);
    const either = held.signal;
    either.throwIfAborted();
    if (this.#answering >= maxAnswering) await this.#turn(either);
    else this.#answering += 1;
    // In a function of its own, so that a handler which throws before it returns is no different from one that rejects.
    const answered = (async () => handler(params, { server: this.#server, signal: either }))();
    try {
      return await unlessAborted(either, answered);
    } catch (error) {
      either.throwIfAborted();
      throw redactError(error, this.#redact); // the server is told, and whoever called its tool
    } finally {
      this.#passOn();
    }
  }

  /** Waits until one that is being answered hands its place over. */
  async #turn(signal: AbortSignal): Promise<void> {
    if (this.#waiting.size >= maxWaiting) {
      const message = `This host answers ${maxAnswering} requests at a time, and ${maxWaiting} wait already`;
      throw new ProtocolError(tooManyCode, message);
    }
    let enter: (() => void) | undefined;
    const entered = new Promise<void>((resolve) => {
      enter = resolve;
      this.#waiting.add(resolve);
    });
    try {
      await unlessAborted(signal, entered);
    } catch (reason) {
      const isWaiting = this.#waiting.delete(enter as () => void);
      if (!isWaiting) this.#passOn(); // it was its turn in the very moment
      throw reason;
    }
  }

  #passOn(): void {
    const [next] = this.#waiting;
    if (next) this.#waiting.delete(next);
    else this.#answering -= 1;
    next?.();
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

  #handlerFor(method: string, params: Params): HostHandler {
    const { sampling, samplingWithTools, elicitation, urlElicitation, roots } = this.#handlers;
    if (method === 'roots/list' && roots) return roots;
    if (method === 'sampling/createMessage') {
      const withTools = params.tools !== undefined || params.toolChoice !== undefined;
      const handler = withTools ? samplingWithTools : (sampling ?? samplingWithTools);
      if (handler) return handler;
      if (sampling) throw invalidParams('This host does not take sampling requests with tools');
    }
    if (method === 'elicitation/create') {
      const isUrl = params.mode === 'url';
      const handler = isUrl ? urlElicitation : elicitation;
      if (handler) return handler;
      if (elicitation ?? urlElicitation) {
        throw invalidParams(`This host does not take elicitation requests ${isUrl ? 'with a URL' : 'with a form'}`);
      }
    }
    throw new ProtocolError(ProtocolErrorCode.MethodNotFound, `This host does not answer "${method}"`);
  }
}

function invalidParams(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

function asResult(value: unknown): Record<string, unknown> {
  if (isRecord(value)) return value;
  throw new ProtocolError(ProtocolErrorCode.InternalError, 'The host gave an answer that is no object');
}

/** Handlers get what the server sent, unknown keys and all. */
const anyParams = {
  params: {
    '~standard': { version: 1 as const, vendor: '@x/mcp-client-manager', validate: (value: unknown) => ({ value }) },
  },
};
