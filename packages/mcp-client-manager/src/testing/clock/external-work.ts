import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Socket } from 'node:net';
import { setTimeout as realDelay } from 'node:timers/promises';

/** Wait for further pieces of a message after the last bytes. */
const pieceMs = 10;

/** Tracks pending responses of child processes and connections that are opened later. */
export class ExternalWork {
  readonly #peers = new Set<Peer>();
  readonly #now: () => number;
  readonly #childListener = (message: unknown): void => {
    const { process: child } = message as { readonly process: ChildProcess };
    this.#add({ isGone: () => hasExited(child), input: () => child.stdin, output: () => child.stdout });
  };
  readonly #socketListener = (message: unknown): void => {
    const { socket } = message as { readonly socket: Socket };
    this.#add({ isGone: () => socket.destroyed, input: () => socket, output: () => socket });
  };

  constructor(now: () => number) {
    this.#now = now;
    subscribe('child_process', this.#childListener);
    subscribe('net.client.socket', this.#socketListener);
  }

  /** A peer has an unanswered message, or connects, sends or ends. */
  hasPendingResponse(): boolean {
    for (const peer of this.#peers) {
      if (peer.isGone) this.#peers.delete(peer);
      else if (peer.hasPendingResponse()) return true;
    }
    return false;
  }

  close(): void {
    unsubscribe('child_process', this.#childListener);
    unsubscribe('net.client.socket', this.#socketListener);
    for (const peer of this.#peers) peer.close();
    this.#peers.clear();
  }

  #add(ends: PeerEnds): void {
    const peer = new Peer(ends, this.#now);
    this.#peers.add(peer);
    process.nextTick(() => {
      if (this.#peers.has(peer)) peer.listen();
    });
  }
}

interface PeerEnds {
  readonly isGone: () => boolean;
  readonly input: () => unknown;
  readonly output: () => unknown;
}

interface SocketPair {
  readonly input: Socket;
  readonly output: Socket;
}

class Peer {
  readonly #ends: PeerEnds;
  readonly #now: () => number;
  #bytesRead = 0;
  #lastOutputAt = Number.NEGATIVE_INFINITY;
  #bytesAnswered = 0;

  constructor(ends: PeerEnds, now: () => number) {
    this.#ends = ends;
    this.#now = now;
  }

  get isGone(): boolean {
    return this.#ends.isGone();
  }

  /** Checks the peer before each write, to match responses with messages. */
  listen(): void {
    const pair = this.#sockets;
    if (!pair) return;
    const apply = (write: Socket['write'], self: unknown, words: unknown[]): unknown => {
      this.#update(pair);
      return Reflect.apply(write, self, words);
    };
    pair.input.write = new Proxy(pair.input.write, { apply });
  }

  close(): void {
    if (this.#sockets) Reflect.deleteProperty(this.#sockets.input, 'write');
  }

  hasPendingResponse(): boolean {
    const pair = this.#sockets;
    if (!pair) return false;
    this.#update(pair);
    const { bytesWritten, connecting, writableEnded } = pair.input;
    const mayContinue = this.#now() - this.#lastOutputAt < pieceMs;
    return bytesWritten > this.#bytesAnswered || connecting || writableEnded || mayContinue;
  }

  /** A peer without both pipes cannot respond. */
  get #sockets(): SocketPair | undefined {
    const input = this.#ends.input();
    const output = this.#ends.output();
    return input instanceof Socket && output instanceof Socket ? { input, output } : undefined;
  }

  #update({ input, output }: SocketPair): void {
    if (output.bytesRead === this.#bytesRead) return;
    this.#bytesRead = output.bytesRead;
    this.#bytesAnswered = input.bytesWritten;
    this.#lastOutputAt = this.#now();
  }
}

function hasExited({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Longest wait for all expired limits of one `advance`; less than the time limit of a test. */
const maxWaitMs = 4_000;

/** Real time in milliseconds that a limit takes: all of it for a short one. */
export function realTimeFor(limitMs: number): number {
  return Math.min(limitMs, Math.max(1_000, Math.min(limitMs / 5, 3_000)));
}

export class ResponseWait {
  readonly #world: ExternalWork;
  readonly #realNow: () => number;
  #leftMs = maxWaitMs;

  constructor(world: ExternalWork, realNow: () => number) {
    this.#world = world;
    this.#realNow = realNow;
  }

  /** Polls each millisecond: no event identifies the awaited response. */
  async waitUntil(time: number, isNeeded: () => boolean): Promise<void> {
    const start = this.#realNow();
    const end = Math.min(time, start + this.#leftMs);
    while (isNeeded() && this.#world.hasPendingResponse()) {
      if (this.#realNow() >= end) {
        this.#leftMs -= this.#realNow() - start; // a punctual response uses up no time
        return;
      }
      await realDelay(1);
    }
  }
}
