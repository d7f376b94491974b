import type { Gateway } from '@x/mcp-gateway';
import type { Io } from '../command.js';

/** @returns True if all open requests have finished in time. */
export async function drain(served: Pick<Gateway, 'drain'>, drainMs: number, { stderr }: Io): Promise<boolean> {
  const isTold = drainMs > 0;
  if (isTold) stderr.write(`Shutting down. Open requests have ${drainMs / 1_000} seconds to finish.\n`);
  const isDrained = await served.drain({ timeoutMs: Math.max(1, drainMs) });
  if (!isDrained && isTold) stderr.write('warning: Some requests did not finish and were cut off.\n');
  return isDrained;
}
