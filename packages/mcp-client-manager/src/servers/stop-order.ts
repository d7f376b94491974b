const orderedForMs = 20_000;

export interface Stoppable {
  readonly priority: number;
  /** True if other servers may use it. Nothing waits for starting servers. Default `true`. */
  readonly isInUse?: boolean | undefined;
  readonly stop: () => Promise<void>;
}

/**
 * Stops servers by priority, lowest first; unused servers at once, which cancels starts in progress. After 20 s all
 * remaining servers stop at once, so that slow stops do not add up.
 *
 * @throws {AggregateError} With the reasons, when some servers did not stop; all were tried.
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
