import { Listeners } from '@x/internal/events';
import type { KnownHost, KnownHosts } from '../calls/known-hosts.js';
import type { LeaseTable } from './lease-table.js';

interface Life {
  readonly host: string;
  readonly incarnation: number;
}

/** The hosts whose leases hold, as calls look at them. */
export class LiveHosts implements KnownHosts {
  readonly #leases: LeaseTable;
  /** What was told last. */
  readonly #told = new Map<string, number>();
  readonly #found = new Listeners<Life>('found');
  readonly #lost = new Listeners<Life>('lost');

  constructor(leases: LeaseTable) {
    this.#leases = leases;
  }

  find(host: string): KnownHost | undefined {
    const lease = this.#leases.get(host);
    if (!lease?.isAlive) return undefined;
    const { incarnation, publicKey } = lease.record;
    return { incarnation, publicKey, clockMs: () => this.#leases.clockOf(host, performance.now()) ?? 0 };
  }

  onFound(listener: (host: string, incarnation: number) => void): Disposable {
    return this.#found.add(({ host, incarnation }) => listener(host, incarnation));
  }

  onLost(listener: (host: string, incarnation: number) => void): Disposable {
    return this.#lost.add(({ host, incarnation }) => listener(host, incarnation));
  }

  /** To be called when something of the host's lease has changed. */
  look(host: string): void {
    const before = this.#told.get(host);
    const now = this.find(host)?.incarnation;
    if (now === before) return;
    if (now === undefined) this.#told.delete(host);
    else this.#told.set(host, now);
    if (before !== undefined) this.#lost.tell({ host, incarnation: before });
    if (now !== undefined) this.#found.tell({ host, incarnation: now });
  }
}
