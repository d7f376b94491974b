import { eitherSignal, sequence, unlessAborted } from '@x/internal/async';
import { createRedactor, type Redactor } from '@x/internal/secrets';
import { printable } from '@x/internal/text';
import { ConfigError } from '../errors.js';
import {
  type Found,
  keyOf,
  type Located,
  ReferenceLookup,
  type SecretOptions,
  secretOptions,
  usable,
} from './reference-lookup.js';

/** Options of a client manager for starting servers with secrets. */
export interface SecretLookup {
  /**
   * Resolves one reference. Runs one resolution at a time; waiting calls for the same reference share one.
   *
   * @throws {ConfigError} `secret-unavailable`. Rejects with the reason of an aborted signal.
   */
  readonly resolveSecret: (
    secret: SecretToResolve,
    options?: { readonly signal?: AbortSignal | undefined },
  ) => Promise<string>;
  /** Redacts the values resolved so far, and those of the `redactor` option. */
  readonly redact: (text: string) => string;
  /** Redactor for the values resolved so far. Replaced after each new value, so do not spread it. */
  readonly redactor: Redactor;
}

/** A secret reference in `env` or `headers` of a server. */
export interface SecretToResolve {
  readonly reference: string;
  readonly root?: string | undefined;
  /** Use of the value. Default `variable`. */
  readonly target?: 'header' | 'variable' | undefined;
}

/**
 * Resolves secrets on demand, without caching.
 *
 * @example createClientManager(config, createSecretLookup({ redactor: config.redactor }))
 */
export function createSecretLookup(options: SecretOptions = {}): SecretLookup {
  secretOptions.read(options);
  let redactor = options.redactor ?? createRedactor();
  const known = new Set<string>();
  const pending = new Map<string, SharedLookup>();
  const inSequence = sequence();
  const find = async (secret: Located, signal: AbortSignal): Promise<Found> => {
    signal.throwIfAborted();
    const lookup = new ReferenceLookup({ ...options, signal });
    const found = await lookup.find(secret, 'variable');
    const values = [...lookup.values].filter((value) => !known.has(value));
    for (const value of values) known.add(value);
    if (values.length > 0) redactor = redactor.with(values);
    return found;
  };
  const begin = (secret: Located): SharedLookup => {
    const key = keyOf(secret);
    const shared = new SharedLookup(
      (signal) => inSequence(() => find(secret, signal)),
      () => pending.get(key) === shared && pending.delete(key),
    );
    pending.set(key, shared);
    return shared;
  };
  const lookup: Omit<SecretLookup, 'redactor'> = {
    resolveSecret: async ({ target = 'variable', ...secret }, { signal } = {}) => {
      options.signal?.throwIfAborted();
      const signals = [signal, options.signal].filter((each) => each !== undefined);
      const resolved = await (pending.get(keyOf(secret)) ?? begin(secret)).wait(signals);
      const found = usable(resolved, target);
      if ('value' in found) return found.value;
      const { reason, hint } = found;
      throw new ConfigError('secret-unavailable', printable(hint === undefined ? reason : `${reason}; ${hint}`));
    },
    redact: (text) => redactor.redact(text),
  };
  return Object.defineProperty(lookup, 'redactor', { get: () => redactor }) as SecretLookup;
}

/** Aborted when the last caller leaves. */
class SharedLookup {
  readonly #found: Promise<Found>;
  readonly #controller = new AbortController();
  readonly #onOver: () => void;
  #waiting = 0;

  constructor(begin: (signal: AbortSignal) => Promise<Found>, onOver: () => void) {
    this.#onOver = onOver;
    this.#found = begin(this.#controller.signal);
    this.#found.then(onOver, onOver);
  }

  async wait(signals: readonly AbortSignal[]): Promise<Found> {
    for (const signal of signals) signal.throwIfAborted();
    using either = eitherSignal(...signals);
    this.#waiting += 1;
    try {
      return await unlessAborted(this.#found, either.signal);
    } finally {
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#end();
    }
  }

  #end(): void {
    this.#onOver();
    this.#controller.abort(new Error('No caller waits for the secret any more'));
  }
}
