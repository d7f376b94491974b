import { nextTurn } from '@x/internal/async';
import type { ToolSource, ToolSourceState } from '@x/internal/contracts';
import { copyJson, isSameJson } from '@x/internal/json';
import { quote } from '@x/internal/text';
import { isThenable } from '../thenable.js';
import { ListCheck, NO_TOOLS } from './check-tools.js';
import type { RegistryDiagnostic } from './diagnostics.js';
import { ListingWait, timerIfAllowed } from './listing-wait.js';
import type { SourceTools } from './snapshot.js';

const LIST_TIMEOUT_MS = 30_000;
/** A longer list is read in turns of `MAX_TURN_MS`. */
const MAX_TOOLS_AT_ONCE = 500;
const MAX_TURN_MS = 10;
/** Synchronous listings per turn of the event loop; further ones are merged. */
const MAX_LISTINGS_A_TURN = 20;

const STATES: ReadonlySet<unknown> = new Set<ToolSourceState>([
  'stopped',
  'starting',
  'running',
  'degraded',
  'stopping',
  'failed',
  'unreachable',
]);

/**
 * Keeps the tools of one source current. Lists one at a time; changes announced meanwhile cause one more listing. A
 * failed listing leaves the tools unchanged. Errors of a source only set `failure`.
 */
export class SourceListing implements Disposable {
  readonly name: string;
  readonly #source: ToolSource;
  readonly #onUpdate: () => void;
  #isOver = false;
  #wait: ListingWait | undefined;
  #current: SourceTools;
  #read: readonly unknown[] | undefined;
  #isDormant = false;
  #failure: RegistryDiagnostic | undefined;
  #subscription: Disposable | undefined;
  #isListing = false;
  #isOutdated = false;
  #listingsThisTurn = 1;
  #turn: ReturnType<typeof setTimeout> | undefined;

  constructor(name: string, source: ToolSource, onUpdate: () => void) {
    this.name = name;
    this.#source = source;
    this.#current = { name, state: 'running', source, checked: NO_TOOLS, isListed: false };
    this.#onUpdate = onUpdate;
  }

  /** Subscribes and lists for the first time. A short synchronous list is complete on return. */
  async start(): Promise<void> {
    // Subscribes first, so that no change is missed.
    let isSubscribed = false;
    try {
      this.#subscription = this.#source.onToolsChanged?.(() => {
        if (isSubscribed) void this.#refresh();
      });
    } catch (cause) {
      return this.#fail(cause);
    }
    isSubscribed = true;
    await this.#list();
  }

  /** The last successful listing; the same object while its content is. */
  get current(): SourceTools {
    return this.#current;
  }

  get failure(): RegistryDiagnostic | undefined {
    return this.#failure;
  }

  [Symbol.dispose](): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#wait?.end(new Error('the source was detached'));
    try {
      this.#subscription?.[Symbol.dispose]();
    } catch {
      // Further announcements are ignored.
    }
  }

  #refresh(): Promise<void> | undefined {
    if (this.#isOver) return undefined;
    if (this.#isListing) {
      this.#isOutdated = true;
      return undefined;
    }
    this.#turn ??= timerIfAllowed(() => {
      this.#turn = undefined;
      this.#listingsThisTurn = 0;
    }, 0);
    return ++this.#listingsThisTurn > MAX_LISTINGS_A_TURN ? this.#listAgain() : this.#list();
  }

  #list(): Promise<void> | undefined {
    this.#isListing = true;
    const pending = this.#listOnce();
    if (pending) return pending.then(() => this.#listed());
    this.#listed();
    return undefined;
  }

  #listed(): void {
    this.#wait = undefined;
    this.#isListing = false;
    if (this.#isOutdated) void this.#listAgain();
  }

  async #listAgain(): Promise<void> {
    this.#isListing = true;
    // A source that announces a change with each listing must not block the event loop.
    await nextTurn();
    this.#isListing = false;
    this.#isOutdated = false;
    await this.#refresh();
  }

  /** Returns a promise only if the source does, or for a long list. */
  #listOnce(): Promise<void> | undefined {
    const wait = new ListingWait();
    this.#wait = wait;
    try {
      const response: unknown = this.#source.listTools({
        get signal() {
          return wait.signal;
        },
      });
      const accepted = isThenable(response)
        ? wait.within(LIST_TIMEOUT_MS, response).then((offered) => this.#accept(offered))
        : this.#accept(response);
      return accepted?.catch((cause: unknown) => this.#fail(cause));
    } catch (cause) {
      this.#fail(cause);
      return undefined;
    }
  }

  /** @throws If the result is not a list. */
  #accept(offered: unknown): Promise<void> | undefined {
    if (this.#isOver) return undefined;
    if (!Array.isArray(offered)) throw new TypeError(`listTools() must return a list, got ${typeof offered}`);
    const listed: readonly unknown[] = offered.length > 0 ? offered : (this.#source.knownTools?.() ?? offered);
    if (!Array.isArray(listed)) throw new TypeError(`knownTools() must return a list, got ${typeof listed}`);
    const isDormant = listed !== offered && listed.length > 0;
    if (listed === this.#read && Object.isFrozen(listed)) {
      this.#isDormant = isDormant;
      this.#update(this.#current.checked);
      return undefined;
    }
    const check = new ListCheck(this.name, listed, this.#current.checked);
    const finish = () => {
      if (this.#isOver) return;
      this.#read = listed;
      this.#isDormant = isDormant;
      this.#update(check.result());
    };
    if (listed.length > MAX_TOOLS_AT_ONCE) return this.#checkInTurns(check).then(finish);
    while (!check.isDone) check.step();
    finish();
    return undefined;
  }

  async #checkInTurns(check: ListCheck): Promise<void> {
    let turnEnd = Date.now() + MAX_TURN_MS;
    while (!check.isDone && !this.#isOver) {
      check.step();
      if (Date.now() < turnEnd) continue;
      await nextTurn();
      turnEnd = Date.now() + MAX_TURN_MS;
    }
  }

  #fail(cause: unknown): void {
    if (this.#isOver) return;
    const reason = cause instanceof Error ? cause.message : 'it failed without an error';
    const message = `Server ${quote(this.name)}: its tools could not be listed: ${reason}`;
    this.#update(this.#current.checked, { code: 'listing-failed', server: this.name, cause, message });
  }

  /** Keeps the object if nothing is different, so that derived values stay valid. */
  #update(checked: SourceTools['checked'], failure?: RegistryDiagnostic): void {
    const state = this.#readState();
    const { instructions, overrides, overridesError } = this.#readTexts();
    const current = this.#current;
    const isListed = this.#readListed();
    const isDormant = this.#isDormant;
    const isSame =
      checked === current.checked &&
      state === current.state &&
      instructions === current.instructions &&
      isSameJson(overrides, current.overrides) &&
      overridesError === current.overridesError &&
      isDormant === (current.isDormant ?? false) &&
      isListed === current.isListed;
    const texts = { instructions, overrides, overridesError };
    if (!isSame) this.#current = { ...current, state, checked, ...texts, isDormant, isListed };
    this.#failure = failure;
    this.#onUpdate();
  }

  #readListed(): boolean {
    if (this.#read === undefined) return false;
    try {
      return this.#source.hasListed !== false;
    } catch {
      return true;
    }
  }

  /** Unreadable overrides leave the current ones, so that hidden tools stay hidden. */
  #readTexts(): Pick<SourceTools, 'instructions' | 'overrides' | 'overridesError'> {
    let instructions: string | undefined;
    try {
      const { instructions: text } = this.#source;
      if (typeof text === 'string') instructions = text;
    } catch {
      // A source without instructions.
    }
    try {
      const { toolOverrides } = this.#source;
      return { instructions, overrides: toolOverrides && copyJson(toolOverrides) };
    } catch (cause) {
      return { instructions, overrides: this.#current.overrides, overridesError: String(cause) };
    }
  }

  #readState(): ToolSourceState {
    try {
      const { state } = this.#source;
      return state !== undefined && STATES.has(state) ? state : 'running';
    } catch {
      return 'running';
    }
  }
}
