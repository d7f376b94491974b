import type { ConfirmLaunch } from '@x/mcp-client-manager';
import type { LoadedConfig } from '@x/mcp-config-schema/load';
import type { ConsentStore } from './consent-store.js';
import { type LaunchPlace, type LaunchToConfirm, launchesToConfirm, launchKey } from './launches.js';
import { trustsEverything } from './trusts-everything.js';

export interface ConsentGateOptions extends LaunchPlace {
  readonly store: ConsentStore;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Asks a person. Left out: nobody is there, and what was not agreed to is refused. */
  readonly ask?: ((launch: LaunchToConfirm) => Promise<boolean>) | undefined;
}

/** Lets a server of a project start only when the user has agreed to exactly what it runs. */
export class ConsentGate {
  readonly #options: ConsentGateOptions;
  #present: Launches;
  /** Servers keep to the config before for as long as they are turned to the next one. */
  #earlier: Launches | undefined;
  #asking: Promise<unknown> = Promise.resolve();

  constructor(config: LoadedConfig, options: ConsentGateOptions) {
    this.#options = options;
    this.#present = launchesOf(config, options);
  }

  readonly confirm: ConfirmLaunch = async (launch, { signal }) => {
    const key = launchKey(launch);
    const launches = [this.#present, this.#earlier].find((each) => each?.keys.has(key));
    // Not of the config: nobody can have agreed to it.
    if (launches === undefined) throw new Error('its launch is not the one of the config');
    const asked = launches.toConfirm.get(launch.server);
    if (asked === undefined || this.#isTrusted(asked)) return true;
    const { ask, store } = this.#options;
    if (ask !== undefined) {
      const isAgreed = await this.#inTurn(async () => {
        signal.throwIfAborted();
        if (this.#isTrusted(asked)) return true;
        if (!(await ask(asked))) return false;
        await store.add([asked]); // before the next question, which may be the same one
        return true;
      });
      if (isAgreed) return true;
    }
    throw new Error('you have not agreed to what it runs');
  };

  /** Whether a server is kept down until the user agrees to what it runs. */
  isWaiting(server: string): boolean {
    const launch = this.#present.toConfirm.get(server);
    return launch !== undefined && !this.#isTrusted(launch);
  }

  /** From now on servers may also be started as `config` says. @returns To be called when they are all turned to it, or none. */
  turnTo(config: LoadedConfig): { readonly done: () => void; readonly undo: () => void } {
    const earlier = this.#present;
    this.#earlier = earlier;
    this.#present = launchesOf(config, this.#options);
    return {
      done: () => {
        this.#earlier = undefined;
      },
      undo: () => {
        this.#present = earlier;
        this.#earlier = undefined;
      },
    };
  }

  #isTrusted(launch: LaunchToConfirm): boolean {
    return trustsEverything(this.#options.env) || this.#options.store.has(launch);
  }

  /** One question at a time. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#asking.then(work, work);
    this.#asking = result.catch(() => undefined);
    return result;
  }
}

interface Launches {
  readonly keys: ReadonlySet<string>;
  readonly toConfirm: ReadonlyMap<string, LaunchToConfirm>;
}

function launchesOf(config: LoadedConfig, place: LaunchPlace): Launches {
  return { keys: new Set(config.servers.map(launchKey)), toConfirm: launchesToConfirm(config, place) };
}
