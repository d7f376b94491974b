import { unlessAborted } from '@x/internal/async';
import type { SourceTool } from '@x/internal/contracts';
import { FleetError } from '../errors.js';
import type { FleetSource } from '../source.js';

/** How long a source may take to list its tools, in milliseconds. */
const TIMEOUT_MS = 30_000;

/** Lists the tools of one source. One that never answers keeps nobody waiting. */
export class ToolLister {
  readonly #node: string;
  readonly #source: FleetSource;
  /** One for many lists: most of them are there at once, and a signal takes longer to make than such a list. */
  #asking = new AbortController();
  #isInSource = false;

  constructor(node: string, source: FleetSource) {
    this.#node = node;
    this.#source = source;
  }

  /** Whether the source has been asked and has not returned yet: what it announces meanwhile is in what it will answer. */
  get isInSource(): boolean {
    return this.#isInSource;
  }

  /** @throws {FleetError} `timed-out`; the reason of `stop`; {TypeError} what is given is no list; what the source throws. */
  async list(): Promise<readonly SourceTool[]> {
    const { signal } = this.#asking;
    signal.throwIfAborted();
    const given = this.#ask(signal);
    const tools = Array.isArray(given) ? given : await this.#inTime(given);
    if (Array.isArray(tools)) return tools;
    throw new TypeError(`listTools of "${this.#source.name}" gave no list but ${typeof tools}`);
  }

  /** Nothing is listed any more. */
  stop(reason: FleetError): void {
    this.#asking.abort(reason);
  }

  #ask(signal: AbortSignal): unknown {
    this.#isInSource = true;
    try {
      return this.#source.listTools({ signal });
    } finally {
      this.#isInSource = false;
    }
  }

  async #inTime(given: unknown): Promise<unknown> {
    const asking = this.#asking;
    const timer = setTimeout(() => {
      this.#asking = new AbortController();
      asking.abort(this.#late());
    }, TIMEOUT_MS);
    try {
      return await unlessAborted(given, asking.signal);
    } finally {
      clearTimeout(timer);
    }
  }

  #late(): FleetError {
    const { name } = this.#source;
    const message = `"${name}" did not list its tools within ${TIMEOUT_MS} milliseconds`;
    return new FleetError('timed-out', message, { node: this.#node, server: name });
  }
}
