import type { BucketChange } from '../bus.js';
import {
  decodeRecord,
  type FleetRecord,
  type LeaseRecord,
  parseKey,
  type ServerRecord,
  type SingletonRecord,
} from './records.js';

export type ReplicaChange =
  | { readonly kind: 'lease'; readonly node: string; readonly record: LeaseRecord | undefined }
  | { readonly kind: 'server'; readonly node: string; readonly server: string }
  /** Delayed write of an earlier incarnation; the known record stays. */
  | { readonly kind: 'outdated'; readonly node: string; readonly server: string }
  | { readonly kind: 'singleton'; readonly server: string }
  /** Malformed record, or one of a later version; ignored. `gone`: removal of the record it replaced. */
  | { readonly kind: 'refused'; readonly key: string; readonly gone?: ReplicaChange | undefined };

/** Servers per node; further ones are ignored. */
const MAX_SERVERS = 1_000;

export interface SingletonEntry extends SingletonRecord {
  readonly revision: number;
}

/**
 * Copy of the bucket. Records of a node count only while their incarnation equals that of its lease, so that leftovers
 * of an earlier life have no effect.
 */
export class Replica {
  readonly #leases = new Map<string, LeaseRecord>();
  readonly #servers = new Map<string, Map<string, ServerRecord>>();
  readonly #singletons = new Map<string, SingletonEntry>();
  readonly #keys = new Set<string>();
  #reportedKeys: Set<string> | undefined;

  start(): void {
    this.#reportedKeys = new Set();
  }

  apply(change: BucketChange): ReplicaChange | undefined {
    this.#reportedKeys?.add(change.key);
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

  /** Ends a report: removes keys that it did not contain. */
  current(): readonly ReplicaChange[] {
    const reported = this.#reportedKeys;
    this.#reportedKeys = undefined;
    const gone = reported === undefined ? [] : Array.from(this.#keys).filter((key) => !reported.has(key));
    return gone.flatMap((key) => this.#remove(key) ?? []);
  }

  lease(node: string): LeaseRecord | undefined {
    return this.#leases.get(node);
  }

  nodes(): readonly string[] {
    return Array.from(this.#leases.keys());
  }

  server(node: string, server: string): ServerRecord | undefined {
    const record = this.#servers.get(node)?.get(server);
    return record !== undefined && record.incarnation === this.#leases.get(node)?.incarnation ? record : undefined;
  }

  /** Incarnation of the server record, regardless of the lease. */
  incarnationOf(node: string, server: string): number | undefined {
    return this.#servers.get(node)?.get(server)?.incarnation;
  }

  servers(node: string): readonly string[] {
    return Array.from(this.#servers.get(node)?.keys() ?? []).filter(
      (server) => this.server(node, server) !== undefined,
    );
  }

  leftovers(node: string): readonly string[] {
    return Array.from(this.#servers.get(node)?.keys() ?? []).filter(
      (server) => this.server(node, server) === undefined,
    );
  }

  singleton(server: string): SingletonEntry | undefined {
    return this.#singletons.get(server);
  }

  singletons(): readonly string[] {
    return Array.from(this.#singletons.keys());
  }

  /** Reports a malformed record and removes the previous one, except a lease, which expires. */
  #refuse(key: string): ReplicaChange {
    return { kind: 'refused', key, gone: parseKey(key)?.kind === 'lease' ? undefined : this.#remove(key) };
  }

  #applyServer(key: string, { node, server, record }: FleetRecord & { kind: 'server' }): ReplicaChange | undefined {
    const servers = this.#servers.get(node) ?? new Map<string, ServerRecord>();
    const known = servers.get(server);
    if (known === undefined && servers.size >= MAX_SERVERS) return { kind: 'refused', key };
    if (record.incarnation === known?.incarnation && record.seq <= known.seq) return undefined;
    // Incarnations grow with the node's clock, which may be set back; the one in its lease decides.
    const mayBeLower = this.#reportedKeys !== undefined || record.incarnation === this.#leases.get(node)?.incarnation;
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
