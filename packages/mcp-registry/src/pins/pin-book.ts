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
  #busy: Promise<void> | undefined;
  #waiting: { readonly changes: PinChange[]; readonly kept: Promise<void> } | undefined;

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
    return this.#ask(() => this.#store.load());
  }

  /** @throws {RegistryError} `pin-store-failed`, synchronously or as a rejection; nothing has changed. */
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
      .catch(() => undefined) // the caller and `failure` have the error
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

/** @param answer - Of the app's store, which may never respond. */
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
