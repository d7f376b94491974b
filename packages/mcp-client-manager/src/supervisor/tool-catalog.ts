import type { ToolListing } from '../session/list-tools.js';
import type { ServerTool, Session } from '../session/session.js';

export interface ToolCatalogOptions {
  /** Longest time for one listing, in milliseconds. */
  readonly timeoutMs: number;
  /** Called after each listing that the server's own notice brought about. */
  readonly onListed: (listing: ToolListing) => void;
}

/** The tools that a server listed last. A listing that brings nothing at all leaves the last good one in place. */
export class ToolCatalog {
  readonly #options: ToolCatalogOptions;
  #tools: readonly ServerTool[] = [];
  #problems: readonly string[] = [];
  #session: Session | undefined;
  #isListing = false;
  #isStale = false;

  constructor(options: ToolCatalogOptions) {
    this.#options = options;
  }

  get tools(): readonly ServerTool[] {
    return this.#tools;
  }

  get problems(): readonly string[] {
    return this.#problems;
  }

  /** Lists the tools of `session`. An answer that comes after another session's is dropped. */
  async refresh(session: Session, { signal }: { signal?: AbortSignal | undefined } = {}): Promise<ToolListing> {
    this.#session = session;
    const listing = await this.#list(session, signal);
    if (this.#session !== session) return listing;
    this.#problems = listing.problems;
    if (listing.completeness !== 'unavailable') this.#tools = listing.tools;
    return listing;
  }

  /** To be called when the server says that its list has changed. A burst of notices brings one more listing, not many. */
  invalidate(session: Session | undefined): void {
    if (!session) return; // it said so before it was listed at all
    this.#isStale = true;
    if (!this.#isListing) void this.#listWhileStale(session);
  }

  async #listWhileStale(session: Session): Promise<void> {
    this.#isListing = true;
    try {
      while (this.#isStale) {
        this.#isStale = false;
        const listing = await this.refresh(session);
        if (this.#session === session) this.#options.onListed(listing);
      }
    } catch {
      // The session ended meanwhile: its supervisor knows, and the next session lists anew.
    } finally {
      this.#isListing = false;
    }
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
