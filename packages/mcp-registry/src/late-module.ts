import { unlessAborted, withResolvers } from '@x/internal/async';
import type { Lifetime } from './catalog/lifetime.js';

/** Ends a wait for a module. */
export interface LoadEnds {
  readonly lifetime: Lifetime;
  readonly signal?: AbortSignal | undefined;
}

/** A module that is loaded when it is first needed, so that an app that needs none of it does not download it. */
export class LateModule<Module> {
  readonly #import: () => Promise<Module>;
  #loading: Promise<Module> | undefined;
  #loaded: Module | undefined;

  constructor(load: () => Promise<Module>) {
    this.#import = load;
  }

  /** `undefined` until the module is loaded. */
  get loaded(): Module | undefined {
    return this.#loaded;
  }

  /** All callers share one load. A load that fails is tried again by the next caller. */
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

  /** As `load`, but rejects as soon as the signal aborts or the lifetime ends, with the reason of that. */
  async loadUnless({ lifetime, signal }: LoadEnds): Promise<Module> {
    if (this.#loaded !== undefined) return this.#loaded;
    lifetime.throwIfOver();
    const over = withResolvers<never>();
    // Not its signal: some runtimes make none outside of a request.
    const listener = { lifetimeOver: over.reject };
    lifetime.join(listener);
    try {
      return await unlessAborted(Promise.race([this.load(), over.promise]), signal);
    } finally {
      lifetime.leave(listener);
    }
  }
}
