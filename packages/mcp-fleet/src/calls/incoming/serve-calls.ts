import { allCalls, allControls, readCallSubject, readReplyTo, senderOf } from '../../bus/fleet-subjects.js';
import type { BusMessage, FleetBus } from '../../bus.js';
import { FleetError, isFleetError } from '../../errors.js';
import { createPrincipalCheck } from '../../principal/principal-check.js';
import type { FleetSource } from '../../source.js';
import type { KnownNodes } from '../known-nodes.js';
import { type CallLimitOptions, resolveCallLimits } from '../limits.js';
import { type CallRequest, readRequest } from '../wire/call-request.js';
import { readChunk } from '../wire/chunks.js';
import { readControl } from '../wire/controls.js';
import { encodeError } from '../wire/replies.js';
import { ownersError } from '../wire/wire-error.js';
import type { Authorize, OnProblem } from './admit-call.js';
import { RemoteClients } from './client-relay.js';
import { ServedCall, type ServingSide } from './served-call.js';

/** Memory for arguments in transfer over all calls, in multiples of the longest arguments. */
const LONGEST_ARGS_AT_A_TIME = 8;

interface ServeCallsOptions {
  readonly bus: FleetBus;
  readonly node: string;
  readonly incarnation: number;
  readonly sources: (server: string) => FleetSource | undefined;
  readonly nodes: KnownNodes;
  /** Authorization of a call. Default: every node may call everything. */
  readonly authorize?: Authorize | undefined;
  readonly limits?: CallLimitOptions | undefined;
  readonly onProblem?: OnProblem | undefined;
}

export interface CallServing extends Disposable {
  readonly inFlight: number;
  /** Rejects new calls, cancels those in progress and notifies their callers. */
  close(): void;
}

/**
 * @throws {TypeError} A limit is invalid.
 * @throws {FleetError} `closed`: the bus is closed.
 */
export function serveCalls(options: ServeCallsOptions): CallServing {
  return new CallServer(options);
}

class CallServer implements CallServing {
  readonly #options: ServeCallsOptions;
  readonly #side: ServingSide;
  readonly #calls = new Map<string, Map<string, ServedCall>>();
  readonly #subscriptions: readonly Disposable[];

  constructor(options: ServeCallsOptions) {
    const { bus, node, nodes, sources, authorize, onProblem = () => undefined } = options;
    const limits = resolveCallLimits(options.limits);
    this.#options = options;
    this.#side = {
      ...{ bus, node, sources, authorize, onProblem, limits },
      principals: createPrincipalCheck({ node, nodes }),
      clients: new RemoteClients(),
      hasMemoryFor: (bytes) => bytes + this.#loadingBytes() <= LONGEST_ARGS_AT_A_TIME * limits.maxArgsBytes,
      isAlive: (edge, edgeIncarnation) => nodes.find(edge)?.incarnation === edgeIncarnation,
      onOver: (call) => this.#onOver(call),
    };
    this.#subscriptions = [
      bus.subscribe(allCalls(node), (message) => this.#onCall(message)),
      bus.subscribe(allControls(node), (message) => this.#onControl(message)),
      nodes.onLost((edge, incarnation) => this.#onLost(edge, incarnation)),
    ];
  }

  get inFlight(): number {
    let count = 0;
    for (const calls of this.#calls.values()) count += calls.size;
    return count;
  }

  close(): void {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
    const { node } = this.#options;
    const message = `The node ${node} left the fleet during the call, which may or may not have had its effect`;
    for (const call of this.#all()) call.end(new FleetError('cancelled', message, { node }));
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #onCall({ subject, data, replyTo }: BusMessage): void {
    const route = readCallSubject(subject);
    if (route === undefined || replyTo === undefined) return;
    const { edge, server } = route;
    const id = readReplyTo(replyTo, { kind: 'call', requester: edge, responder: this.#options.node });
    if (id === undefined) return;
    const known = this.#calls.get(edge)?.get(id);
    const chunk = readChunk(data);
    if (chunk !== undefined) known?.onChunk(chunk);
    if (chunk !== undefined || known !== undefined) return;
    try {
      const request = readRequest(data);
      this.#assertAccepts(edge, request);
      this.#start(new ServedCall(this.#side, { id, edge, server, replyTo, request }));
    } catch (error) {
      this.#refuse(replyTo, error);
    }
  }

  #onControl({ subject, data }: BusMessage): void {
    const control = readControl(data);
    const edge = senderOf(subject);
    const call = control && this.#calls.get(edge)?.get(control.id);
    if (control === undefined || call === undefined) return;
    if (control.type === 'credit') call.onCredit(control.upTo);
    else if (control.type === 'answer') call.onAnswer(control.n, control.answer);
    else call.cancel(new FleetError('cancelled', `The node ${edge} cancelled the call`));
  }

  #onLost(edge: string, incarnation: number): void {
    const reason = new FleetError('cancelled', `The node ${edge}, which made the call, is gone`);
    for (const call of Array.from(this.#calls.get(edge)?.values() ?? [])) {
      if (call.edgeIncarnation === incarnation) call.cancel(reason);
    }
  }

  /** @throws {FleetError} `node-unreachable`, `busy`: nothing was run. */
  #assertAccepts(edge: string, request: CallRequest): void {
    const { node, incarnation } = this.#options;
    if (request.incarnation !== incarnation) {
      const message = `The call is for incarnation ${request.incarnation} of the node ${node}, which is now ${incarnation}; nothing was run`;
      throw new FleetError('node-unreachable', message, { node });
    }
    const { maxCallsPerNode } = this.#side.limits;
    if ((this.#calls.get(edge)?.size ?? 0) < maxCallsPerNode) return;
    const message = `The node ${node} has ${maxCallsPerNode} calls of the node ${edge} in progress, which is its limit; nothing was run. Retry later`;
    throw new FleetError('busy', message, { node });
  }

  #start(call: ServedCall): void {
    const calls = this.#calls.get(call.edge) ?? new Map<string, ServedCall>();
    this.#calls.set(call.edge, calls.set(call.id, call));
    void call.run();
  }

  #onOver({ edge, id }: ServedCall): void {
    const calls = this.#calls.get(edge);
    calls?.delete(id);
    if (calls?.size === 0) this.#calls.delete(edge);
  }

  #refuse(replyTo: string, error: unknown): void {
    try {
      this.#options.bus.publish(replyTo, encodeError(ownersError(error)));
    } catch (unsent) {
      if (!isFleetError(unsent)) throw unsent;
    }
  }

  #loadingBytes(): number {
    let bytes = 0;
    for (const call of this.#all()) bytes += call.loadingBytes;
    return bytes;
  }

  #all(): readonly ServedCall[] {
    return Array.from(this.#calls.values(), (calls) => Array.from(calls.values())).flat();
  }
}
