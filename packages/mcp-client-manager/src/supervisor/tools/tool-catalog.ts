import { isDeepStrictEqual } from 'node:util';
import { eitherSignal } from '@x/internal/async';
import type { ServerTool, Session, ToolListing } from '../../session/session.js';
import type { ListChangeCause } from '../../session/session-listeners.js';
import type { CatalogCompleteness } from '../state/server-state.js';

interface ToolCatalogOptions {
  readonly timeoutMs: () => number;
  readonly maxTools: () => number;
  readonly onListed: (listing: ToolListing) => void;
  readonly onSame: () => void;
}

interface ToolSeed {
  readonly tools: readonly ServerTool[];
  readonly listedAt: number | undefined;
  readonly isPartial: boolean;
}

/** Pause between two listings that notifications cause. */
const noticePauseMs = 1_000;

/** The last tool list of a server. A listing that fails keeps the previous list. */
export class ToolCatalog {
  readonly #options: ToolCatalogOptions;
  readonly #retry: ListRetry;
  #tools: readonly ServerTool[] = Object.freeze([]);
  #problems: readonly string[] = [];
  #session: Session | undefined;
  #listedAt: number | undefined;
  #isPartial = false;
  #isSeeded = true;
  #requested = 0;
  #applied = 0;
  #isListing = false;
  #endPause: () => void = () => undefined;
  /** Session whose notification was not followed by a listing yet. */
  #stale: Session | undefined;
  #isAnnounced = false;

  constructor(options: ToolCatalogOptions) {
    this.#options = options;
    this.#retry = new ListRetry(() => this.invalidate(this.#session, 'reopened'));
  }

  get tools(): readonly ServerTool[] {
    return this.#tools;
  }

  get problems(): readonly string[] {
    return this.#problems;
  }

  /** Time of the listing in any process, in milliseconds since 1970. */
  get listedAt(): number | undefined {
    return this.#listedAt;
  }

  get isPartial(): boolean {
    return this.#isPartial;
  }

  /** `undefined` if the listing is from this process. */
  get cachedAt(): number | undefined {
    return this.#isSeeded ? this.#listedAt : undefined;
  }

  seed({ tools, listedAt, isPartial }: ToolSeed): void {
    this.#tools = Object.freeze([...tools]);
    this.#listedAt = listedAt;
    this.#isPartial = isPartial;
    this.#isSeeded = true;
    this.#problems = isPartial ? ['the remembered list is partial'] : [];
  }

  /**
   * Drops a result that is overtaken by a newer one, or by the session's end. Repeats a failed or partial listing
   * later.
   */
  async refresh(session: Session, { signal }: { signal?: AbortSignal | undefined } = {}): Promise<ToolListing> {
    this.#session = session;
    this.#requested += 1;
    const turn = this.#requested;
    const listing = await this.#list(session, signal);
    if (this.#session !== session || !session.isOpen || turn < this.#applied) return listing;
    this.#applied = turn;
    this.#problems = listing.problems;
    if (listing.completeness !== 'unavailable') this.#keep(listing);
    this.#retry.record(listing.completeness);
    this.#options.onListed(listing);
    return listing;
  }

  /** The list may have changed. A burst of notifications causes one listing a second. */
  invalidate(session: Session | undefined, cause: ListChangeCause): void {
    if (!session) return;
    this.#stale = session;
    this.#isAnnounced ||= cause === 'announced';
    if (!this.#isListing) void this.#listWhileStale();
  }

  stop(): void {
    this.#retry.stop();
    this.#endPause();
    this.#session = undefined;
    this.#stale = undefined;
  }

  #keep({ tools, completeness }: ToolListing): void {
    this.#listedAt = Date.now();
    this.#isSeeded = false;
    this.#isPartial = completeness === 'partial';
    // Keeps an equal array: readers compare by identity.
    if (!isDeepStrictEqual(tools, this.#tools)) this.#tools = Object.freeze([...tools]);
  }

  async #listWhileStale(): Promise<void> {
    this.#isListing = true;
    for (let session = this.#stale; session; session = this.#stale) {
      this.#stale = undefined;
      const before = this.#isAnnounced ? this.#tools : undefined;
      this.#isAnnounced = false;
      const pause = this.#pause();
      // The session may end meanwhile; the next one lists again.
      const listing = await this.refresh(session).catch(() => undefined);
      if (listing?.completeness === 'complete' && this.#tools === before) this.#options.onSame();
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

  /** A partial list may have changed between two pages, so it is read once more. */
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
      const problem = `the tool list did not arrive within ${timeoutMs} ms`;
      return first ?? { tools: [], completeness: 'unavailable', problems: [problem] };
    } finally {
      clearTimeout(timer);
    }
  }
}

function better(first: ToolListing, second: ToolListing): ToolListing {
  return second.completeness === 'complete' || second.tools.length >= first.tools.length ? second : first;
}

const firstRetryMs = 1_000;
const maxRetryMs = 60_000;
/** More partial lists in a row are accepted as they are. */
const maxPartial = 5;

/** Repeats a failed or partial listing: most causes pass. */
class ListRetry {
  readonly #onDue: () => void;
  #failures = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(onDue: () => void) {
    this.#onDue = onDue;
  }

  record(completeness: CatalogCompleteness): void {
    clearTimeout(this.#timer);
    if (completeness === 'complete') {
      this.#failures = 0;
      return;
    }
    this.#failures += 1;
    if (completeness === 'partial' && this.#failures > maxPartial) return;
    const fullMs = Math.min(firstRetryMs * 2 ** (this.#failures - 1), maxRetryMs);
    // Half is random, so that many clients of a broken service do not retry in step.
    this.#timer = setTimeout(this.#onDue, fullMs * (0.5 + Math.random() / 2));
    this.#timer.unref(); // an idle process may exit
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#failures = 0;
  }
}
