import type { KnownHost, KnownHosts } from '../../src/calls/known-hosts.js';

type Listener = (host: string, incarnation: number) => void;

/** Who has a lease, as a test says. */
export class HandMadeHosts implements KnownHosts {
  readonly #hosts = new Map<string, KnownHost>();
  readonly #found = new Set<Listener>();
  readonly #lost = new Set<Listener>();

  find(host: string): KnownHost | undefined {
    return this.#hosts.get(host);
  }

  onFound(listener: Listener): Disposable {
    this.#found.add(listener);
    return { [Symbol.dispose]: () => void this.#found.delete(listener) };
  }

  onLost(listener: Listener): Disposable {
    this.#lost.add(listener);
    return { [Symbol.dispose]: () => void this.#lost.delete(listener) };
  }

  /** A lease is heard of. */
  add(name: string, { incarnation = 1, publicKey = {}, clockMs = Date.now }: Partial<KnownHost> = {}): void {
    const before = this.#hosts.get(name);
    this.#hosts.set(name, { incarnation, publicKey, clockMs });
    if (before !== undefined && before.incarnation !== incarnation) this.#tell(this.#lost, name, before.incarnation);
    this.#tell(this.#found, name, incarnation);
  }

  /** A lease is over. */
  lose(name: string): void {
    const before = this.#hosts.get(name);
    this.#hosts.delete(name);
    if (before !== undefined) this.#tell(this.#lost, name, before.incarnation);
  }

  /** Those who wait to hear of hosts. */
  get listenerCount(): number {
    return this.#found.size + this.#lost.size;
  }

  #tell(listeners: ReadonlySet<Listener>, host: string, incarnation: number): void {
    for (const listener of Array.from(listeners)) listener(host, incarnation);
  }
}
