import { BoundedMap } from '@x/internal/limits';
import type { CallView, Changes, DaemonView, FleetView, Sample, ServerView } from './page-messages.js';

export type LiveEvent =
  | { readonly type: 'server'; readonly server: ServerView; readonly sample?: Sample | undefined }
  | { readonly type: 'server-removed'; readonly name: string }
  | { readonly type: 'call'; readonly call: CallView }
  | { readonly type: 'daemon'; readonly daemon: DaemonView }
  /** `null`: the daemon belongs to no fleet any more. */
  | { readonly type: 'fleet'; readonly fleet: FleetView | null };

/** Limits of the page. */
const maxSamples = 120;
const maxCalls = 200;

/** Collects live events until they are sent, in bounded memory. */
export class LiveEventBatch {
  #daemon: DaemonView | undefined;
  #fleet: FleetView | null | undefined;
  readonly #removed = new Set<string>();
  readonly #servers = new Map<string, ServerView>();
  readonly #samples = new Map<string, Sample[]>();
  readonly #calls = new BoundedMap<number, CallView>(maxCalls);

  add(event: LiveEvent): void {
    switch (event.type) {
      case 'daemon':
        this.#daemon = event.daemon;
        break;
      case 'fleet':
        this.#fleet = event.fleet;
        break;
      case 'server':
        this.#addServer(event);
        break;
      case 'server-removed':
        this.#servers.delete(event.name);
        this.#samples.delete(event.name);
        this.#removed.add(event.name);
        break;
      case 'call':
        this.#calls.set(event.call.id, event.call);
    }
  }

  /** Returns and removes the collected changes. */
  drain(at: number): Changes {
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

  #addServer({ server, sample }: Extract<LiveEvent, { readonly type: 'server' }>): void {
    this.#servers.set(server.name, server);
    if (!sample) return;
    const samples = this.#samples.get(server.name) ?? [];
    this.#samples.set(server.name, samples);
    samples.push(sample);
    if (samples.length > maxSamples) samples.shift();
  }
}
