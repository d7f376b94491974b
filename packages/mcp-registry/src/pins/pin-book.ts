import { RegistryError } from '../errors.js';
import { checkPins, PinDataError } from './check-pins.js';
import { type KnownTools, type PinTable, toPinTable } from './judge-tool.js';
import type { PinChange, PinStore } from './pin-store.js';

/**
 * What the store said last. Asks it one question at a time, so that no answer overtakes a later one; with a store that
 * answers without a promise, everything is done on return.
 */
export class PinBook {
  readonly #store: PinStore;
  readonly #onUpdate: () => void;
  #table: PinTable | undefined;
  #failure: RegistryError | undefined;
  #busy: Promise<void> | undefined;

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
    return this.#ask(() => this.#store.save(changes));
  }

  async settled(): Promise<void> {
    while (this.#busy !== undefined) await this.#busy;
  }

  #ask(question: () => unknown): Promise<void> | undefined {
    if (this.#busy !== undefined) return this.#later(this.#busy.then(question));
    const answer = this.#careful(question);
    if (isThenable(answer)) return this.#later(Promise.resolve(answer));
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

function toStoreFailure(cause: unknown): RegistryError {
  if (cause instanceof RegistryError && cause.code === 'pin-store-failed') return cause;
  const reason = cause instanceof Error ? cause.message : 'it failed without an error';
  const what = cause instanceof PinDataError ? 'gave something that is no list of pins' : 'failed';
  return new RegistryError('pin-store-failed', `The pin store ${what}: ${reason}`, { cause });
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
