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
  const existing = new Map<string, Promise<boolean>>();
  const found = Array.from(paths, async (path) => ({
    path,
    target: await targetOf(path),
    parents: await changeableParents(path, existing),
  }));
  for (const { path, target, parents } of await Promise.all(found)) {
    add(path, target !== undefined);
    for (const directory of parents) add(directory, false);
    if (target !== undefined) add(target, false);
  }

  const watched = Array.from(names, async ([directory, known]) => {
    const entry = await stat(directory).catch(() => undefined);
    return entry?.isDirectory() ? [[directory, { identity: `${entry.dev}:${entry.ino}`, names: known }] as const] : [];
  });
  return new Map((await Promise.all(watched)).flat());
}

/** The directory of a path, and those above it up to the first that exists: each may be missing or be replaced. */
async function changeableParents(path: string, existing: Map<string, Promise<boolean>>): Promise<readonly string[]> {
  const parents: string[] = [];
  let directory = dirname(path);
  do {
    parents.push(directory);
    directory = dirname(directory);
    if (!existing.has(directory)) existing.set(directory, exists(directory));
  } while (directory !== dirname(directory) && !(await existing.get(directory)));
  return parents;
}

/** `undefined` for other paths and broken links. */
async function targetOf(path: string): Promise<string | undefined> {
  const found = await lstat(path).catch(() => undefined);
  return found?.isSymbolicLink() ? realpath(path).catch(() => undefined) : undefined;
}
