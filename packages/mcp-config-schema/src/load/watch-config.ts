import { optionTable } from '@x/internal/options';
import { createRedactor, type Redactor } from '@x/internal/secrets';
import type { Config } from '../config.js';
import { type ConfigError, isConfigError } from '../errors.js';
import type { ConfigIssue } from '../issues.js';
import { type LoadOptions, loadRows, resolveLoad } from './load-options.js';
import { FilesObserver, type Observation } from './observe-files.js';
import { Wakeup } from './wakeup.js';
import { PathWatch } from './watch-paths.js';

/** What is watched, and how long a burst of writes may take. */
export interface WatchOptions extends LoadOptions {
  /** Ends the iteration, without an error. */
  readonly signal?: AbortSignal | undefined;
  /**
   * How long nothing must have happened before the files are read, in milliseconds, so that a burst of writes is one
   * change. Default 100, 10 to 10 000. What is broken has to stay so for five times as long before it is reported: it is
   * usually a file that another program is just writing.
   */
  readonly quietMs?: number | undefined;
  /** Time between two looks at the files without any event, in milliseconds. Default 5 000, 50 to 3 600 000. */
  readonly checkIntervalMs?: number | undefined;
}

/** What the files say from now on. */
export interface ConfigChange {
  /** The last configuration without an error; `undefined` while there was none. */
  readonly config: Config | undefined;
  /**
   * What the files say now without the servers that have an error, for a program that would rather run the others than
   * wait. `undefined` when the error may be about more than single servers, or there was nothing to check.
   */
  readonly partial: Config | undefined;
  /** Whether `config` is what the files say now. If not, `issues` or `error` tells what is wrong with them. */
  readonly isCurrent: boolean;
  readonly issues: readonly ConfigIssue[];
  /** Why there was nothing to check: `config-not-found` or `unreadable`. */
  readonly error?: ConfigError | undefined;
  /** What was read, by the name that issues use; for `formatIssue`. */
  readonly texts: ReadonlyMap<string, string>;
  /** Knows the values of variables that became part of what was read. */
  readonly redactor: Redactor;
}

/**
 * Follows the configuration that `loadConfig` would load. The first item is what is there at the start; then one comes
 * for each real change of contents, with issues too when the new contents are broken, while `config` stays what it was.
 * Changes that come while an item is being dealt with are one. Ends with `signal` or with the loop, and then watches
 * nothing any more.
 *
 * @throws {TypeError} An option is misspelt or makes no sense.
 */
export function watchConfig(options: WatchOptions = {}): AsyncGenerator<ConfigChange, void, void> {
  const { signal, quietMs, checkIntervalMs, ...load } = watchOptions.read(options);
  const wakeup = new Wakeup();
  const finish = () => {
    wakeup.end();
    signal?.removeEventListener('abort', finish);
  };
  if (signal?.aborted) wakeup.end();
  else signal?.addEventListener('abort', finish);

  const changes = follow(load, { quietMs, checkIntervalMs }, wakeup);
  const next = () => changes.next().finally(() => wakeup.isOver && finish());
  // Ends a `next` that is still waiting, too; left to itself, a generator lets both wait for the next change.
  const end = () => {
    finish();
    return changes.return();
  };
  return {
    next,
    return: end,
    throw: (error) => {
      finish();
      return changes.throw(error);
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    async [Symbol.asyncDispose]() {
      await end();
    },
  };
}

async function* follow(options: LoadOptions, timing: Timing, wakeup: Wakeup): AsyncGenerator<ConfigChange, void, void> {
  const paths = new PathWatch(wakeup.notify);
  try {
    const observer = new FilesObserver(await resolveLoad(options));
    let config: Config | undefined;
    let reported: string | undefined;
    let suspect: string | undefined;
    while (!wakeup.isOver) {
      const observation = await observer.observe();
      const { digest, lookedAt } = observation;
      // What happened before a watch was there is not told by it.
      if (await paths.follow(lookedAt)) wakeup.notify();
      if (wakeup.isOver) return;
      if (isBroken(observation) && digest !== reported && digest !== suspect) {
        suspect = digest;
        await wakeup.rest(5 * timing.quietMs);
        continue;
      }
      suspect = undefined;
      if (digest !== reported) {
        reported = digest;
        const change = changeOf(observation, config);
        config = change.config;
        yield change;
      }
      await nextEvent(wakeup, timing);
    }
  } finally {
    paths.close();
    wakeup.end();
  }
}

/** Waits until something may have happened and then until nothing more does, or until it is time to look anyway. */
async function nextEvent(wakeup: Wakeup, { quietMs, checkIntervalMs }: Timing): Promise<void> {
  if (!(await wakeup.wait(checkIntervalMs))) return;
  // A directory where something happens all the time must not keep a change from being seen.
  for (let bursts = 0; bursts < 20; bursts++) if (!(await wakeup.wait(quietMs))) return;
}

function isBroken({ outcome }: Observation): boolean {
  return isConfigError(outcome) || outcome.config === undefined;
}

function changeOf({ outcome }: Observation, lastGood: Config | undefined): ConfigChange {
  if (isConfigError(outcome)) {
    const nothing = { issues: [], texts: new Map(), redactor: createRedactor() };
    return { ...nothing, config: lastGood, partial: undefined, isCurrent: false, error: outcome };
  }
  const { config, partial, issues, texts, redactor } = outcome;
  return { config: config ?? lastGood, partial, isCurrent: config !== undefined, issues, texts, redactor };
}

const watchOptions = optionTable<WatchOptions>()({
  ...loadRows,
  signal: { kind: 'object' },
  quietMs: { kind: 'number', of: 'milliseconds', min: 10, max: 10_000, default: 100 },
  checkIntervalMs: { kind: 'number', of: 'milliseconds', min: 50, max: 3_600_000, default: 5_000 },
});

type Timing = Pick<ReturnType<(typeof watchOptions)['read']>, 'quietMs' | 'checkIntervalMs'>;
