import type { ChildProcess } from 'node:child_process';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { Socket } from 'node:net';

/** How long somebody who has just said something may have more to say: messages come in pieces. */
const pieceMs = 10;

/**
 * Who this process talks to: children with pipes to and from them, and whom it has a connection to. Knows those that came
 * after itself.
 */
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

  /** @param now - The real clock, in milliseconds from anywhere. */
  constructor(now: () => number) {
    this.#now = now;
    subscribe('child_process', this.#childListener);
    subscribe('net.client.socket', this.#socketListener);
  }

  /** Whether one of them was told something and has said nothing since, or is on its way in or out. */
  owesAnswer(): boolean {
    for (const peer of this.#peers) {
      if (peer.isGone) this.#peers.delete(peer);
      else if (peer.owesAnswer()) return true;
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
      if (this.#peers.has(peer)) peer.listen(); // not before: a child has no pipes yet
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
  #spokeAt = Number.NEGATIVE_INFINITY;
  /** How much it had been told when it last said something. */
  #bytesAnswered = 0;

  constructor(ends: PeerEnds, now: () => number) {
    this.#ends = ends;
    this.#now = now;
  }

  get isGone(): boolean {
    return this.#ends.isGone();
  }

  /** Only who looks before each word to it knows which of them it has answered. */
  listen(): void {
    const pair = this.#sockets;
    if (!pair) return;
    const apply = (write: Socket['write'], self: unknown, words: unknown[]): unknown => {
      this.#look(pair);
      return Reflect.apply(write, self, words);
    };
    pair.input.write = new Proxy(pair.input.write, { apply });
  }

  close(): void {
    if (this.#sockets) Reflect.deleteProperty(this.#sockets.input, 'write'); // that of its prototype is left
  }

  owesAnswer(): boolean {
    const pair = this.#sockets;
    if (!pair) return false;
    this.#look(pair);
    const { bytesWritten, connecting, writableEnded } = pair.input;
    const mayGoOn = this.#now() - this.#spokeAt < pieceMs;
    return bytesWritten > this.#bytesAnswered || connecting || writableEnded || mayGoOn;
  }

  /** Who has not got both cannot answer. */
  get #sockets(): SocketPair | undefined {
    const input = this.#ends.input();
    const output = this.#ends.output();
    return input instanceof Socket && output instanceof Socket ? { input, output } : undefined;
  }

  #look({ input, output }: SocketPair): void {
    if (output.bytesRead === this.#bytesRead) return;
    this.#bytesRead = output.bytesRead;
    this.#bytesAnswered = input.bytesWritten;
    this.#spokeAt = this.#now();
  }
}

function hasExited({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}
