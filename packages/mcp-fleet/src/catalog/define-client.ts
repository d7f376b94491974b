import { allReplies, replySubject } from '../bus/fleet-subjects.js';
import type { BusMessage, FleetBus } from '../bus.js';
import { FleetError } from '../errors.js';
import { encodeDigests } from './define-service.js';
import { readDefinitions } from './definition.js';
import type { DefinitionStore } from './definition-store.js';

const ANSWER_TIMEOUT_MS = 10_000;
/** Limits of one list: milliseconds for all its requests, and bytes. */
const LIST_TIMEOUT_MS = 120_000;
const MAX_LIST_BYTES = 64 * 1024 * 1024;
const MAX_REQUESTED = 2_000;

export class DefineClient implements Disposable {
  readonly #bus: FleetBus;
  readonly #node: string;
  readonly #store: DefinitionStore;
  readonly #waiting = new Map<string, (message: BusMessage | FleetError) => void>();
  readonly #subscription: Disposable;
  /** Queue per node, so that concurrent fetches of the same definitions send one request. */
  readonly #turns = new Map<string, Promise<void>>();
  #isClosed = false;

  constructor({
    bus,
    node,
    store,
  }: { readonly bus: FleetBus; readonly node: string; readonly store: DefinitionStore }) {
    this.#bus = bus;
    this.#node = node;
    this.#store = store;
    this.#subscription = bus.subscribe(allReplies('define', node), (message) => {
      this.#waiting.get(message.subject)?.(message);
    });
  }

  /**
   * Fetches definitions into the store, except those that the owner no longer has. If the owner does not respond, all
   * queued fetches fail together.
   *
   * @throws {FleetError} `node-unreachable`, `timed-out`, `message-too-large`, `bus-down`, `closed`.
   */
  async fetch(owner: string, digests: readonly string[], has: (digest: string) => boolean): Promise<void> {
    const before = this.#turns.get(owner) ?? Promise.resolve();
    const turn = before.then(() => this.#fetchAll(owner, digests, has));
    this.#turns.set(owner, turn);
    try {
      await turn;
    } finally {
      if (this.#turns.get(owner) === turn) this.#turns.delete(owner);
    }
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#subscription[Symbol.dispose]();
    for (const settle of this.#waiting.values()) settle(closed());
  }

  async #fetchAll(owner: string, digests: readonly string[], has: (digest: string) => boolean): Promise<void> {
    const untilMs = performance.now() + LIST_TIMEOUT_MS;
    let bytes = 0;
    let missing = Array.from(new Set(digests)).filter((digest) => !has(digest));
    while (missing.length > 0) {
      const requested = missing.slice(0, MAX_REQUESTED);
      const received = new Set<string>();
      const reply = await this.#request(owner, requested, Math.min(ANSWER_TIMEOUT_MS, untilMs - performance.now()));
      bytes += reply.byteLength;
      if (bytes > MAX_LIST_BYTES) throw tooLong(owner);
      for (const text of readDefinitions(reply)) {
        const digest = this.#store.add(text);
        if (digest === undefined) break; // millions of empty lines would block this node
        // `has` marks it as used, so that a full store evicts others first.
        if (has(digest)) received.add(digest);
      }
      // A reply without any requested definition means that the owner has none of them.
      const isDone = !requested.some((digest) => received.has(digest));
      missing = isDone ? missing.slice(requested.length) : missing.filter((digest) => !received.has(digest));
    }
  }

  async #request(owner: string, digests: readonly string[], timeoutMs: number): Promise<Uint8Array> {
    if (this.#isClosed) throw closed();
    const replyTo = replySubject({ kind: 'define', requester: this.#node, responder: owner }, crypto.randomUUID());
    let timer: ReturnType<typeof setTimeout> | undefined;
    try {
      const reply = await new Promise<BusMessage | FleetError>((resolve) => {
        this.#waiting.set(replyTo, resolve);
        timer = setTimeout(() => resolve(unanswered(owner)), timeoutMs);
        this.#bus.publish(`define.${owner}.${this.#node}`, encodeDigests(digests), { replyTo });
      });
      if (reply instanceof FleetError) throw reply;
      if (reply.hasNoResponders) throw unreachable(owner);
      return reply.data;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(replyTo);
    }
  }
}

function closed(): FleetError {
  return new FleetError('closed', 'This node has left the fleet');
}

function unreachable(owner: string): FleetError {
  const message = `The node "${owner}" is not connected to the bus, so its tool definitions are not available`;
  return new FleetError('node-unreachable', message, { node: owner });
}

function unanswered(owner: string): FleetError {
  const message = `The node "${owner}" did not send its tool definitions in time`;
  return new FleetError('timed-out', message, { node: owner });
}

function tooLong(owner: string): FleetError {
  const message = `The node "${owner}" sends more than ${MAX_LIST_BYTES} bytes for the tools of one server`;
  return new FleetError('message-too-large', message, { node: owner });
}
