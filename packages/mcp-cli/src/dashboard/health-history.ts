import type { Sample } from './page-messages.js';

/** Samples per server: 10 minutes while a page is open, much longer otherwise. */
const maxSamples = 120;

export class HealthHistory {
  readonly #samples = new Map<string, Sample[]>();

  /** @returns False for a repetition, which is not stored. */
  add(server: string, sample: Sample): boolean {
    const samples = this.#samples.get(server) ?? [];
    this.#samples.set(server, samples);
    const last = samples.at(-1);
    if (last && isSame(last, sample)) return false;
    samples.push(sample);
    if (samples.length > maxSamples) samples.shift();
    return true;
  }

  forget(server: string): void {
    this.#samples.delete(server);
  }

  /** By the server's name, oldest first. */
  all(): Readonly<Record<string, readonly Sample[]>> {
    return Object.fromEntries(Array.from(this.#samples, ([server, samples]) => [server, [...samples]]));
  }
}

function isSame(one: Sample, other: Sample): boolean {
  return one.state === other.state && one.health === other.health && one.memoryBytes === other.memoryBytes;
}
