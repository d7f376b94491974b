/**
 * Open resources by kind that keep this process alive: timers without `unref`, sockets, listening servers, and pipes to
 * child processes.
 */
export type OpenResources = Readonly<Record<OpenResourceKind, number>>;

/** Kinds of resources that keep a process alive. */
export type OpenResourceKind = 'timer' | 'socket' | 'server' | 'pipe';

/** An increase of one kind. */
export interface LeakedResource {
  readonly kind: OpenResourceKind;
  readonly count: number;
}

/** Names from `process.getActiveResourcesInfo`. */
const kinds: Readonly<Record<string, OpenResourceKind>> = {
  Timeout: 'timer',
  TCPSocketWrap: 'socket',
  TCPServerWrap: 'server',
  PipeWrap: 'pipe',
};

/**
 * Counts the open resources, for `expectNoLeaks({ since })`.
 *
 * Timers of the test runner count, too. Vitest has one around the start and end of each test, for a tenth of a second.
 * If it is counted and ends later, it hides a leak of yours. At the top of a test file, outside tests and hooks, there
 * is none, unless files share a process (`isolate: false`).
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
