import { sequence } from '@x/internal/async';
import type { LoadedConfig } from '../load/load-config.js';
import { type ConsentStore, consentKey } from './consent-store.js';
import {
  type LaunchPlace,
  type LaunchToConfirm,
  launchesToConfirm,
  launchKey,
  type RequestedLaunch,
} from './launches.js';

/** Asks the user. `signal` aborts when the start is no longer needed, so that a dialog can close. */
export type AskConsent = (
  launch: LaunchToConfirm,
  options: { readonly signal: AbortSignal },
) => boolean | Promise<boolean>;

/** Options of a consent gate. */
export interface ConsentGateOptions extends LaunchPlace {
  readonly store: ConsentStore;
  /** Launches with unstored consent: all of the config, or those with these keys. Default: none. */
  readonly trusted?: 'all' | readonly string[] | undefined;
  /** Prompts the user. Default: launches without consent are refused. */
  readonly ask?: AskConsent | undefined;
}

/** Lets a server of a project start only with the user's consent to exactly this launch. */
export interface ConsentGate {
  /**
   * Option `confirmLaunch` of a client manager.
   *
   * @throws {Error} The launch has no consent, or is none of the config.
   */
  readonly confirm: (launch: RequestedLaunch, options: { readonly signal: AbortSignal }) => Promise<boolean>;
  /** True while the server lacks consent. */
  isWaiting(server: string): boolean;
  /** Gives unstored consent to the current launches of these servers. Default: all. */
  trust(servers?: readonly string[]): void;
  /** Keys of launches with unstored consent. */
  readonly trusted: readonly string[];
  /** Allows launches of `config` besides those of the current config. */
  switchTo(config: LoadedConfig): ConsentTransition;
}

/** A gate for the servers of `config`. */
export function createConsentGate(config: LoadedConfig, options: ConsentGateOptions): ConsentGate {
  return new ConfigGate(config, options);
}

class ConfigGate implements ConsentGate {
  readonly #options: ConsentGateOptions;
  /** A changed launch has another key. */
  readonly #trusted: Set<string>;
  #current: Launches;
  /** Previous configs, each of which stays valid while servers change to the next one. */
  readonly #earlier = new Set<Launches>();
  readonly #inSequence = sequence();

  constructor(config: LoadedConfig, options: ConsentGateOptions) {
    const { trusted = [] } = options;
    this.#options = options;
    this.#current = launchesOf(config, options);
    this.#trusted = new Set(trusted === 'all' ? [] : trusted);
    if (trusted === 'all') this.trust();
  }

  get trusted(): readonly string[] {
    return [...this.#trusted];
  }

  trust(servers?: readonly string[]): void {
    for (const launch of this.#current.toConfirm.values()) {
      if (servers?.includes(launch.server) ?? true) this.#trusted.add(consentKey(launch));
    }
  }

  readonly confirm: ConsentGate['confirm'] = async (launch, { signal }) => {
    const key = launchKey(launch);
    const launches = [this.#current, ...this.#earlier].find(({ keys }) => keys.get(launch.server) === key);
    // A launch outside the config cannot have consent.
    if (launches === undefined) throw new Error('its launch differs from the config');
    const asked = launches.toConfirm.get(launch.server);
    if (asked === undefined || this.#isTrusted(asked)) return true;
    const { ask, store } = this.#options;
    if (ask !== undefined) {
      const isAgreed = await this.#inSequence(async () => {
        signal.throwIfAborted();
        if (this.#isTrusted(asked)) return true;
        if ((await ask(asked, { signal })) !== true) return false; // a JavaScript host may return anything
        await store.add([asked]); // before the next prompt, which may be for the same launch
        return true;
      });
      if (isAgreed) return true;
    }
    throw new Error(
      asked.isRemote ? 'you have not given consent to connect to it' : 'you have not given consent to what it runs',
    );
  };

  isWaiting(server: string): boolean {
    const launch = this.#current.toConfirm.get(server);
    return launch !== undefined && !this.#isTrusted(launch);
  }

  switchTo(config: LoadedConfig): ConsentTransition {
    const earlier = this.#current;
    this.#earlier.add(earlier);
    this.#current = launchesOf(config, this.#options);
    return {
      withdrawn: () => this.#withdrawn(earlier),
      done: () => {
        this.#earlier.delete(earlier);
      },
      undo: () => {
        this.#current = earlier;
        this.#earlier.delete(earlier);
      },
    };
  }

  #withdrawn(earlier: Launches): readonly string[] {
    const { keys, toConfirm } = this.#current;
    const isSameLaunch = (server: string): boolean => keys.get(server) === earlier.keys.get(server);
    return [...toConfirm.keys()].filter((server) => isSameLaunch(server) && this.isWaiting(server));
  }

  #isTrusted(launch: LaunchToConfirm): boolean {
    return this.#trusted.has(consentKey(launch)) || this.#options.store.has(launch);
  }
}

/** A transition from one config to the next. */
export interface ConsentTransition {
  /** Names of servers that must stop: their launch is unchanged, but other parts of the entry lack consent. */
  readonly withdrawn: () => readonly string[];
  /** Call it when all servers have the next config. */
  readonly done: () => void;
  /** Call it when no server has it, before any further transition. */
  readonly undo: () => void;
}

interface Launches {
  /** By server. */
  readonly keys: ReadonlyMap<string, string>;
  readonly toConfirm: ReadonlyMap<string, LaunchToConfirm>;
}

function launchesOf(config: LoadedConfig, place: LaunchPlace): Launches {
  return {
    keys: new Map(config.servers.map((server) => [server.name, launchKey(server)])),
    toConfirm: launchesToConfirm(config, place),
  };
}
