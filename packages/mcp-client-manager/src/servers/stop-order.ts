/** How long the servers of a higher priority wait for those of a lower one when all are stopped, in milliseconds. */
const orderedForMs = 20_000;

export interface Stoppable {
  readonly priority: number;
  /** Whether others may use it. What nobody uses yet is waited for by nobody. Default `true`. */
  readonly isInUse?: boolean | undefined;
  readonly stop: () => Promise<void>;
}

/**
 * Stops those of the lowest priority first, all of one priority at once, and the next when they are gone; in the turn of
 * the call already what is not in use, so that a start that is under way comes to nothing. After 20 s the rest is stopped
 * at once: a few that are stubborn must not add up.
 *
 * @throws {AggregateError} With the reasons, when some did not stop; all were tried.
 */
export async function stopInOrder(servers: readonly Stoppable[]): Promise<void> {
  const lowestFirst = servers.toSorted((one, other) => one.priority - other.priority);
  const inUse = lowestFirst.filter(({ isInUse = true }) => isInUse);
  const unused = lowestFirst.filter((server) => !inUse.includes(server));
  const priorities = new Set(inUse.map(({ priority }) => priority));
  const results = [Promise.allSettled(unused.map(({ stop }) => stop()))];
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, orderedForMs);
  });
  for (const priority of priorities) {
    const group = inUse.filter((server) => server.priority === priority);
    const stopped = Promise.allSettled(group.map(({ stop }) => stop()));
    results.push(stopped);
    await Promise.race([stopped, over]);
  }
  const causes = (await Promise.all(results))
    .flat()
    .flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  clearTimeout(timer);
  if (causes.length > 0) throw new AggregateError(causes, `${causes.length} of ${servers.length} servers did not stop`);
}
