import type { BucketChange } from '../bus.js';
import {
  decodeRecord,
  type FleetRecord,
  type LeaseRecord,
  parseKey,
  type ServerRecord,
  type SingletonRecord,
} from './records.js';

/** What one change of the bucket means to this node. */
export type ReplicaChange =
  | { readonly kind: 'lease'; readonly node: string; readonly record: LeaseRecord | undefined }
  | { readonly kind: 'server'; readonly node: string; readonly server: string }
  /** What was written late, by an earlier life of the node. What was known stays. */
  | { readonly kind: 'outdated'; readonly node: string; readonly server: string }
  | { readonly kind: 'singleton'; readonly server: string }
  /** Somebody wrote what is no record, or what this version does not know. Kept out; `gone` is what was there before. */
  | { readonly kind: 'refused'; readonly key: string; readonly gone?: ReplicaChange | undefined };

/** Servers that one node may tell of: more are a fault of it, and would be a burden to all. */
const MAX_SERVERS = 1_000;

/** What the bucket says of who runs a server that runs once. */
export interface SingletonEntry extends SingletonRecord {
  readonly revision: number;
}

/**
 * This node's copy of the bucket. Records of a node count as long as they are of the incarnation that its lease names,
 * so a node that comes back replaces all that it had, and what is left of an earlier life is nothing.
 */
export class Replica {
  readonly #leases = new Map<string, LeaseRecord>();
  readonly #servers = new Map<string, Map<string, ServerRecord>>();
  readonly #singletons = new Map<string, SingletonEntry>();
  readonly #keys = new Set<string>();
  #told: Set<string> | undefined;

  /** All that is in the bucket will be told. */
  start(): void {
    this.#told = new Set();
  }

  /** Takes in one entry or change. `undefined`: nothing is different. */
  apply(change: BucketChange): ReplicaChange | undefined {
    this.#told?.add(change.key);
    if (change.value === undefined) return this.#remove(change.key);
    const read = decodeRecord(change.key, change.value);
    if (read === undefined) return this.#refuse(change.key);
    if (read.kind === 'server') return this.#applyServer(change.key, read);
    this.#keys.add(change.key);
    if (read.kind === 'lease') {
      this.#leases.set(read.node, read.record);
      return { kind: 'lease', node: read.node, record: read.record };
    }
    this.#singletons.set(read.server, { ...read.record, revision: change.revision });
    return { kind: 'singleton', server: read.server };
  }

  /** All of the bucket has been told. What was not told since the last reconnect is gone. */
  current(): readonly ReplicaChange[] {
    const told = this.#told;
    this.#told = undefined;
    const gone = told === undefined ? [] : Array.from(this.#keys).filter((key) => !told.has(key));
    return gone.flatMap((key) => this.#remove(key) ?? []);
  }

  lease(node: string): LeaseRecord | undefined {
    return this.#leases.get(node);
  }

  nodes(): readonly string[] {
    return Array.from(this.#leases.keys());
  }

  /** What the node tells of the server in its present life. */
  server(node: string, server: string): ServerRecord | undefined {
    const record = this.#servers.get(node)?.get(server);
    return record !== undefined && record.incarnation === this.#leases.get(node)?.incarnation ? record : undefined;
  }

  /** The life of the node that its record of the server is of, whatever its lease says. */
  lifeOf(node: string, server: string): number | undefined {
    return this.#servers.get(node)?.get(server)?.incarnation;
  }

  servers(node: string): readonly string[] {
    return Array.from(this.#servers.get(node)?.keys() ?? []).filter(
      (server) => this.server(node, server) !== undefined,
    );
  }

  /** Servers of the node that are left in the bucket from another life of it. */
  leftovers(node: string): readonly string[] {
    return Array.from(this.#servers.get(node)?.keys() ?? []).filter(
      (server) => this.server(node, server) === undefined,
    );
  }

  singleton(server: string): SingletonEntry | undefined {
    return this.#singletons.get(server);
  }

  /** Names of all servers that somebody runs, or ran last, for the whole fleet. */
  singletons(): readonly string[] {
    return Array.from(this.#singletons.keys());
  }

  /** Whoever counted on what was there before counts on nothing now; a lease ends by itself. */
  #refuse(key: string): ReplicaChange {
    return { kind: 'refused', key, gone: parseKey(key)?.kind === 'lease' ? undefined : this.#remove(key) };
  }

  #applyServer(key: string, { node, server, record }: FleetRecord & { kind: 'server' }): ReplicaChange | undefined {
    const servers = this.#servers.get(node) ?? new Map<string, ServerRecord>();
    const known = servers.get(server);
    if (known === undefined && servers.size >= MAX_SERVERS) return { kind: 'refused', key };
    if (record.incarnation === known?.incarnation && record.seq <= known.seq) return undefined;
    // Numbers of lives grow by the node's clock, which may have been set back: the one that its lease names counts.
    const mayBeLower = this.#told !== undefined || record.incarnation === this.#leases.get(node)?.incarnation;
    if (known !== undefined && record.incarnation < known.incarnation && !mayBeLower) {
      return { kind: 'outdated', node, server };
    }
    this.#keys.add(key);
    this.#servers.set(node, servers.set(server, record));
    return { kind: 'server', node, server };
  }

  #remove(key: string): ReplicaChange | undefined {
    if (!this.#keys.delete(key)) return undefined;
    const about = parseKey(key);
    if (about?.kind === 'lease') {
      this.#leases.delete(about.node);
      return { ...about, record: undefined };
    }
    if (about?.kind === 'singleton') {
      this.#singletons.delete(about.server);
      return about;
    }
    if (about?.kind !== 'server') return undefined;
    const servers = this.#servers.get(about.node);
    servers?.delete(about.server);
    if (servers?.size === 0) this.#servers.delete(about.node);
    return about;
  }
}
