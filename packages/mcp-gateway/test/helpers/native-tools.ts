import type { Registry } from '@x/mcp-registry';

/** One tool for each thing that may happen to a call. */
export function registerNativeTools(registry: Registry): void {
  registry.register(
    {
      name: 'echo',
      title: 'Echo',
      description: 'Gives back what it is given',
      inputSchema: { type: 'object', properties: { text: { type: 'string', 'x-kept': [1] } }, required: ['text'] },
      outputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
      annotations: { readOnlyHint: true },
    },
    ({ text }) => ({ text }),
  );
  registry.register({ name: 'fail', description: 'Fails' }, () => {
    throw new Error('it failed as it always does');
  });
  let proceed = () => {};
  registry.register(
    { name: 'count', description: 'Reports progress until it may proceed' },
    async (_, { reportProgress }) => {
      const proceeded = new Promise<void>((resolve) => (proceed = resolve));
      for (const progress of [1, 2, 3]) reportProgress({ progress, total: 3, message: `step ${progress}` });
      await proceeded;
      return 'counted';
    },
  );
  registry.register({ name: 'proceed', description: 'Lets count come to its end' }, () => proceed());
  registry.register({ name: 'grow', description: 'Adds a tool' }, () => {
    registry.register({ name: 'grown', description: 'Was added' }, () => 'here');
    return 'grew';
  });

  let cancel = () => {};
  const cancelled = new Promise<void>((resolve) => (cancel = resolve));
  registry.register({ name: 'wait', description: 'Waits until it is cancelled' }, (_, { signal, reportProgress }) => {
    signal.addEventListener('abort', () => cancel());
    reportProgress({ progress: 0, message: 'waiting' });
    return new Promise(() => {});
  });
  registry.register({ name: 'cancelled', description: 'Waits until wait was cancelled' }, async () => {
    await cancelled;
    return 'it was';
  });
  registry.register({ name: 'trace', description: 'Returns its trace context' }, (_, { meta }) => ({
    traceparent: meta.traceparent,
    progressToken: meta.progressToken,
  }));
  registry.register({ name: 'odd', description: 'Gives what is no result' }, () => ({
    content: [{ type: 'no such type' }],
  }));
}
