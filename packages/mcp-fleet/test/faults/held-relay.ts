import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A way to a server on which everything can be held up, as packets are that have to be sent again and again. */
export interface HeldRelay {
  readonly url: string;
  /** Stops all traffic in both directions, without closing the connections. */
  hold(): void;
  /** Waits until something with that text in it is held up. */
  holds(text: string): Promise<void>;
  /** Waits until something with that text in it arrives. What arrives after it can be held. */
  passes(text: string): Promise<void>;
  /** All that was held up arrives, even of those who are gone by now. */
  release(): void;
}

export async function openRelay(port: number, address = '127.0.0.1'): Promise<HeldRelay> {
  let isHeld = false;
  const ways = new Set<Way>();
  const waiting = new Set<() => void>();
  const awaited = new Set<(bytes: Buffer) => void>();
  const server = createServer((near) => {
    const far = connect(port, '127.0.0.1');
    const relay = {
      isHeld: () => isHeld,
      onData: (bytes: Buffer) => {
        for (const check of waiting) check();
        if (!isHeld) for (const check of awaited) check(bytes);
      },
    };
    const pair = [new Way(near, far, relay), new Way(far, near, relay)];
    for (const way of pair) {
      ways.add(way);
      way.to.once('close', () => ways.delete(way));
    }
  });
  server.listen(0, address);
  await once(server, 'listening');
  onTestFinished(async () => {
    server.close();
    for (const { from, to } of ways) {
      from.destroy();
      to.destroy();
    }
    await once(server, 'close');
  });
  return {
    url: `nats://${address}:${(server.address() as AddressInfo).port}`,
    hold() {
      isHeld = true;
    },
    holds: (text) =>
      new Promise((resolve) => {
        const check = () => {
          if (!Array.from(ways).some((way) => way.holds(text))) return;
          waiting.delete(check);
          resolve();
        };
        waiting.add(check);
        check();
      }),
    passes: (text) =>
      new Promise((resolve) => {
        const check = (bytes: Buffer) => {
          if (!bytes.includes(text)) return;
          awaited.delete(check);
          resolve();
        };
        awaited.add(check);
      }),
    release() {
      isHeld = false;
      for (const way of Array.from(ways)) way.flush();
    },
  };
}

/** One direction. What was held up is kept here, so that it outlives the socket that it came from. */
class Way {
  readonly from: Socket;
  readonly to: Socket;
  readonly #held: Buffer[] = [];
  readonly #isHeld: () => boolean;
  #hasEnded = false;

  constructor(from: Socket, to: Socket, { isHeld, onData }: { isHeld(): boolean; onData(bytes: Buffer): void }) {
    this.from = from;
    this.to = to;
    this.#isHeld = isHeld;
    const end = () => {
      this.#hasEnded = true;
      this.flush();
    };
    from.on('data', (bytes) => {
      this.#held.push(bytes);
      this.flush();
      onData(bytes);
    });
    from.on('error', () => undefined); // the end follows
    from.on('end', end);
    from.on('close', end);
  }

  holds(text: string): boolean {
    return Buffer.concat(this.#held).includes(text);
  }

  flush(): void {
    if (this.#isHeld()) return;
    // At once, so that it arrives together.
    const bytes = Buffer.concat(this.#held.splice(0));
    if (bytes.byteLength > 0 && this.to.writable) this.to.write(bytes);
    if (this.#hasEnded) this.to.end();
  }
}
