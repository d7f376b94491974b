import type { EventSource } from '@x/internal/contracts';
import type { FleetEvents } from '../../src/events.js';
import type { Fleet } from '../../src/fleet.js';
import type { FleetSource } from '../../src/source.js';

const NAMES = [
  'joined',
  'join-failed',
  'left',
  'bus-state',
  'node-state',
  'sources-changed',
  'singleton-state',
  'problem',
] as const;

/** Waits until something holds of a fleet; looked at again with each of its events. */
export function until(fleet: { readonly events: EventSource<FleetEvents> }, holds: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const check = () => {
      if (!holds()) return;
      for (const subscription of subscriptions) subscription[Symbol.dispose]();
      resolve();
    };
    const subscriptions = NAMES.map((name) => fleet.events.on(name, check));
    check();
  });
}

/** The source of that name, as soon as the fleet has it. */
export async function sourceOf(fleet: Fleet, name: string): Promise<FleetSource> {
  const find = () => fleet.sources().find((source) => source.name === name);
  await until(fleet, () => find() !== undefined);
  return find() as FleetSource;
}

/** Waits until the source's list of tools is as wanted; looked at again with each change that it announces. */
export async function untilTools(source: FleetSource, holds: (names: readonly string[]) => boolean): Promise<void> {
  const announced = new Announcements(source);
  try {
    while (!holds((await source.listTools({})).map(({ name }) => name))) await announced.next();
  } finally {
    announced[Symbol.dispose]();
  }
}

/** Announcements of a source, none of them lost between two steps. */
class Announcements implements Disposable {
  readonly #subscription: Disposable | undefined;
  #isAnnounced = false;
  #wake: () => void = () => undefined;

  constructor(source: FleetSource) {
    this.#subscription = source.onToolsChanged?.(() => {
      this.#isAnnounced = true;
      this.#wake();
    });
  }

  async next(): Promise<void> {
    if (!this.#isAnnounced) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    this.#isAnnounced = false;
  }

  [Symbol.dispose](): void {
    this.#subscription?.[Symbol.dispose]();
  }
}
