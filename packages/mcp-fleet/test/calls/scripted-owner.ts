import type { BusMessage, FleetBus } from '../../src/bus.js';
import { type Control, readControl } from '../../src/calls/wire/controls.js';

/** A node `owner` that a test plays itself, message by message. */
export class ScriptedOwner {
  readonly #bus: FleetBus;
  readonly #calls = new Waiting<BusMessage>();
  readonly #controls = new Waiting<Control | undefined>();

  constructor(bus: FleetBus) {
    this.#bus = bus;
    bus.subscribe('call.owner.>', (message) => this.#calls.put(message));
    bus.subscribe('control.owner.*', ({ data }) => this.#controls.put(readControl(data)));
  }

  /** The next message of a call. */
  nextCall(): Promise<BusMessage> {
    return this.#calls.next();
  }

  nextControl(): Promise<Control | undefined> {
    return this.#controls.next();
  }

  reply({ replyTo = '' }: BusMessage, ...messages: readonly (Uint8Array | string)[]): void {
    for (const message of messages) {
      this.#bus.publish(replyTo, typeof message === 'string' ? new TextEncoder().encode(message) : message);
    }
  }
}

/** What came, until it is asked for. */
class Waiting<Item> {
  readonly #items: Item[] = [];
  readonly #takers: ((item: Item) => void)[] = [];

  put(item: Item): void {
    const taker = this.#takers.shift();
    if (taker === undefined) this.#items.push(item);
    else taker(item);
  }

  next(): Promise<Item> {
    return new Promise((resolve) => {
      this.#takers.push(resolve);
      if (this.#items.length > 0) this.#takers.shift()?.(this.#items.shift() as Item);
    });
  }
}
