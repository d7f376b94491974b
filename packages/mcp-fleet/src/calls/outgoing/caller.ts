import type { SourceCallOptions, SourceToolResult, ToolArguments } from '@x/internal/contracts';
import { BoundedMap } from '@x/internal/limits';
import { checkOption, milliseconds } from '@x/internal/options';
import { allReplies, callSubject, readReplySubject } from '../../bus/fleet-subjects.js';
import type { BusEvent, BusMessage, FleetBus } from '../../bus.js';
import { FleetError } from '../../errors.js';
import type { Principals } from '../../principal/principals.js';
import type { KnownNodes } from '../known-nodes.js';
import { type CallLimitOptions, type CallLimits, messageBytes, resolveCallLimits } from '../limits.js';
import { type CallBody, encodeRequest, writeBody } from '../wire/call-request.js';
import { readReply } from '../wire/replies.js';
import { lengthOf } from '../wire/wire-value.js';
import { argumentsTooLarge, type CallTarget, notDelivered } from './call-failure.js';
import { PendingCall } from './pending-call.js';

interface CallerOptions {
  readonly bus: FleetBus;
  readonly node: string;
  readonly nodes: KnownNodes;
  readonly principals: Principals;
  readonly limits?: CallLimitOptions | undefined;
}

interface RemoteCall extends CallTarget {
  readonly args: ToolArguments;
  readonly options: SourceCallOptions;
}

export interface Caller extends Disposable {
  /**
   * Runs a tool at most once; nothing is sent twice.
   *
   * @throws {FleetError} Nothing was run: `bus-down`, `busy`, `closed`, `forbidden`, `node-unreachable`,
   *   `message-too-large`, `refused`, `unknown-server`, `unknown-tool`. The tool has run: `result-too-large`,
   *   `source-error`. Unknown: `cancelled`, `invalid-message`, `outcome-unknown`,
   *   `timed-out`. Or the signal's reason.
   * @throws {TypeError} The arguments cannot be written as JSON, or the timeout is invalid.
   */
  call(call: RemoteCall): Promise<SourceToolResult>;
  inFlight(owner: string): number;
  close(): void;
}

/**
 * @throws {TypeError} A limit is invalid.
 * @throws {FleetError} `closed`: the bus is closed.
 */
export function createCaller(options: CallerOptions): Caller {
  return new BusCaller(options);
}

class BusCaller implements Caller {
  readonly #options: CallerOptions;
  readonly #limits: CallLimits;
  readonly #ids = new CallIds();
  readonly #clients = new ClientNumbers();
  readonly #pending = new Map<string, PendingCall>();
  readonly #inFlight = new Map<string, number>();
  readonly #subscriptions: readonly Disposable[];
  #isClosed = false;

  constructor(options: CallerOptions) {
    const { bus, node, nodes } = options;
    this.#options = options;
    this.#limits = resolveCallLimits(options.limits);
    this.#subscriptions = [
      bus.subscribe(allReplies('call', node), (message) => this.#onMessage(message)),
      bus.onEvent((event) => this.#onBusEvent(event)),
      nodes.onLost((owner, incarnation) => this.#onLost(owner, incarnation)),
    ];
  }

  async call({ args, options, ...target }: RemoteCall): Promise<SourceToolResult> {
    const { timeoutMs = this.#limits.timeoutMs } = options;
    checkOption('timeoutMs', milliseconds, timeoutMs);
    const { owner } = target;
    this.#inFlight.set(owner, this.inFlight(owner) + 1);
    try {
      this.#assertPossible(target, options);
      const token = this.#options.principals.tokenFor(owner, options.caller);
      const principal = typeof token === 'string' ? token : await token;
      this.#assertPossible(target, options);
      return await this.#start({ args, options, ...target }, timeoutMs, principal).result;
    } finally {
      const rest = this.inFlight(owner) - 1;
      if (rest === 0) this.#inFlight.delete(owner);
      else this.#inFlight.set(owner, rest);
    }
  }

  inFlight(owner: string): number {
    return this.#inFlight.get(owner) ?? 0;
  }

  close(): void {
    this.#isClosed = true;
    for (const call of this.#all()) call.close();
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #assertPossible(target: CallTarget, { signal }: SourceCallOptions): void {
    signal?.throwIfAborted();
    if (this.#isClosed) throw new FleetError('closed', `The node ${this.#options.node} has left the fleet`);
    if (this.#options.nodes.find(target.owner)?.incarnation !== target.incarnation) throw notDelivered(target);
  }

  #start({ args, options, ...target }: RemoteCall, timeoutMs: number, principal: string): PendingCall {
    const { bus, node } = this.#options;
    const { maxArgsBytes } = this.#limits;
    const body = writeBody(this.#bodyOf(args, options));
    const length = lengthOf(body);
    if (length > maxArgsBytes) throw argumentsTooLarge(target, length, maxArgsBytes);
    const head = {
      incarnation: target.incarnation,
      tool: target.tool,
      timeoutMs,
      wantsProgress: options.onProgress !== undefined,
      principal,
    };
    const request = encodeRequest(head, body, { maxMessageBytes: messageBytes(bus), maxArgsBytes });
    if (request === undefined) throw argumentsTooLarge(target, length, maxArgsBytes);
    const { message, rest } = request;
    const side = { bus, node, limits: this.#limits, onOver: ({ id }: PendingCall) => void this.#pending.delete(id) };
    const call = new PendingCall(side, { id: this.#ids.next(), target, timeoutMs, options, rest });
    this.#pending.set(call.id, call);
    call.start(message);
    return call;
  }

  #bodyOf(args: ToolArguments, { meta, params, inputRequired, handler }: SourceCallOptions): CallBody {
    const client = handler && { number: this.#clients.of(handler.client), capabilities: handler.capabilities };
    return { args, meta, params, inputRequired, client };
  }

  #onMessage({ subject, data, hasNoResponders }: BusMessage): void {
    const { id, responder } = readReplySubject(subject);
    const call = this.#pending.get(id);
    if (call === undefined || call.target.owner !== responder) return;
    const reply = hasNoResponders ? undefined : readReply(data, this.#limits.maxResultBytes);
    if (hasNoResponders) call.onNotDelivered();
    else if (reply !== undefined) call.onReply(reply);
  }

  #onBusEvent(event: BusEvent): void {
    if (event.type === 'closed') this.close();
    if (event.type !== 'forbidden' || event.operation !== 'publish') return;
    for (const call of this.#all()) {
      const { owner, server } = call.target;
      if (callSubject(owner, server, this.#options.node) === event.subject) call.onForbidden();
    }
  }

  #onLost(owner: string, incarnation: number): void {
    for (const call of this.#all()) {
      if (call.target.owner === owner && call.target.incarnation === incarnation) call.onOwnerLost();
    }
  }

  #all(): readonly PendingCall[] {
    return Array.from(this.#pending.values());
  }
}

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));
const ID_BYTES = 16;
const IDS_AT_A_TIME = 64;

/**
 * Unguessable ids of calls: an id entitles its bearer to reply. Random bytes are drawn for 64 ids at a time, because
 * each system call is expensive.
 */
export class CallIds {
  readonly #bytes = new Uint8Array(ID_BYTES * IDS_AT_A_TIME);
  #used = this.#bytes.byteLength;

  next(): string {
    if (this.#used === this.#bytes.byteLength) {
      crypto.getRandomValues(this.#bytes);
      this.#used = 0;
    }
    let id = '';
    for (const end = this.#used + ID_BYTES; this.#used < end; this.#used += 1) id += HEX[this.#bytes[this.#used] ?? 0];
    return id;
  }
}

const MAX_PRIMITIVES = 10_000;

/** Numbers clients, so that other nodes can compare clients of two calls. */
export class ClientNumbers {
  readonly #ofObjects = new WeakMap<object, number>();
  /** The least recently used clients are dropped, and later get a new number. */
  readonly #ofPrimitives = new BoundedMap<unknown, number>(MAX_PRIMITIVES);
  #last = 0;

  of(client: unknown): number {
    const isObject = (typeof client === 'object' && client !== null) || typeof client === 'function';
    const known = isObject ? this.#ofObjects.get(client) : this.#ofPrimitives.get(client);
    const number = known ?? ++this.#last;
    if (isObject) this.#ofObjects.set(client, number);
    else this.#ofPrimitives.renew(client, number);
    return number;
  }
}
