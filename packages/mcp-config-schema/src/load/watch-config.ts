import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { fileVersion } from '@x/internal/files';
import { optionTable } from '@x/internal/options';
import { createRedactor, type Redactor } from '@x/internal/secrets';
import type { Config } from '../config.js';
import { type ConfigError, isConfigError } from '../errors.js';
import type { ConfigIssue } from '../issues.js';
import { checkReadFiles, type FilesCheck } from './check-read-files.js';
import { type LoadedConfig, loadedOf } from './load-config.js';
import { type LoadOptions, type LoadPolicy, loadRows, requireOptions, resolveLoad } from './load-options.js';
import { type ReadFiles, readFiles } from './read-files.js';
import { Wakeup } from './wakeup.js';
import { PathWatch } from './watch-paths.js';

/** Options of `watchConfig`. */
export interface WatchOptions extends LoadOptions {
  /** Ends the iteration without an error. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Time without events before the files are read, in milliseconds. Default 100, 10 to 10,000. An edit with invalid
   * content, or without a server of the last `config`, is reported after five times as long: another program may still
   * be writing.
   */
  readonly quietMs?: number | undefined;
  /** Interval of checks without an event, in milliseconds. Default 5,000, 50 to 3,600,000. */
  readonly checkIntervalMs?: number | undefined;
  /** More files, existing or not, relative to `cwd`. A write to one yields an item, too. Default: none. */
  readonly otherFiles?: readonly string[] | undefined;
}

/** The changes of config files, from `watchConfig`. */
export interface ConfigWatch extends AsyncGenerator<ConfigChange, void, void> {
  /**
   * Resolves when all earlier writes are read, also those that the system has not reported yet, and their items are
   * processed, that is, when the consumer waits for the next item. Also resolves at the end.
   */
  settled(): Promise<void>;
}

/** A config after a change of its files. */
export interface ConfigChange {
  /** The last configuration without an error; `undefined` before the first one. */
  readonly config: LoadedConfig | undefined;
  /** The present configuration without faulty servers. `undefined` if an error may affect others. */
  readonly partial: Config | undefined;
  /** True if `config` is the present content. If not, `issues` or `error` has the reason. */
  readonly isCurrent: boolean;
  /** False if only `otherFiles` have changed since the last item. */
  readonly isChanged: boolean;
  readonly issues: readonly ConfigIssue[];
  /** `config-not-found` or `unreadable`: there was nothing to check. */
  readonly error?: ConfigError | undefined;
  /** For `formatIssue`, by file name. */
  readonly texts: ReadonlyMap<string, string>;
  /** Redacts values of variables in the texts. */
  readonly redactor: Redactor;
}

/**
 * Yields the configuration and each later change of content; also invalid content, with its issues and the last valid
 * `config`. Combines changes while an item is processed. Ends with `signal` or with the loop.
 *
 * @throws {TypeError} An option is misspelled or invalid.
 */
export function watchConfig(options: WatchOptions = {}): ConfigWatch {
  requireOptions('watchConfig', options);
  const { signal, quietMs, checkIntervalMs, otherFiles = [], ...load } = watchOptions.read(options);
  const wakeup = new Wakeup();
  const finish = () => {
    wakeup.end();
    signal?.removeEventListener('abort', finish);
  };
  if (signal?.aborted) wakeup.end();
  else signal?.addEventListener('abort', finish);

  const seen = new SeenFiles();
  const changes = follow(load, { quietMs, checkIntervalMs, otherFiles }, { wakeup, seen });
  const next = () => changes.next().finally(() => wakeup.isOver && finish());
  // Also ends a pending `next`; the `return` of a generator would wait for the next change.
  const end = () => {
    finish();
    return changes.return();
  };
  return {
    next,
    settled: async () => ((await seen.areCurrent()) ? wakeup.finished() : wakeup.notifyAndFinish()),
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

/** For a file that never becomes sound and changes without end. */
const maxWaits = 3;

async function* follow(
  options: LoadOptions,
  how: How,
  { wakeup, seen }: Omit<Following, 'paths'>,
): AsyncGenerator<ConfigChange, void, void> {
  const paths = new PathWatch(wakeup.notify);
  try {
    const observer = new FilesObserver(await resolveLoad(options), how.otherFiles);
    let config: LoadedConfig | undefined;
    let reported: Observation | undefined;
    let suspect: string | undefined;
    let waits = 0;
    while (!wakeup.isOver) {
      const observation = await observeWatched(observer, { paths, seen, wakeup });
      if (wakeup.isOver) return;
      const { digest } = observation;
      const isChanged = digest !== reported?.digest;
      const isDue = digest === suspect || waits === maxWaits;
      if (reported && isChanged && !isDue && isSuspect(observation, config)) {
        suspect = digest;
        waits++;
        await wakeup.pause(5 * how.quietMs);
        continue;
      }
      suspect = undefined;
      waits = 0;
      if (isChanged || observation.others !== reported?.others) {
        reported = observation;
        const change = changeOf(observation, config);
        config = change.config;
        yield { ...change, isChanged };
      }
      await wakeup.idle({ timeoutMs: how.checkIntervalMs, quietMs: how.quietMs });
    }
  } finally {
    paths.close();
    wakeup.end();
  }
}

interface Following {
  readonly paths: PathWatch;
  readonly seen: SeenFiles;
  readonly wakeup: Wakeup;
}

/** Reads until every path was watched, and had a known version, before the reading. */
async function observeWatched(observer: FilesObserver, { paths, seen, wakeup }: Following): Promise<Observation> {
  for (let isFollowed = false; ; isFollowed = true) {
    await seen.look();
    const observation = await observer.observe();
    const hasNewPaths = seen.follow(observation.triedPaths);
    const hasNewWatch = (hasNewPaths || !isFollowed) && paths.follow(observation.triedPaths);
    if (wakeup.isOver || !(hasNewPaths || hasNewWatch)) return observation;
  }
}

/** True for content that a half-written file may have. */
function isSuspect({ outcome }: Observation, lastValid: LoadedConfig | undefined): boolean {
  if (isConfigError(outcome) || outcome.config === undefined) return true;
  const names = new Set(outcome.config.servers.map(({ name }) => name));
  return lastValid?.servers.some(({ name }) => !names.has(name)) ?? false;
}

function changeOf({ outcome }: Observation, lastValid: LoadedConfig | undefined): Omit<ConfigChange, 'isChanged'> {
  if (isConfigError(outcome)) {
    const nothing = { issues: [], texts: new Map(), redactor: createRedactor() };
    return { ...nothing, config: lastValid, partial: undefined, isCurrent: false, error: outcome };
  }
  const { partial, issues, texts, redactor } = outcome;
  const config = loadedOf(outcome);
  return { config: config ?? lastValid, partial, isCurrent: config !== undefined, issues, texts, redactor };
}

const watchOptions = optionTable<WatchOptions>()({
  ...loadRows,
  signal: { kind: 'signal' },
  quietMs: { kind: 'number', of: 'milliseconds', min: 10, max: 10_000, default: 100 },
  checkIntervalMs: { kind: 'number', of: 'milliseconds', min: 50, max: 3_600_000, default: 5_000 },
  otherFiles: {
    kind: 'other',
    check: (files) =>
      Array.isArray(files) && files.every((file) => typeof file === 'string') ? undefined : 'a list of paths',
  },
});

type How = Pick<ReturnType<(typeof watchOptions)['read']>, 'quietMs' | 'checkIntervalMs'> & {
  readonly otherFiles: readonly string[];
};

interface Observation {
  /** Equal for equal contents, files and issues. */
  readonly digest: string;
  /** Equal while the other files are the same. */
  readonly others: string;
  /** Paths that affect the result. */
  readonly triedPaths: ReadonlySet<string>;
  readonly outcome: FilesCheck | ConfigError;
}

/** Checks only after a change. */
class FilesObserver {
  readonly #policy: LoadPolicy;
  readonly #otherFiles: readonly string[];
  #last: { readonly key: string; readonly check: FilesCheck } | undefined;

  constructor(policy: LoadPolicy, otherFiles: readonly string[]) {
    this.#policy = policy;
    this.#otherFiles = otherFiles.map((file) => resolve(policy.cwd, file));
  }

  async observe(): Promise<Observation> {
    const triedPaths = new Set(this.#otherFiles);
    const others = (await Promise.all(this.#otherFiles.map(fileVersion))).join(' ');
    const read = await readFiles(this.#policy, triedPaths).catch((error: unknown) => {
      if (isConfigError(error)) return error;
      throw error;
    });
    if (isConfigError(read)) {
      return { digest: hashOf([read.code, read.message]), others, triedPaths, outcome: read };
    }
    const check = await this.#check(read);
    const contents = [
      ...read.files.flatMap(({ layer, path, text }) => [layer, path, text]),
      ...read.envFiles.flatMap(({ root, text }) => [root, text]),
      JSON.stringify(read.namedEnv.values),
    ];
    return { digest: hashOf([...contents, JSON.stringify(check.issues)]), others, triedPaths, outcome: check };
  }

  async #check(read: ReadFiles): Promise<FilesCheck> {
    const key = hashOf([JSON.stringify(read)]);
    if (this.#last?.key !== key) this.#last = { key, check: await checkReadFiles(read, this.#policy) };
    return this.#last.check;
  }
}

/** The versions of the files at the last reading. */
class SeenFiles {
  #versions: ReadonlyMap<string, string> = new Map();

  async look(): Promise<void> {
    this.#versions = await versionsOf(this.#versions.keys());
  }

  /** Forgets all other paths. @returns True for new paths, whose versions at the reading are unknown. */
  follow(paths: ReadonlySet<string>): boolean {
    const known = this.#versions;
    this.#versions = new Map(Array.from(paths, (path) => [path, known.get(path) ?? 'unknown'] as const));
    return [...paths].some((path) => !known.has(path));
  }

  async areCurrent(): Promise<boolean> {
    const seen = this.#versions;
    const present = await versionsOf(seen.keys());
    return [...seen].every(([path, version]) => present.get(path) === version);
  }
}

async function versionsOf(paths: Iterable<string>): Promise<ReadonlyMap<string, string>> {
  return new Map(await Promise.all(Array.from(paths, async (path) => [path, await fileVersion(path)] as const)));
}

function hashOf(texts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const text of texts) hash.update(`${text.length}:${text}`);
  return hash.digest('base64');
}
