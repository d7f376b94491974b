import { within } from '@x/internal/async';
import { messageOf } from '@x/internal/errors';
import { isRecord } from '@x/internal/json';
import {
  type GatewayUpstream,
  type ReportProblem,
  reasonOf,
  rpcErrorOf,
  type UpstreamEntry,
  type UpstreamListing,
  type UpstreamSession,
} from '../upstream.js';
import { type PartKind, partRules } from './part-kinds.js';

export interface ReadingOptions {
  readonly limitMs: number;
  readonly onProblem: ReportProblem;
  /** Called when a late list arrives. */
  readonly onLate: (before: readonly UpstreamEntry[]) => void;
}

export interface ListReading {
  readonly items: readonly UpstreamEntry[];
  /** Reason why the list may be incomplete; `undefined` if it is complete. */
  readonly missing: string | undefined;
}

interface PendingList {
  readonly end: AbortController;
  /** `false` if the list was invalidated meanwhile. Never rejects. */
  readonly done: Promise<boolean>;
}

type Outcome =
  | { readonly listing: UpstreamListing<UpstreamEntry>; readonly wake: boolean }
  | { readonly error: unknown };

const METHOD_NOT_FOUND = -32_601;
const NOTHING: ListReading = Object.freeze({ items: Object.freeze([]), missing: undefined });

/**
 * One list of one server, as last read. Waits are bounded: the request goes on, and until it ends all readers get the
 * previous list at once.
 */
export class UpstreamList {
  readonly #upstream: GatewayUpstream;
  readonly #kind: PartKind;
  readonly #options: ReadingOptions;
  #known = NOTHING;
  /** Read over this connection, with no change announced since. */
  #isFresh = false;
  #isLate = false;
  /** A change was announced after the pending request. */
  #isOutdated = false;
  #pending: PendingList | undefined;

  constructor(upstream: GatewayUpstream, kind: PartKind, options: ReadingOptions) {
    this.#upstream = upstream;
    this.#kind = kind;
    this.#options = options;
  }

  /** The last list; empty before the first. */
  get items(): readonly UpstreamEntry[] {
    return this.#known.items;
  }

  /** @param options.isNextPage - Continues the list of the previous page, unless a change was announced. */
  async read({ isNextPage = false }: { readonly isNextPage?: boolean } = {}): Promise<ListReading> {
    if (!this.#isOffered) return NOTHING;
    if (this.#isFresh && (isNextPage || this.#isAnnounced)) return this.#known;
    if (!this.#isLate) await this.#waitForList();
    return this.#known;
  }

  invalidate(): void {
    this.#isFresh = false;
    if (this.#isLate) this.#isOutdated = true;
    else this.#abortRequest();
  }

  /** Call it for a new or lost connection, on which pending requests get no response. */
  reset(): void {
    this.#isFresh = false;
    this.#abortRequest();
  }

  get #isOffered(): boolean {
    const { session } = this.#upstream;
    return session === undefined || session.capabilities[partRules[this.#kind].capability] !== undefined;
  }

  get #isAnnounced(): boolean {
    return this.#upstream.session?.capabilities[partRules[this.#kind].capability]?.listChanged === true;
  }

  async #waitForList(): Promise<void> {
    const { limitMs } = this.#options;
    const deadline = performance.now() + limitMs;
    for (let isDone: boolean | undefined = false; isDone === false; ) {
      this.#pending ??= this.#request();
      isDone = await within(this.#pending.done, deadline - performance.now());
      if (isDone === undefined && this.#pending !== undefined && !this.#isLate) {
        this.#isLate = true;
        this.#markIncomplete(
          'timed-out',
          `no response within ${limitMs} ms; clients get the previous list until it arrives`,
        );
      }
    }
  }

  #request(): PendingList {
    const end = new AbortController();
    this.#isOutdated = false;
    // The request must be pending first: a server may announce a change at once.
    return { end, done: Promise.resolve().then(() => this.#listUntilOver(end)) };
  }

  async #listUntilOver(end: AbortController): Promise<boolean> {
    const before = this.#known.items;
    const { session } = this.#upstream;
    const outcome = await this.#list(end.signal);
    if (this.#pending?.end !== end) return false;
    this.#apply(outcome, session);
    const wasLate = this.#isLate;
    this.#pending = undefined;
    this.#isLate = false;
    if (wasLate) this.#options.onLate(before);
    return true;
  }

  async #list(signal: AbortSignal): Promise<Outcome> {
    const wake = !isStopped(this.#upstream);
    try {
      const listing = await partRules[this.#kind].list(this.#upstream, { signal, wake });
      return { wake, listing: { ...listing, items: listing.items.filter(isRecord) } };
    } catch (error) {
      return { error };
    }
  }

  #apply(outcome: Outcome, session: UpstreamSession | undefined): void {
    if (!('listing' in outcome)) {
      this.#fail(outcome.error, session);
      return;
    }
    const { items, completeness, problems } = outcome.listing;
    if (completeness !== 'unavailable') this.#known = { items, missing: undefined };
    if (completeness === 'partial') this.#markIncomplete('partial', problems.join('; '));
    if (completeness === 'unavailable')
      this.#markIncomplete(outcome.wake ? 'failed' : 'not-running', problems.join('; '));
    this.#isFresh = completeness !== 'unavailable' && !this.#isOutdated && this.#isConnectedBy(session);
  }

  #fail(error: unknown, session: UpstreamSession | undefined): void {
    // A server that was just started may offer neither this list nor templates.
    if (this.#isOffered && rpcErrorOf(error)?.code !== METHOD_NOT_FOUND) {
      this.#markIncomplete(reasonOf(error), messageOf(error), error);
      return;
    }
    this.#known = NOTHING;
    this.#isFresh = this.#isConnectedBy(session);
  }

  #isConnectedBy(session: UpstreamSession | undefined): boolean {
    return session !== undefined && session === this.#upstream.session;
  }

  #markIncomplete(reason: string, detail: string, cause?: unknown): void {
    this.#known = { items: this.#known.items, missing: reason };
    const { name: server } = this.#upstream;
    const message = `The list of ${this.#kind} of server "${server}" is incomplete: ${detail}`;
    this.#options.onProblem({ code: 'list-incomplete', server, reason, message, cause });
  }

  #abortRequest(): void {
    this.#pending?.end.abort(new Error('The list is requested again'));
    this.#pending = undefined;
    this.#isLate = false;
  }
}

function isStopped({ state, session }: GatewayUpstream): boolean {
  return session === undefined && (state === 'stopped' || state === 'stopping' || state === 'failed');
}
