import { RegistryError } from '../errors.js';
import { isThenable } from '../thenable.js';
import { checkPins, PinDataError } from './check-pins.js';
import type { PinChange, PinStore } from './pin-store.js';
import { type KnownTools, type PinTable, toPinTable } from './trust-policy.js';

/** Long enough to wait for other processes. */
const STORE_TIMEOUT_MS = 30_000;

/**
 * The last known state of the store. Sends one request at a time, and saves changes together that arrive meanwhile.
 * With a synchronous store everything is done on return.
 */
export class PinBook {
  readonly #store: PinStore;
  readonly #onUpdate: () => void;
  #table: PinTable | undefined;
  #failure: RegistryError | undefined;
  #pending: Promise<void> | undefined;
  #waiting: { readonly changes: PinChange[]; readonly saved: Promise<void> } | undefined;

  constructor(store: PinStore, onUpdate: () => void) {
    this.#store = store;
    this.#onUpdate = onUpdate;
  }

  /** True once the store was read. Until then no server counts as new. */
  get isRead(): boolean {
    return this.#table !== undefined;
  }

  get failure(): RegistryError | undefined {
    return this.#failure;
  }

  known(server: string): KnownTools {
    return this.#table?.get(server);
  }

  /** @throws {RegistryError} `pin-store-failed`, synchronously or as a rejection. */
  read(): Promise<void> | undefined {
    return this.#request(() => this.#store.load());
  }

  /** @throws {RegistryError} `pin-store-failed`, synchronously or as a rejection; nothing has changed. */
  save(changes: readonly PinChange[]): Promise<void> | undefined {
    if (this.#pending === undefined) return this.#request(() => this.#store.save(changes));
    this.#waiting ??= this.#collect(this.#pending);
    for (const change of changes) this.#waiting.changes.push(change);
    return this.#waiting.saved;
  }

  #collect(before: Promise<void>) {
    const changes: PinChange[] = [];
    const response = before.then(() => {
      this.#waiting = undefined;
      return withTimeout(this.#store.save(changes));
    });
    return { changes, saved: this.#track(response) };
  }

  async settled(): Promise<void> {
    while (this.#pending !== undefined) await this.#pending;
  }

  #request(send: () => unknown): Promise<void> | undefined {
    if (this.#pending !== undefined) return this.#track(this.#pending.then(() => withTimeout(send())));
    const response = this.#attempt(send);
    if (isThenable(response)) return this.#track(withTimeout(response));
    this.#attempt(() => this.#adopt(response));
    return undefined;
  }

  #track(response: Promise<unknown>): Promise<void> {
    const done = response.then(
      (pins) => this.#attempt(() => this.#adopt(pins)),
      (cause: unknown) => this.#fail(cause),
    );
    const settled = done
      .catch(() => undefined) // the caller and `failure` have the error
      .then(() => {
        if (this.#pending === settled) this.#pending = undefined;
        this.#onUpdate();
      });
    this.#pending = settled;
    return done;
  }

  #adopt(pins: unknown): void {
    this.#table = toPinTable(checkPins(pins), this.#table);
    this.#failure = undefined;
  }

  #attempt<Result>(work: () => Result): Result {
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

/** @param answer - Of the app's store, which may never respond. */
async function withTimeout(response: unknown): Promise<unknown> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const timeout = new Promise<never>((_, reject) => {
    const expire = () => reject(new Error(`it did not answer within ${STORE_TIMEOUT_MS} milliseconds`));
    timer = setTimeout(expire, STORE_TIMEOUT_MS);
  });
  try {
    return await Promise.race([response, timeout]);
  } finally {
    clearTimeout(timer);
  }
}

function toStoreFailure(cause: unknown): RegistryError {
  if (cause instanceof RegistryError && cause.code === 'pin-store-failed') return cause;
  const reason = cause instanceof Error ? cause.message : 'it failed without an error';
  const what = cause instanceof PinDataError ? 'returned a value that is not a list of pins' : 'failed';
  return new RegistryError('pin-store-failed', `The pin store ${what}: ${reason}`, { cause });
}
