import { type FSWatcher, lstatSync, realpathSync, statSync, watch } from 'node:fs';
import { basename, dirname } from 'node:path';

/**
 * Reports events for a set of paths, existing or not. Watches directories, because a watch on a file stays with a file
 * that is replaced. May report too much or too little, so callers must also poll.
 */
export class PathWatch {
  readonly #onEvent: () => void;
  readonly #watches = new Map<string, DirectoryWatch>();

  constructor(onEvent: () => void) {
    this.#onEvent = onEvent;
  }

  /**
   * Watches the directories of these paths, and no others. Synchronous like `fs.watch`, because there may be hundreds of
   * lookups.
   *
   * @returns True for a new watch, which does not report earlier events.
   */
  follow(paths: Iterable<string>): boolean {
    const wanted = directoriesOf(paths);
    for (const [directory, watched] of this.#watches) {
      if (wanted.has(directory) && watched.identity === wanted.get(directory)?.identity) continue;
      watched.close();
      this.#watches.delete(directory);
    }
    let isNew = false;
    for (const [directory, { identity, names }] of wanted) {
      const watched = this.#watches.get(directory);
      if (watched !== undefined) watched.names = names;
      else isNew = this.#open(directory, identity, names) || isNew;
    }
    return isNew;
  }

  close(): void {
    for (const watched of this.#watches.values()) watched.close();
    this.#watches.clear();
  }

  #open(directory: string, identity: string, names: Names): boolean {
    const drop = () => {
      if (this.#watches.get(directory) === watched) this.#watches.delete(directory);
    };
    const watched = DirectoryWatch.open(directory, { identity, names, onEvent: this.#onEvent, onEnd: drop });
    if (watched !== undefined) this.#watches.set(directory, watched);
    return watched !== undefined;
  }
}

/** Relevant names of a directory; `all` if unknown. */
type Names = ReadonlySet<string> | 'all';

interface DirectoryOptions {
  readonly identity: string;
  readonly names: Names;
  readonly onEvent: () => void;
  readonly onEnd: () => void;
}

class DirectoryWatch {
  /** Identifies the directory: a removed and recreated directory differs. */
  readonly identity: string;
  names: Names;
  readonly #watcher: FSWatcher;

  /** `undefined` if the system refuses, for example without free watches. */
  static open(directory: string, options: DirectoryOptions): DirectoryWatch | undefined {
    try {
      return new DirectoryWatch(watch(directory), options);
    } catch {
      return undefined; // periodic checks must suffice
    }
  }

  constructor(watcher: FSWatcher, { identity, names, onEvent, onEnd }: DirectoryOptions) {
    this.identity = identity;
    this.names = names;
    this.#watcher = watcher;
    watcher.on('change', (_event, name) => {
      if (this.names === 'all' || name === null || this.names.has(String(name))) onEvent();
    });
    watcher.on('error', () => {
      watcher.close();
      onEnd();
      onEvent();
    });
  }

  close(): void {
    this.#watcher.close();
  }
}

interface WatchedDirectory {
  readonly identity: string;
  readonly names: Names;
}

/** Most paths are missing, and creating an error takes longer than the lookup. */
const quiet = { throwIfNoEntry: false } as const;

function directoriesOf(paths: Iterable<string>): ReadonlyMap<string, WatchedDirectory> {
  const names = new Map<string, Set<string> | 'all'>();
  const add = (path: string, isLink: boolean) => {
    const directory = dirname(path);
    const known = names.get(directory) ?? new Set<string>();
    if (known !== 'all') known.add(basename(path));
    // A link may lead through other links in the same directory, for example in a mounted volume.
    names.set(directory, isLink ? 'all' : known);
  };
  for (const path of paths) {
    const target = targetOf(path);
    add(path, target !== undefined);
    // A directory may be missing or be replaced.
    let directory = dirname(path);
    do {
      add(directory, false);
      directory = dirname(directory);
    } while (directory !== dirname(directory) && unlessFailed(() => statSync(directory, quiet)) === undefined);
    if (target !== undefined) add(target, false);
  }

  const existing = new Map<string, WatchedDirectory>();
  for (const [directory, known] of names) {
    const found = unlessFailed(() => statSync(directory, quiet));
    if (!found?.isDirectory()) continue;
    const { dev, ino, birthtimeMs } = found; // a new directory may get the number of a removed one
    existing.set(directory, { identity: `${dev}:${ino}:${birthtimeMs}`, names: known });
  }
  return existing;
}

/** `undefined` for other paths and broken links. */
function targetOf(path: string): string | undefined {
  const isLink = unlessFailed(() => lstatSync(path, quiet))?.isSymbolicLink() ?? false;
  return isLink ? unlessFailed(() => realpathSync(path)) : undefined;
}

function unlessFailed<Result>(action: () => Result): Result | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
