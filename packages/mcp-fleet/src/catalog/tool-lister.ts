import { unlessAborted } from '@x/internal/async';
import type { SourceTool } from '@x/internal/contracts';
import { FleetError } from '../errors.js';
import type { FleetSource } from '../source.js';

/** Timeout of a listing in milliseconds. */
const TIMEOUT_MS = 30_000;

export class ToolLister {
  readonly #node: string;
  readonly #source: FleetSource;
  /** Shared by many listings: most return at once, and a new signal costs more than such a listing. */
  #listing = new AbortController();
  #isInSource = false;

  constructor(node: string, source: FleetSource) {
    this.#node = node;
    this.#source = source;
  }

  /** True during the synchronous part of `listTools`; changes announced in it are part of its result. */
  get isInSource(): boolean {
    return this.#isInSource;
  }

  /**
   * @throws {FleetError} `timed-out`, or the reason of `stop`.
   * @throws {TypeError} The result is not a list.
   * @throws Errors of the source.
   */
  async list(): Promise<readonly SourceTool[]> {
    const { signal } = this.#listing;
    signal.throwIfAborted();
    const given = this.#callSource(signal);
    const tools = Array.isArray(given) ? given : await this.#withTimeout(given);
    if (Array.isArray(tools)) return tools;
    throw new TypeError(`listTools of "${this.#source.name}" must return a list, got ${typeof tools}`);
  }

  stop(reason: FleetError): void {
    this.#listing.abort(reason);
  }

  #callSource(signal: AbortSignal): unknown {
    this.#isInSource = true;
    try {
      return this.#source.listTools({ signal });
    } finally {
      this.#isInSource = false;
    }
  }

  async #withTimeout(given: unknown): Promise<unknown> {
    const listing = this.#listing;
    const timer = setTimeout(() => {
      this.#listing = new AbortController();
      listing.abort(this.#timedOut());
    }, TIMEOUT_MS);
    try {
      return await unlessAborted(given, listing.signal);
    } finally {
      clearTimeout(timer);
    }
  }

  #timedOut(): FleetError {
    const { name } = this.#source;
    const message = `"${name}" did not list its tools within ${TIMEOUT_MS} milliseconds`;
    return new FleetError('timed-out', message, { node: this.#node, server: name });
  }
}
