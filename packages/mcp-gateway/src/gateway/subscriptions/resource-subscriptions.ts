import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { nextTurn } from '@x/internal/async';
import type { CallHandler } from '@x/internal/contracts';
import { messageOf } from '@x/internal/errors';
import { recordCall } from '@x/internal/views';
import { resourceNotFound } from '../../server/methods/results.js';
import type { Audience } from '../audiences.js';
import type { GatewayCore, Routed } from '../gateway-core.js';
import { PartAudit } from '../resources-and-prompts/part-audit.js';
import { type GatewayUpstream, reasonOf, serverOf } from '../upstream.js';
import { MAX_PER_CALLER, MAX_PER_STREAM, MAX_URI_LENGTH, untilAdmitted } from './upstream-subscriptions.js';

interface ResourceSubscription extends Routed {
  /** The URI for clients. */
  readonly uri: string;
  readonly held: Promise<Disposable>;
  readonly giveUp: AbortController;
}

export interface SubscriberOptions {
  /** The same for all connections and streams of one caller. */
  readonly owner: string;
  readonly silent: CallHandler;
}

interface SubscribeRequest {
  readonly audience: Audience;
  readonly signal: AbortSignal;
  readonly handlerOf?: (upstream: GatewayUpstream) => CallHandler;
}

export class ResourceSubscriptions {
  readonly #core: GatewayCore;
  readonly #audit: PartAudit;
  readonly #owner: string;
  readonly #silent: CallHandler;
  /** By subscriber: a stream of the client, and the URI. */
  readonly #resources = new Map<string, ResourceSubscription>();
  readonly #streams = new Map<string, SubscribingStream>();
  #isOver = false;

  constructor(core: GatewayCore, { owner, silent }: SubscriberOptions) {
    this.#core = core;
    this.#audit = new PartAudit(core);
    this.#owner = owner;
    this.#silent = silent;
  }

  /**
   * @param id - A second subscription with the same id joins the first.
   * @throws {ProtocolError} -32002 for an unknown or forbidden resource, -32602 if the URI is too long or there are too
   * many, or the error of its server.
   */
  async subscribe(id: string, uri: string, options: SubscribeRequest): Promise<void> {
    if (uri.length > MAX_URI_LENGTH) throw tooLong();
    const isNew = !this.#resources.has(id);
    if (isNew && this.#resources.size >= MAX_PER_STREAM) throw tooMany();
    await this.#subscribe(id, uri, options);
  }

  /**
   * Makes subscriptions a few at a time. Forbidden and refused ones are silent; those that a busy server postpones are
   * retried.
   */
  subscribeAll(stream: string, uris: readonly string[], audience: Audience): void {
    this.#streams.get(stream)?.end();
    const wanted = new SubscribingStream(
      (uri, signal) => this.#subscribe(`${stream}\n${uri}`, uri, { audience, signal }),
      {
        onFailed: (uri, cause) => this.#report(uri, cause),
      },
    );
    this.#streams.set(stream, wanted);
    wanted.subscribeAll(this.#core.shares.fitting(this.#owner, uris));
  }

  release(id: string): void {
    const resource = this.#resources.get(id);
    if (resource === undefined) return;
    this.#resources.delete(id);
    resource.held
      .then(
        (held) => held[Symbol.dispose](),
        () => undefined, // the waiting caller gets the error
      )
      .then(() => this.#core.shares.release(this.#owner));
  }

  releaseAll(stream: string): void {
    this.#streams.get(stream)?.end();
    this.#streams.delete(stream);
    for (const id of this.#resources.keys()) if (id.startsWith(`${stream}\n`)) this.release(id);
  }

  end(): void {
    this.#isOver = true;
    for (const stream of this.#streams.values()) stream.end();
    this.#streams.clear();
    const reason = new Error('The connection is over');
    for (const [id, { giveUp }] of this.#resources) {
      giveUp.abort(reason);
      this.release(id);
    }
  }

  /** Returns the subscriptions that a change concerns, by the client's names. */
  wanted(server: string, uri: string): readonly string[] {
    const found = new Set<string>();
    for (const { upstream, key, uri: name } of this.#resources.values()) {
      if (upstream.name === server && isPartOf(uri, key)) found.add(name);
    }
    return [...found];
  }

  async #subscribe(
    id: string,
    uri: string,
    { audience, signal, handlerOf = () => this.#silent }: SubscribeRequest,
  ): Promise<void> {
    const found = await this.#core.findResource(uri, audience);
    if (found === undefined) {
      await this.#audit.refusedSubscription(audience, uri);
      throw resourceNotFound(uri);
    }
    if (this.#isOver || signal.aborted) return;
    const onLimited = () => this.#audit.subscribed(audience, uri, found, 'rate-limited');
    this.#core.rates.consume({ ...audience, server: found.upstream.name }, onLimited);
    const handler = handlerOf(found.upstream);
    const taken = () => this.#subscribeTo(id, { ...found, uri }, { signal, handler }).then(() => ({}));
    await recordCall(taken, this.#audit.subscribed(audience, uri, found));
  }

  async #subscribeTo(
    id: string,
    found: Routed & { readonly uri: string },
    { signal, handler }: { readonly signal: AbortSignal; readonly handler: CallHandler },
  ): Promise<void> {
    const known = this.#resources.get(id);
    if (known !== undefined) {
      await known.held;
      return;
    }
    if (!this.#core.shares.acquire(this.#owner)) throw tooMany();
    const giveUp = new AbortController();
    const stop = () => giveUp.abort(signal.reason);
    signal.addEventListener('abort', stop);
    const options = { signal: giveUp.signal, handler, lastHandler: this.#silent };
    const held = this.#core.subscriptions.subscribe(found.upstream, found.key, options);
    this.#resources.set(id, { ...found, held, giveUp });
    try {
      await held;
    } catch (error) {
      if (this.#resources.get(id)?.held === held) this.release(id);
      throw error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  #report(uri: string, cause: unknown): void {
    if (this.#isOver || (cause instanceof ProtocolError && cause.code !== ProtocolErrorCode.InvalidParams)) return;
    const message = `A client does not receive changes of ${uri}: ${messageOf(cause)}`;
    const problem = { server: serverOf(cause), reason: reasonOf(cause), message, cause };
    this.#core.policy.onProblem({ code: 'subscription-failed', ...problem });
  }
}

function tooMany(): ProtocolError {
  const message = `The limit of subscriptions is reached: ${MAX_PER_STREAM} per connection, and ${MAX_PER_CALLER} per caller; end one first`;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

function tooLong(): ProtocolError {
  const message = `The URI of a subscription must have at most ${MAX_URI_LENGTH} characters`;
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

/** True for `whole` and URIs below it: servers may notify of a part. */
function isPartOf(uri: string, whole: string): boolean {
  return uri === whole || uri.startsWith(whole.endsWith('/') ? whole : `${whole}/`);
}

/** Concurrent subscriptions of one stream; leaves room for other requests. */
const AT_A_TIME = 8;

interface SubscribingStreamOptions {
  /** Receives failures that are not retried. */
  readonly onFailed: (uri: string, cause: unknown) => void;
}

/** Makes the subscriptions of one stream. */
class SubscribingStream {
  readonly #subscribe: (uri: string, signal: AbortSignal) => Promise<void>;
  readonly #options: SubscribingStreamOptions;
  readonly #over = new AbortController();

  constructor(subscribe: (uri: string, signal: AbortSignal) => Promise<void>, options: SubscribingStreamOptions) {
    this.#subscribe = subscribe;
    this.#options = options;
  }

  subscribeAll(uris: readonly string[]): void {
    const waiting = uris.values();
    for (let worker = 0; worker < AT_A_TIME; worker++) void this.#work(waiting);
  }

  end(): void {
    this.#over.abort(new Error('The stream is over'));
  }

  /** @param waiting - Shared by all workers. */
  async #work(waiting: Iterable<string>): Promise<void> {
    for (const uri of waiting) {
      if (this.#over.signal.aborted) return;
      await this.#subscribeOne(uri);
      await nextTurn();
    }
  }

  async #subscribeOne(uri: string): Promise<void> {
    const { signal } = this.#over;
    try {
      await untilAdmitted(() => this.#subscribe(uri, signal), signal);
    } catch (cause) {
      if (!signal.aborted) this.#options.onFailed(uri, cause);
    }
  }
}
