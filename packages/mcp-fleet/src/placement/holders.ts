import type { Placement } from '../catalog/records.js';
import type { Replica, SingletonEntry } from '../catalog/replica.js';
import type { LeaseTable } from '../lease/lease-table.js';
import type { Rival } from './decide-singleton.js';

interface OwnPart {
  readonly placement: Placement;
  readonly acceptsCalls: boolean;
}

interface HoldersOptions {
  readonly node: string;
  readonly own: ReadonlyMap<string, OwnPart>;
  readonly replica: Pick<Replica, 'singleton' | 'singletons'>;
  readonly leases: Pick<LeaseTable, 'get'>;
  onChange(change: { readonly server: string; readonly holder: string | undefined }): void;
}

/** Holders of singletons, as far as this node can rely on them. */
export class Holders {
  readonly #options: HoldersOptions;
  readonly #reported = new Map<string, string | undefined>();

  constructor(options: HoldersOptions) {
    this.#options = options;
  }

  of(server: string): string | undefined {
    const { node, own, replica } = this.#options;
    const entry = replica.singleton(server);
    if (entry === undefined) return undefined;
    if (entry.node === node) return own.get(server)?.acceptsCalls ? node : undefined;
    return this.life(entry) === 'alive' ? entry.node : undefined;
  }

  list(): readonly { readonly server: string; readonly holder: string | undefined }[] {
    const servers = Array.from(this.#servers()).toSorted();
    return servers.map((server) => ({ server, holder: this.of(server) }));
  }

  life({ node, incarnation }: SingletonEntry): Rival['life'] {
    const lease = this.#options.leases.get(node);
    if (lease?.record.incarnation !== incarnation) return 'other-life';
    return lease.isAlive ? 'alive' : 'ended';
  }

  /**
   * Reports holders that changed. Call after a change of the server's record; without a name, after a change of a
   * lease.
   */
  update(server?: string): void {
    const servers = server === undefined ? new Set([...this.#servers(), ...this.#reported.keys()]) : [server];
    for (const name of servers) this.#updateOne(name);
  }

  #updateOne(server: string): void {
    const holder = this.of(server);
    const isKnown = this.#isKnown(server);
    if (isKnown && this.#reported.has(server) && this.#reported.get(server) === holder) return;
    if (isKnown) this.#reported.set(server, holder);
    else if (!this.#reported.delete(server)) return;
    this.#options.onChange({ server, holder });
  }

  #isKnown(server: string): boolean {
    const { own, replica } = this.#options;
    return own.get(server)?.placement === 'singleton' || replica.singleton(server) !== undefined;
  }

  #servers(): ReadonlySet<string> {
    const { own, replica } = this.#options;
    const ours = Array.from(own).flatMap(([server, { placement }]) => (placement === 'singleton' ? [server] : []));
    return new Set([...ours, ...replica.singletons()]);
  }
}
