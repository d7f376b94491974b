import { isDeepStrictEqual } from 'node:util';
import type { ServerTool, Session, ToolListing } from '../session/session.js';

export interface ToolCatalogOptions {
  /** Longest time for one listing, in milliseconds. */
  readonly timeoutMs: number;
  /** Called after each listing that counts. */
  readonly onListed: (listing: ToolListing) => void;
}

/** Least time between two listings that a server's notices cause, in milliseconds. */
const noticePauseMs = 1_000;

/** The tools that a server listed last. A listing that brings nothing at all leaves the last good one in place. */
export class ToolCatalog {
  readonly #options: ToolCatalogOptions;
  #tools: readonly ServerTool[] = Object.freeze([]);
  #problems: readonly string[] = [];
  #session: Session | undefined;
  #cachedAt: number | undefined;
  #asked = 0;
  #answered = 0;
  #isListing = false;
  /** The session whose last notice was not followed by a listing yet. */
  #stale: Session | undefined;

  constructor(options: ToolCatalogOptions) {
    this.#options = options;
  }

  get tools(): readonly ServerTool[] {
    return this.#tools;
  }

  get problems(): readonly string[] {
    return this.#problems;
  }

  /** When the tools were listed that an earlier process left behind; `undefined` for what this one has listed. */
  get cachedAt(): number | undefined {
    return this.#cachedAt;
  }

  /** Takes what was known of this launch before it runs for the first time here. */
  seed({ tools, savedAt }: { tools: readonly ServerTool[]; savedAt: number | undefined }): void {
    this.#tools = Object.freeze([...tools]);
    this.#cachedAt = savedAt;
    this.#problems = [];
  }

  /** Lists the tools of `session`. An answer that comes after a newer one, or after the session's end, is dropped. */
  async refresh(session: Session, { signal }: { signal?: AbortSignal | undefined } = {}): Promise<ToolListing> {
    this.#session = session;
    this.#asked += 1;
    const turn = this.#asked;
    const listing = await this.#list(session, signal);
    if (this.#session !== session || !session.isOpen || turn < this.#answered) return listing;
    this.#answered = turn;
    this.#problems = listing.problems;
    // The same array for the same tools: whoever holds it sees at a glance that nothing has changed.
    const isNews = listing.completeness !== 'unavailable' && !isDeepStrictEqual(listing.tools, this.#tools);
    if (listing.completeness !== 'unavailable') this.#cachedAt = undefined;
    if (isNews) this.#tools = Object.freeze([...listing.tools]);
    this.#options.onListed(listing);
    return listing;
  }

  /** To be called when the server says that its list has changed. A burst of notices brings one listing a second. */
  invalidate(session: Session | undefined): void {
    if (!session) return; // it said so before it was listed at all
    this.#stale = session;
    if (!this.#isListing) void this.#listWhileStale();
  }

  async #listWhileStale(): Promise<void> {
    this.#isListing = true;
    for (let session = this.#stale; session; session = this.#stale) {
      this.#stale = undefined;
      const pause = new Promise((resolve) => setTimeout(resolve, noticePauseMs).unref());
      // The session may end meanwhile: its supervisor knows, and the next session lists anew.
      await this.refresh(session).catch(() => undefined);
      await pause;
    }
    this.#isListing = false;
  }

  async #list(session: Session, signal: AbortSignal | undefined): Promise<ToolListing> {
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(), this.#options.timeoutMs);
    const either = signal ? AbortSignal.any([signal, deadline.signal]) : deadline.signal;
    try {
      return await session.listTools({ signal: either });
    } catch (error) {
      if (!deadline.signal.aborted) throw error;
      const problem = `the list of tools did not come within ${this.#options.timeoutMs} ms`;
      return { tools: [], completeness: 'unavailable', problems: [problem] };
    } finally {
      clearTimeout(timer);
    }
  }
}
