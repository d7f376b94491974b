import { type FSWatcher, watch } from 'node:fs';
import { lstat, realpath, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { exists } from '@x/internal/files';

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

  async follow(paths: Iterable<string>): Promise<boolean> {
    const wanted = await directoriesOf(paths);
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

async function directoriesOf(paths: Iterable<string>): Promise<ReadonlyMap<string, WatchedDirectory>> {
  const names = new Map<string, Set<string> | 'all'>();
  const add = (path: string, isLink: boolean) => {
    const directory = dirname(path);
    const known = names.get(directory) ?? new Set<string>();
    if (known !== 'all') known.add(basename(path));
    // A link may lead through other links in the same directory, for example in a mounted volume.
    names.set(directory, isLink ? 'all' : known);
  };
  for (const path of paths) {
    const target = await targetOf(path);
    add(path, target !== undefined);
    // A directory may be missing or be replaced.
    let directory = dirname(path);
    do {
      add(directory, false);
      directory = dirname(directory);
    } while (directory !== dirname(directory) && !(await exists(directory)));
    if (target !== undefined) add(target, false);
  }

  const existing = new Map<string, WatchedDirectory>();
  for (const [directory, known] of names) {
    const found = await stat(directory).catch(() => undefined);
    if (found?.isDirectory()) existing.set(directory, { identity: `${found.dev}:${found.ino}`, names: known });
  }
  return existing;
}

/** `undefined` for other paths and broken links. */
async function targetOf(path: string): Promise<string | undefined> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isSymbolicLink() ? realpath(path).catch(() => undefined) : undefined;
}
