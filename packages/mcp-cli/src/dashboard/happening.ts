import { BoundedMap } from '@x/internal/limits';
import type { CallView, Changes, DaemonView, FleetView, Sample, ServerView } from './page-messages.js';

/** One thing that came about, as whoever notices it tells it. */
export type Happening =
  | { readonly type: 'server'; readonly server: ServerView; readonly sample?: Sample | undefined }
  | { readonly type: 'server-removed'; readonly name: string }
  | { readonly type: 'call'; readonly call: CallView }
  | { readonly type: 'daemon'; readonly daemon: DaemonView }
  /** `null`: the daemon belongs to none any more. */
  | { readonly type: 'fleet'; readonly fleet: FleetView | null };

/** The oldest make room: a page shows no more. */
const maxSamples = 120;
const maxCalls = 200;

/** Collects what happens until it is taken, in a bounded size however much that is. */
export class Happenings {
  #daemon: DaemonView | undefined;
  #fleet: FleetView | null | undefined;
  readonly #removed = new Set<string>();
  readonly #servers = new Map<string, ServerView>();
  readonly #samples = new Map<string, Sample[]>();
  readonly #calls = new BoundedMap<number, CallView>(maxCalls);

  add(happening: Happening): void {
    switch (happening.type) {
      case 'daemon':
        this.#daemon = happening.daemon;
        break;
      case 'fleet':
        this.#fleet = happening.fleet;
        break;
      case 'server':
        this.#addServer(happening);
        break;
      case 'server-removed':
        this.#servers.delete(happening.name);
        this.#samples.delete(happening.name);
        this.#removed.add(happening.name);
        break;
      case 'call':
        this.#calls.set(happening.call.id, happening.call);
    }
  }

  /** What came together; from then on it begins anew. */
  take(at: number): Changes {
    const changes: Changes = {
      at,
      ...(this.#daemon && { daemon: this.#daemon }),
      ...(this.#fleet !== undefined && { fleet: this.#fleet }),
      removed: [...this.#removed],
      servers: [...this.#servers.values()],
      samples: Object.fromEntries(this.#samples),
      calls: [...this.#calls.values()],
    };
    this.#daemon = undefined;
    this.#fleet = undefined;
    for (const collected of [this.#removed, this.#servers, this.#samples, this.#calls]) collected.clear();
    return changes;
  }

  #addServer({ server, sample }: Extract<Happening, { readonly type: 'server' }>): void {
    this.#servers.set(server.name, server);
    if (!sample) return;
    const samples = this.#samples.get(server.name) ?? [];
    this.#samples.set(server.name, samples);
    samples.push(sample);
    if (samples.length > maxSamples) samples.shift();
  }
}
