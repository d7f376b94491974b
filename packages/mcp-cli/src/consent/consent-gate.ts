import type { ConfirmLaunch } from '@x/mcp-client-manager';
import type { LoadedConfig } from '@x/mcp-config-schema/load';
import { type ConsentStore, consentKey } from './consent-store.js';
import { type LaunchPlace, type LaunchToConfirm, launchesToConfirm, launchKey } from './launches.js';

export interface ConsentGateOptions extends LaunchPlace {
  readonly store: ConsentStore;
  /**
   * Agrees for the life of the gate, without keeping it: to all that the config says at the start, or to the launches with
   * these keys. Default: to nothing.
   */
  readonly trusted?: 'all' | readonly string[] | undefined;
  /** Asks a person. Left out: nobody is there, and what was not agreed to is refused. */
  readonly ask?: ((launch: LaunchToConfirm) => Promise<boolean>) | undefined;
}

/** Lets a server of a project start only when the user has agreed to exactly what it runs. */
export class ConsentGate {
  readonly #options: ConsentGateOptions;
  /** Keys of launches that a command agreed to with `MCPX_TRUST=1`. A changed line has another key. */
  readonly #trusted: Set<string>;
  #present: Launches;
  /** Servers keep to the config before for as long as they are turned to the next one. */
  #earlier: Launches | undefined;
  #asking: Promise<unknown> = Promise.resolve();

  constructor(config: LoadedConfig, options: ConsentGateOptions) {
    const { trusted = [] } = options;
    this.#options = options;
    this.#present = launchesOf(config, options);
    this.#trusted = new Set(trusted === 'all' ? [] : trusted);
    if (trusted === 'all') this.trust();
  }

  /** Keys of what is agreed to without being kept. */
  get trusted(): readonly string[] {
    return [...this.#trusted];
  }

  /** Agrees to what these servers are as the config says it now, for the life of the gate. Default: to all of them. */
  trust(servers?: readonly string[]): void {
    for (const launch of this.#present.toConfirm.values()) {
      if (servers?.includes(launch.server) ?? true) this.#trusted.add(consentKey(launch));
    }
  }

  readonly confirm: ConfirmLaunch = async (launch, { signal }) => {
    const key = launchKey(launch);
    const launches = [this.#present, this.#earlier].find((each) => each?.keys.get(launch.server) === key);
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
    throw new Error(asked.isRemote ? 'you have not agreed to connect to it' : 'you have not agreed to what it runs');
  };

  /** Whether a server is kept down until the user agrees to what it runs. */
  isWaiting(server: string): boolean {
    const launch = this.#present.toConfirm.get(server);
    return launch !== undefined && !this.#isTrusted(launch);
  }

  /** From now on servers may also be started as `config` says. */
  turnTo(config: LoadedConfig): ConsentTurn {
    const earlier = this.#present;
    this.#earlier = earlier;
    this.#present = launchesOf(config, this.#options);
    return {
      withdrawn: () => this.#withdrawn(earlier),
      done: () => {
        this.#earlier = undefined;
      },
      undo: () => {
        this.#present = earlier;
        this.#earlier = undefined;
      },
    };
  }

  /** Servers that are launched as before, and about which the entry says something else that the user has not agreed to. */
  #withdrawn(earlier: Launches): readonly string[] {
    const { keys, toConfirm } = this.#present;
    const isSameLaunch = (server: string): boolean => keys.get(server) === earlier.keys.get(server);
    return [...toConfirm.keys()].filter((server) => isSameLaunch(server) && this.isWaiting(server));
  }

  #isTrusted(launch: LaunchToConfirm): boolean {
    return this.#trusted.has(consentKey(launch)) || this.#options.store.has(launch);
  }

  /** One question at a time. */
  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#asking.then(work, work);
    this.#asking = result.catch(() => undefined);
    return result;
  }
}

/** The way from one config to the next. */
export interface ConsentTurn {
  /** Names of the servers that may not go on, if they run: their launch is the same, and what else was agreed to is not. */
  readonly withdrawn: () => readonly string[];
  /** To be called when all servers are turned to the next config. */
  readonly done: () => void;
  /** To be called when none is. */
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
