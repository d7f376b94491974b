import { isDeepStrictEqual } from 'node:util';
import { eitherSignal } from '@x/internal/async';
import type { ServerTool, Session, ToolListing } from '../../session/session.js';
import { ListRetry } from './list-retry.js';

export interface ToolCatalogOptions {
  /** Longest time for one listing, in milliseconds; asked for each. */
  readonly timeoutMs: () => number;
  /** Most tools of one listing; asked for each. */
  readonly maxTools: () => number;
  /** Called after each listing that counts. */
  readonly onListed: (listing: ToolListing) => void;
}

/** What is known of a launch before it runs here. */
export interface ToolSeed {
  readonly tools: readonly ServerTool[];
  /** When they were listed, in milliseconds since 1970. */
  readonly listedAt: number | undefined;
  readonly isPartial: boolean;
}

/** Least time between two listings that a server's notices cause, in milliseconds. */
const noticePauseMs = 1_000;

/** The tools that a server listed last. A listing that brings nothing at all leaves the last good one in place. */
export class ToolCatalog {
  readonly #options: ToolCatalogOptions;
  readonly #retry: ListRetry;
  #tools: readonly ServerTool[] = Object.freeze([]);
  #problems: readonly string[] = [];
  #session: Session | undefined;
  #listedAt: number | undefined;
  #isPartial = false;
  #isSeeded = true;
  #asked = 0;
  #answered = 0;
  #isListing = false;
  /** Ends the pause between two listings that notices cause. */
  #endPause: () => void = () => undefined;
  /** The session whose last notice was not followed by a listing yet. */
  #stale: Session | undefined;

  constructor(options: ToolCatalogOptions) {
    this.#options = options;
    this.#retry = new ListRetry(() => this.invalidate(this.#session));
  }

  get tools(): readonly ServerTool[] {
    return this.#tools;
  }

  get problems(): readonly string[] {
    return this.#problems;
  }

  /** When the tools were listed, in milliseconds since 1970, in this process or an earlier one; `undefined`: never. */
  get listedAt(): number | undefined {
    return this.#listedAt;
  }

  /** Whether the list was cut short. */
  get isPartial(): boolean {
    return this.#isPartial;
  }

  /** When the tools were listed that an earlier process left behind; `undefined` for what this one has listed. */
  get cachedAt(): number | undefined {
    return this.#isSeeded ? this.#listedAt : undefined;
  }

  /** Takes what was known of this launch before it runs for the first time here. */
  seed({ tools, listedAt, isPartial }: ToolSeed): void {
    this.#tools = Object.freeze([...tools]);
    this.#listedAt = listedAt;
    this.#isPartial = isPartial;
    this.#isSeeded = true;
    this.#problems = isPartial ? ['the list that is remembered was cut short when it was read'] : [];
  }

  /**
   * Lists the tools of `session`. An answer that comes after a newer one, or after the session's end, is dropped. While
   * what came is not the whole list, the server is asked again now and then.
   */
  async refresh(session: Session, { signal }: { signal?: AbortSignal | undefined } = {}): Promise<ToolListing> {
    this.#session = session;
    this.#asked += 1;
    const turn = this.#asked;
    const listing = await this.#list(session, signal);
    if (this.#session !== session || !session.isOpen || turn < this.#answered) return listing;
    this.#answered = turn;
    this.#problems = listing.problems;
    if (listing.completeness !== 'unavailable') this.#keep(listing);
    this.#retry.note(listing.completeness);
    this.#options.onListed(listing);
    return listing;
  }

  /** To be called when the server says that its list has changed. A burst of notices brings one listing a second. */
  invalidate(session: Session | undefined): void {
    if (!session) return; // it said so before it was listed at all
    this.#stale = session;
    if (!this.#isListing) void this.#listWhileStale();
  }

  /** To be called when the server is not to be asked any more. */
  rest(): void {
    this.#retry.stop();
    this.#endPause();
    this.#session = undefined;
    this.#stale = undefined;
  }

  #keep({ tools, completeness }: ToolListing): void {
    this.#listedAt = Date.now();
    this.#isSeeded = false;
    this.#isPartial = completeness === 'partial';
    // The same array for the same tools: whoever holds it sees at a glance that nothing has changed.
    if (!isDeepStrictEqual(tools, this.#tools)) this.#tools = Object.freeze([...tools]);
  }

  async #listWhileStale(): Promise<void> {
    this.#isListing = true;
    for (let session = this.#stale; session; session = this.#stale) {
      this.#stale = undefined;
      const pause = this.#pause();
      // The session may end meanwhile: its supervisor knows, and the next session lists anew.
      await this.refresh(session).catch(() => undefined);
      await pause;
    }
    this.#isListing = false;
  }

  async #pause(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, noticePauseMs).unref();
      this.#endPause = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** A list that breaks off may have changed between two pages, so it is read once more from the first one. */
  async #list(session: Session, signal: AbortSignal | undefined): Promise<ToolListing> {
    const timeoutMs = this.#options.timeoutMs();
    const maxTools = this.#options.maxTools();
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), timeoutMs);
    using either = eitherSignal(deadline.signal, ...(signal ? [signal] : []));
    let first: ToolListing | undefined;
    try {
      first = await session.listTools({ signal: either.signal, maxTools });
      if (first.completeness !== 'partial') return first;
      return better(first, await session.listTools({ signal: either.signal, maxTools }));
    } catch (error) {
      if (!deadline.signal.aborted) throw error;
      const problem = `the list of tools did not come within ${timeoutMs} ms`;
      return first ?? { tools: [], completeness: 'unavailable', problems: [problem] };
    } finally {
      clearTimeout(timer);
    }
  }
}

function better(first: ToolListing, second: ToolListing): ToolListing {
  return second.completeness === 'complete' || second.tools.length >= first.tools.length ? second : first;
}
