import type { ToolSource, ToolSourceState } from '../source.js';
import { type CheckedTools, checkTools } from './check-tools.js';
import { quote, type RegistryDiagnostic } from './diagnostics.js';
import { isSameJson } from './json-copy.js';
import type { SourceTools } from './snapshot.js';

const LIST_TIMEOUT_MS = 30_000;

/**
 * Keeps the tools of one source up to date. Lists one at a time, so that no answer overtakes a later one; however many
 * changes are announced during a listing, one more follows it. A listing that fails leaves the tools
 * as they were.
 */
export class SourceListing implements Disposable {
  readonly name: string;
  readonly #source: ToolSource;
  readonly #onUpdate: () => void;
  readonly #lifetime = new AbortController();
  #current: SourceTools;
  #offered: readonly unknown[] | undefined;
  #failure: RegistryDiagnostic | undefined;
  #subscription: Disposable | undefined;
  #isListing = false;
  #isOutdated = false;

  /** @param onUpdate - Called whenever `current` or `failure` may answer differently. */
  constructor(name: string, source: ToolSource, onUpdate: () => void) {
    this.name = name;
    this.#source = source;
    this.#current = { name, state: 'running', source, checked: { tools: [], refused: [] } };
    this.#onUpdate = onUpdate;
  }

  /**
   * Subscribes and lists for the first time. A source that answers without a promise has been listed on return.
   *
   * @returns Settles when the first listing has been answered or has failed, or the listing is disposed.
   */
  async start(): Promise<void> {
    // Subscribed before the first listing, so that no change falls between the two. What is announced while
    // subscribing is in that listing already.
    let isSubscribed = false;
    this.#subscription = this.#source.onToolsChanged?.(() => {
      if (isSubscribed) void this.#refresh();
    });
    isSubscribed = true;
    await this.#refresh();
  }

  /** The last listing that was answered; the same object until one says something else. */
  get current(): SourceTools {
    return this.#current;
  }

  /** Why the last listing failed; `undefined` if it did not. */
  get failure(): RegistryDiagnostic | undefined {
    return this.#failure;
  }

  [Symbol.dispose](): void {
    if (this.#lifetime.signal.aborted) return;
    this.#lifetime.abort();
    this.#subscription?.[Symbol.dispose]();
  }

  #refresh(): Promise<void> | undefined {
    if (this.#isListing) {
      this.#isOutdated = true;
      return undefined;
    }
    this.#isListing = true;
    const answered = this.#listOnce();
    if (answered) return answered.then(() => this.#listed());
    this.#listed();
    return undefined;
  }

  #listed(): void {
    this.#isListing = false;
    if (this.#isOutdated) void this.#listAgain();
  }

  async #listAgain(): Promise<void> {
    this.#isListing = true;
    // A turn of the event loop in between: a source that announces a change whenever it is listed must not starve it.
    await new Promise((resolve) => setTimeout(resolve, 0));
    this.#isListing = false;
    this.#isOutdated = false;
    if (!this.#lifetime.signal.aborted) await this.#refresh();
  }

  /** A promise only where the source gives one. */
  #listOnce(): Promise<void> | undefined {
    const deadline = new AbortController();
    let answer: unknown;
    try {
      answer = this.#source.listTools({ signal: deadline.signal });
    } catch (cause) {
      this.#fail(cause);
      return undefined;
    }
    if (!(answer instanceof Promise)) {
      this.#accept(answer);
      return undefined;
    }
    return answeredWithin(LIST_TIMEOUT_MS, answer, { deadline, lifetime: this.#lifetime.signal }).then(
      (offered) => this.#accept(offered),
      (cause: unknown) => this.#fail(cause),
    );
  }

  #accept(offered: unknown): void {
    if (this.#lifetime.signal.aborted) return;
    if (!Array.isArray(offered)) {
      this.#fail(new TypeError(`listTools() gave no list but ${typeof offered}`));
      return;
    }
    const isKnown = offered === this.#offered && Object.isFrozen(offered);
    const checked = isKnown ? this.#current.checked : checkTools(this.name, offered);
    this.#offered = offered;
    this.#current = nextListing(this.#current, checked, this.#source.state ?? 'running');
    this.#failure = undefined;
    this.#onUpdate();
  }

  #fail(cause: unknown): void {
    if (this.#lifetime.signal.aborted) return;
    const reason = cause instanceof Error ? cause.message : 'it failed without an error';
    const message = `Server ${quote(this.name)}: its tools could not be listed: ${reason}`;
    this.#failure = { code: 'listing-failed', server: this.name, cause, message };
    this.#current = { ...this.#current, state: this.#source.state ?? 'running' };
    this.#onUpdate();
  }
}

/** @param bounds.deadline - Aborted when the time is over or the source is detached, so that the source may stop, too. */
async function answeredWithin(
  timeoutMs: number,
  answer: Promise<unknown>,
  { deadline, lifetime }: { deadline: AbortController; lifetime: AbortSignal },
): Promise<unknown> {
  const giveUp = () => deadline.abort(new Error('the source was detached'));
  const timer = setTimeout(() => deadline.abort(new Error(`no answer within ${timeoutMs} milliseconds`)), timeoutMs);
  lifetime.addEventListener('abort', giveUp);
  try {
    return await Promise.race([
      answer,
      new Promise<never>((_, reject) => {
        deadline.signal.addEventListener('abort', () => reject(deadline.signal.reason), { once: true });
      }),
    ]);
  } finally {
    clearTimeout(timer);
    lifetime.removeEventListener('abort', giveUp);
  }
}

/** Keeps what is the same as it was, so that what was worked out from it still holds. */
function nextListing(before: SourceTools, { tools, refused }: CheckedTools, state: ToolSourceState): SourceTools {
  const known = new Map(before.checked.tools.map((tool) => [tool.name, tool]));
  const kept = tools.map((tool) => {
    const earlier = known.get(tool.name);
    return earlier !== undefined && isSameJson(earlier, tool) ? earlier : tool;
  });
  const isSame =
    state === before.state &&
    kept.length === before.checked.tools.length &&
    kept.every((tool, index) => tool === before.checked.tools[index]) &&
    isSameJson(refused, before.checked.refused);
  return isSame ? before : { ...before, state, checked: { tools: kept, refused } };
}
