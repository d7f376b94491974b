import { unlessAborted, withResolvers } from '@x/internal/async';
import type { Lifetime } from './catalog/lifetime.js';

interface LoadEnds {
  readonly lifetime: Lifetime;
  readonly signal?: AbortSignal | undefined;
}

/** Loads a module on demand, so that apps download only what they use. */
export class LateModule<Module> {
  readonly #import: () => Promise<Module>;
  #loading: Promise<Module> | undefined;
  #loaded: Module | undefined;

  constructor(load: () => Promise<Module>) {
    this.#import = load;
  }

  get loaded(): Module | undefined {
    return this.#loaded;
  }

  /** Callers share one load. After a failure the next caller tries again. */
  load(): Promise<Module> {
    this.#loading ??= this.#import().then(
      (module) => {
        this.#loaded = module;
        return module;
      },
      (error: unknown) => {
        this.#loading = undefined;
        throw error;
      },
    );
    return this.#loading;
  }

  /** As `load`, but rejects when the signal aborts or the lifetime ends. */
  async loadUnless({ lifetime, signal }: LoadEnds): Promise<Module> {
    if (this.#loaded !== undefined) return this.#loaded;
    lifetime.throwIfOver();
    const over = withResolvers<never>();
    // Avoids the lifetime's signal, which some runtimes do not create outside of a request.
    const listener = { lifetimeOver: over.reject };
    lifetime.addListener(listener);
    try {
      return await unlessAborted(Promise.race([this.load(), over.promise]), signal);
    } finally {
      lifetime.removeListener(listener);
    }
  }
}
