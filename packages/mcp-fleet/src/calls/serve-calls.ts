import type { BusMessage, FleetBus } from '../bus.js';
import { FleetError, isFleetError } from '../errors.js';
import { createPrincipalCheck } from '../principal/principal-check.js';
import { readReplyTo } from '../reply-subject.js';
import type { FleetSource } from '../source.js';
import type { Authorize, OnProblem } from './admit-call.js';
import { type CallRequest, readRequest } from './call-request.js';
import { readChunk } from './chunks.js';
import { readControl } from './controls.js';
import type { KnownHosts } from './known-hosts.js';
import { type CallLimitOptions, resolveCallLimits } from './limits.js';
import { RemoteClients } from './remote-clients.js';
import { encodeError } from './replies.js';
import { ServedCall, type ServingSide } from './served-call.js';
import { allCalls, allControls, readCallSubject, senderOf } from './subjects.js';
import { ownersError } from './wire-error.js';

/** Arguments that are being waited for, of all calls together, in units of the longest that one call may have. */
const LONGEST_ARGS_AT_A_TIME = 8;

export interface ServeCallsOptions {
  readonly bus: FleetBus;
  /** This host. */
  readonly host: string;
  readonly incarnation: number;
  /** As of an `Admission`. */
  readonly sources: (server: string) => FleetSource | undefined;
  readonly hosts: KnownHosts;
  /** Whether the call may be made. Default: whoever belongs to the fleet may call everything. */
  readonly authorize?: Authorize | undefined;
  readonly limits?: CallLimitOptions | undefined;
  /** Told what went wrong here that no caller may be told of. */
  readonly onProblem?: OnProblem | undefined;
}

/** Runs what other hosts call here, until closed. */
export interface CallServing extends Disposable {
  /** Calls of other hosts that are not over. */
  readonly inFlight: number;
  /** Takes no more calls, cancels those under way, and tells the hosts that wait for them. */
  close(): void;
}

/** @throws {TypeError} a limit is none. @throws {FleetError} `closed`: the bus is. */
export function serveCalls(options: ServeCallsOptions): CallServing {
  return new CallServer(options);
}

class CallServer implements CallServing {
  readonly #options: ServeCallsOptions;
  readonly #side: ServingSide;
  readonly #calls = new Map<string, Map<string, ServedCall>>();
  readonly #subscriptions: readonly Disposable[];

  constructor(options: ServeCallsOptions) {
    const { bus, host, hosts, sources, authorize, onProblem = () => undefined } = options;
    const limits = resolveCallLimits(options.limits);
    this.#options = options;
    this.#side = {
      ...{ bus, host, sources, authorize, onProblem, limits },
      principals: createPrincipalCheck({ host, hosts }),
      clients: new RemoteClients(),
      hasRoomFor: (bytes) => bytes + this.#loadingBytes() <= LONGEST_ARGS_AT_A_TIME * limits.maxArgsBytes,
      isAlive: (edge, edgeIncarnation) => hosts.find(edge)?.incarnation === edgeIncarnation,
      onOver: (call) => this.#onOver(call),
    };
    this.#subscriptions = [
      bus.subscribe(allCalls(host), (message) => this.#onCall(message)),
      bus.subscribe(allControls(host), (message) => this.#onControl(message)),
      hosts.onLost((edge, incarnation) => this.#onLost(edge, incarnation)),
    ];
  }

  get inFlight(): number {
    let count = 0;
    for (const calls of this.#calls.values()) count += calls.size;
    return count;
  }

  close(): void {
    for (const subscription of this.#subscriptions) subscription[Symbol.dispose]();
    const { host } = this.#options;
    const message = `The host ${host} left the fleet during the call, which may or may not have had its effect`;
    for (const call of this.#all()) call.end(new FleetError('cancelled', message, { host }));
  }

  [Symbol.dispose](): void {
    this.close();
  }

  #onCall({ subject, data, replyTo }: BusMessage): void {
    const place = readCallSubject(subject);
    if (place === undefined || replyTo === undefined) return;
    const { edge, server } = place;
    const id = readReplyTo(replyTo, { kind: 'call', asker: edge, answerer: this.#options.host });
    if (id === undefined) return;
    const known = this.#calls.get(edge)?.get(id);
    const chunk = readChunk(data);
    if (chunk !== undefined) known?.onChunk(chunk);
    if (chunk !== undefined || known !== undefined) return;
    try {
      const request = readRequest(data);
      this.#assertTaken(edge, request);
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
    else call.cancel(new FleetError('cancelled', `The host ${edge} does not wait for the call any more`));
  }

  #onLost(edge: string, incarnation: number): void {
    const reason = new FleetError('cancelled', `The host ${edge}, which made the call, is gone`);
    for (const call of Array.from(this.#calls.get(edge)?.values() ?? [])) {
      if (call.edgeIncarnation === incarnation) call.cancel(reason);
    }
  }

  /** @throws {FleetError} `host-unreachable`, `busy`: nothing was run. */
  #assertTaken(edge: string, request: CallRequest): void {
    const { host, incarnation } = this.#options;
    if (request.incarnation !== incarnation) {
      const message = `The call is for incarnation ${request.incarnation} of the host ${host}, which is now ${incarnation}; nothing was run`;
      throw new FleetError('host-unreachable', message, { host });
    }
    const { maxCallsPerHost } = this.#side.limits;
    if ((this.#calls.get(edge)?.size ?? 0) < maxCallsPerHost) return;
    const message = `The host ${host} has ${maxCallsPerHost} calls of the host ${edge} under way and takes no more; nothing was run`;
    throw new FleetError('busy', message, { host });
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
      if (!isFleetError(unsent)) throw unsent; // who waits for it keeps the time itself
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
