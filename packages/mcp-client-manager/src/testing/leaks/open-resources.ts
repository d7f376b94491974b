/**
 * How much of each kind is open in this process and keeps it alive: timers that are not unref'd, sockets, servers that
 * listen, and pipes to child processes.
 */
export type OpenResources = Readonly<Record<OpenResourceKind, number>>;

/** What can keep a process alive. */
export type OpenResourceKind = 'timer' | 'socket' | 'server' | 'pipe';

/** More of one kind than there was. */
export interface LeakedResource {
  readonly kind: OpenResourceKind;
  /** How many more. */
  readonly count: number;
}

/** As `process.getActiveResourcesInfo` has them. */
const kinds: Readonly<Record<string, OpenResourceKind>> = {
  Timeout: 'timer',
  TCPSocketWrap: 'socket',
  TCPServerWrap: 'server',
  PipeWrap: 'pipe',
};

/**
 * What is open now: the measure that `expectNoLeaks({ since })` compares with.
 *
 * Node tells how many timers there are, and not whose, so that those of a test runner count, too. They come and go: vitest
 * has one around the begin and the end of each test, for a tenth of a second. Where one is in the measure and gone later,
 * one of yours goes unnoticed; where one comes later, it is waited for. At the top of a test file, outside of its tests and
 * hooks, there is none yet, unless the file shares its process with others (`isolate: false`).
 */
export function openResources(): OpenResources {
  const open = { timer: 0, socket: 0, server: 0, pipe: 0 };
  for (const name of process.getActiveResourcesInfo()) {
    const kind = kinds[name];
    if (kind) open[kind] += 1;
  }
  return open;
}

export function openedSince(before: OpenResources): LeakedResource[] {
  const now = openResources();
  return Object.values(kinds).flatMap((kind) => {
    const count = now[kind] - before[kind];
    return count > 0 ? [{ kind, count }] : [];
  });
}
