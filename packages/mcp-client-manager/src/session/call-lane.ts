import type { JsonRpcMessage, RpcError } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import type { LineChannel } from '../transport/message-channel.js';
import { lostBeforeSending, lostInFlight, refusedCall, unwritable } from './call-error.js';
import { isTooDeep, tooDeepError } from './depth-limit.js';
import type { HostUnderWay, HowItEnded } from './host-under-way.js';
import type { HostsUnderWay } from './hosts-under-way.js';
import { numberOfId } from './number-of-id.js';
import type { CallHandle, OutgoingCall, ToolCallResult, ToolProgress } from './session.js';
import { readToolResult } from './tool-result.js';

/**
 * Request ids of the lane. Nobody else who asks on the same connection counts up to here, and more than 31 bits would be
 * too much for some servers.
 */
const firstId = 1_500_000_000;
const lastId = 2_147_483_647;
/** How much is written in one go, in characters, before it is looked whether the server keeps up. */
const batchLength = 65_536;

export interface CallLaneOptions {
  readonly server: string;
  /** Called with the number of calls that were sent and are not answered yet, whenever it has changed. */
  readonly onCallsInFlight: (count: number) => void;
  /** Where the hosts of calls are that the server has. */
  readonly hosts: HostsUnderWay;
}

/**
 * The short way for calls of tools on a connection that an SDK client holds: requests are written and their answers
 * read here, by hand, and the SDK sees neither. It is for revisions before 2026-07-28, where the answer to a call is
 * its result. What the caller sees is what the SDK's way gives.
 *
 * Calls of one tick are written together, those of one turn of the event loop while others are under way, and none while
 * the server does not read.
 */
export class CallLane {
  readonly #channel: LineChannel;
  readonly #server: string;
  readonly #onCallsInFlight: (count: number) => void;
  readonly #hosts: HostsUnderWay;
  readonly #calls = new Map<number, LaneCall>();
  #inFlight = 0;
  /** Of those, the ones that are made for somebody. */
  #withHost = 0;
  #staged: LaneCall[] = [];
  #lastId = lastId;
  #state: 'idle' | 'flushing' | 'blocked' | 'closed' = 'idle';

  constructor(channel: LineChannel, { server, onCallsInFlight, hosts }: CallLaneOptions) {
    this.#channel = channel;
    this.#server = server;
    this.#onCallsInFlight = onCallsInFlight;
    this.#hosts = hosts;
  }

  /** Calls that were sent and are not answered yet. */
  get size(): number {
    return this.#inFlight;
  }

  /** Of those, the ones that are made for nobody in particular. */
  get hostless(): number {
    return this.#inFlight - this.#withHost;
  }

  /**
   * @throws {TypeError} The arguments cannot be written as JSON.
   * @throws {SessionLostError} The connection is gone.
   */
  send(call: OutgoingCall): CallHandle {
    if (this.#state === 'closed') throw lostBeforeSending();
    const id = this.#nextId();
    const sending = new LaneCall(this, id, call, requestLine(id, call));
    this.#calls.set(id, sending);
    this.#staged.push(sending);
    if (this.#state === 'idle') {
      this.#state = 'flushing';
      // A server that has calls already is worth a wait for those that come from other connections in the same moment.
      if (this.#inFlight === 0) process.nextTick(flush, this);
      else setImmediate(flush, this);
    }
    return sending;
  }

  /** @returns Whether the message was for the lane; if so, nobody else may see it. */
  take(message: JsonRpcMessage): boolean {
    const { id, method } = message;
    if (method === undefined) {
      const number = laneNumber(id);
      if (number === undefined) return false;
      this.#answer(number, message);
      return true;
    }
    return method === 'notifications/progress' && this.#tellProgress(message.params);
  }

  /** Fails every call that is not answered. To be called when the connection is over. */
  close(): void {
    this.#state = 'closed';
    this.#staged = [];
    for (const sending of [...this.#calls.values()]) {
      this.#forget(sending);
      sending.call.onFailure(sending.isSent ? lostInFlight() : lostBeforeSending());
    }
  }

  /** Tells the server that nobody waits for what it has any more, and fails that with `error`. */
  cancelAll(error: unknown): void {
    for (const sending of [...this.#calls.values()]) {
      if (!sending.isSent) continue; // the end of the connection tells it so, and it moves on
      this.giveUp(sending);
      sending.call.onFailure(error);
    }
  }

  /** Takes back a call that waits to be written, or tells the server of one that it has. */
  giveUp(sending: LaneCall): void {
    if (!this.#forget(sending) || !sending.isSent) return;
    const params = { requestId: sending.id, reason: 'The caller does not wait for it any more' };
    this.#write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/cancelled', params })}\n`);
  }

  /** Writes what is staged, as far as the server keeps up. */
  flush(): void {
    const staged = this.#staged;
    this.#staged = [];
    let next = 0;
    while (next < staged.length && this.#state === 'flushing') {
      const from = next;
      let text = '';
      while (next < staged.length && text.length < batchLength) {
        const sending = staged[next] as LaneCall;
        text += sending.takeLine();
        if (sending.isSent) this.#begin(sending);
        next += 1;
      }
      if (text === '') continue;
      const isTaken = this.#write(text);
      this.#onCallsInFlight(this.#inFlight);
      if (isTaken) continue;
      for (const sending of staged.slice(from)) this.#refuse(sending);
      next = staged.length;
    }
    if (next < staged.length) this.#staged = [...staged.slice(next), ...this.#staged];
    if (this.#state !== 'flushing') return;
    if (this.#staged.length > 0)
      process.nextTick(flush, this); // of those who heard of a failure just now
    else this.#state = 'idle';
  }

  #begin(sending: LaneCall): void {
    this.#inFlight += 1;
    const { host } = sending.call;
    if (!host) {
      this.#hosts.enterHostless();
      return;
    }
    this.#withHost += 1;
    sending.hostUnderWay = this.#hosts.enter(host);
  }

  /** @returns Whether the text was taken. */
  #write(text: string): boolean {
    const drained = this.#channel.sendLines(text);
    if (drained === 'closed') return false;
    if (drained === 'taken' || this.#state === 'closed') return true;
    this.#state = 'blocked';
    void drained.then(() => {
      if (this.#state !== 'blocked') return;
      this.#state = 'flushing';
      this.flush();
    });
    return true;
  }

  #refuse(sending: LaneCall): void {
    if (this.#forget(sending)) sending.call.onFailure(lostBeforeSending());
  }

  #answer(id: number, { result, error }: JsonRpcMessage): void {
    const sending = this.#calls.get(id);
    if (!sending?.isSent) return; // given up before, or never asked
    const { call, hostUnderWay } = sending;
    if (hostUnderWay && isRecord(result)) this.#hosts.tasks.made(result, hostUnderWay);
    this.#forget(sending, 'answered');
    const about = { server: this.#server, tool: call.tool };
    if (isTooDeep(error ?? result)) {
      call.onFailure(refusedCall(tooDeepError(), about));
      return;
    }
    if (error !== undefined) {
      call.onFailure(refusedCall(error as RpcError, about)); // its shape was seen to when it was read
      return;
    }
    let read: ToolCallResult;
    try {
      read = readToolResult(result, about);
    } catch (failure) {
      call.onFailure(failure);
      return;
    }
    call.onResult(read);
  }

  #tellProgress(params: unknown): boolean {
    const { progressToken, progress, total, message } = (params ?? {}) as Record<string, unknown>;
    const id = laneNumber(progressToken);
    if (id === undefined) return false;
    const call = this.#calls.get(id)?.call;
    if (!call?.wantsProgress || typeof progress !== 'number') return true;
    const told: ToolProgress = {
      progress,
      ...(typeof total === 'number' && { total }),
      ...(typeof message === 'string' && { message }),
    };
    call.onProgress(told);
    return true;
  }

  #forget({ id, isSent, hostUnderWay }: LaneCall, how: HowItEnded = 'given-up'): boolean {
    const isKnown = this.#calls.delete(id);
    hostUnderWay?.leave(how);
    if (!isKnown || !isSent) return isKnown;
    this.#inFlight -= 1;
    if (hostUnderWay) this.#withHost -= 1;
    this.#onCallsInFlight(this.#inFlight);
    return true;
  }

  #nextId(): number {
    do this.#lastId = this.#lastId === lastId ? firstId : this.#lastId + 1;
    while (this.#calls.has(this.#lastId));
    return this.#lastId;
  }
}

function flush(lane: CallLane): void {
  lane.flush();
}

/** A call in the lane: `#line` holds its request until that is written. */
class LaneCall implements CallHandle {
  readonly id: number;
  readonly call: OutgoingCall;
  readonly #lane: CallLane;
  #line: string;
  isSent = false;
  /** Of a call with a host, from when it is sent. */
  hostUnderWay: HostUnderWay | undefined;

  constructor(lane: CallLane, id: number, call: OutgoingCall, line: string) {
    this.#lane = lane;
    this.id = id;
    this.call = call;
    this.#line = line;
  }

  /** The request, which counts as sent from here on; nothing if the call was given up. */
  takeLine(): string {
    const line = this.#line;
    this.#line = '';
    this.isSent = line !== '';
    return line;
  }

  cancel(): void {
    this.#line = '';
    this.#lane.giveUp(this);
  }
}

/** The id that a value stands for, if it is one of the lane's. */
function laneNumber(id: unknown): number | undefined {
  const number = numberOfId(id);
  return number !== undefined && number >= firstId ? number : undefined;
}

/** @throws {TypeError} The arguments cannot be written as JSON. */
function requestLine(id: number, { tool, args, meta, wantsProgress }: OutgoingCall): string {
  const params: Record<string, unknown> = { name: tool, arguments: args };
  if (wantsProgress) params._meta = { ...meta, progressToken: id };
  else if (meta) params._meta = meta;
  return `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${jsonOf(params)}}\n`;
}

function jsonOf(params: Readonly<Record<string, unknown>>): string {
  try {
    return JSON.stringify(params);
  } catch (error) {
    throw unwritable(error as Error);
  }
}
