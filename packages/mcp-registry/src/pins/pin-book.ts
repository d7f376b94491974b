import { RegistryError } from '../errors.js';
import { isThenable } from '../thenable.js';
import { checkPins, PinDataError } from './check-pins.js';
import { type KnownTools, type PinTable, toPinTable } from './judge-tool.js';
import type { PinChange, PinStore } from './pin-store.js';

/** A store that takes longer does not answer at all; one on disk may have to wait for other processes. */
const STORE_TIMEOUT_MS = 30_000;

/**
 * What the store said last. Asks it one question at a time, so that no answer overtakes a later one; with a store that
 * answers without a promise, everything is done on return. Changes that come meanwhile are kept together: many servers
 * that are met at once must not cost a write each.
 */
export class PinBook {
  readonly #store: PinStore;
  readonly #onUpdate: () => void;
  #table: PinTable | undefined;
  #failure: RegistryError | undefined;
  #busy: Promise<void> | undefined;
  /** Changes that are kept when their turn comes. */
  #waiting: { readonly changes: PinChange[]; readonly kept: Promise<void> } | undefined;

  /** @param onUpdate - Called when an answer came later than on return. */
  constructor(store: PinStore, onUpdate: () => void) {
    this.#store = store;
    this.#onUpdate = onUpdate;
  }

  /** Whether the store was read. Until then nothing is known of anybody, and nobody is new. */
  get isRead(): boolean {
    return this.#table !== undefined;
  }

  /** Why the last question was not answered. */
  get failure(): RegistryError | undefined {
    return this.#failure;
  }

  known(server: string): KnownTools {
    return this.#table?.get(server);
  }

  /** @throws {RegistryError} `pin-store-failed`, at once or later. */
  read(): Promise<void> | undefined {
    return this.#ask(() => this.#store.load());
  }

  /** @throws {RegistryError} `pin-store-failed`, at once or later; nothing has changed then. */
  save(changes: readonly PinChange[]): Promise<void> | undefined {
    if (this.#busy === undefined) return this.#ask(() => this.#store.save(changes));
    this.#waiting ??= this.#gather(this.#busy);
    for (const change of changes) this.#waiting.changes.push(change);
    return this.#waiting.kept;
  }

  #gather(before: Promise<void>) {
    const changes: PinChange[] = [];
    const answer = before.then(() => {
      this.#waiting = undefined;
      return answered(this.#store.save(changes));
    });
    return { changes, kept: this.#later(answer) };
  }

  async settled(): Promise<void> {
    while (this.#busy !== undefined) await this.#busy;
  }

  #ask(question: () => unknown): Promise<void> | undefined {
    if (this.#busy !== undefined) return this.#later(this.#busy.then(() => answered(question())));
    const answer = this.#careful(question);
    if (isThenable(answer)) return this.#later(answered(answer));
    this.#careful(() => this.#adopt(answer));
    return undefined;
  }

  #later(answer: Promise<unknown>): Promise<void> {
    const done = answer.then(
      (pins) => this.#careful(() => this.#adopt(pins)),
      (cause: unknown) => this.#fail(cause),
    );
    const settled = done
      .catch(() => undefined) // whoever asked is told, and `failure` says so
      .then(() => {
        if (this.#busy === settled) this.#busy = undefined;
        this.#onUpdate();
      });
    this.#busy = settled;
    return done;
  }

  #adopt(pins: unknown): void {
    this.#table = toPinTable(checkPins(pins), this.#table);
    this.#failure = undefined;
  }

  #careful<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (cause) {
      return this.#fail(cause);
    }
  }

  #fail(cause: unknown): never {
    this.#failure = toStoreFailure(cause);
    throw this.#failure;
  }
}

/** @param answer - Of the store, which is the host app's and may be stuck; nothing may wait for it without end. */
async function answered(answer: unknown): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const gaveUp = new Promise<never>((_, reject) => {
    const give = () => reject(new Error(`it did not answer within ${STORE_TIMEOUT_MS} milliseconds`));
    timer = setTimeout(give, STORE_TIMEOUT_MS);
  });
  try {
    return await Promise.race([answer, gaveUp]);
  } finally {
    clearTimeout(timer);
  }
}

function toStoreFailure(cause: unknown): RegistryError {
  if (cause instanceof RegistryError && cause.code === 'pin-store-failed') return cause;
  const reason = cause instanceof Error ? cause.message : 'it failed without an error';
  const what = cause instanceof PinDataError ? 'gave something that is no list of pins' : 'failed';
  return new RegistryError('pin-store-failed', `The pin store ${what}: ${reason}`, { cause });
}
