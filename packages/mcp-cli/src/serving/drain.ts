import type { Gateway } from '@x/mcp-gateway';
import type { Io } from '../command.js';
import { printNote } from '../output/fit.js';

/** @returns True if all open requests have finished in time. */
export async function drain(served: Pick<Gateway, 'drain'>, drainMs: number, io: Io): Promise<boolean> {
  const isTold = drainMs > 0;
  if (isTold) printNote(`Shutting down. Open requests have ${drainMs / 1_000} seconds to finish.`, io);
  const isDrained = await served.drain({ timeoutMs: Math.max(1, drainMs) });
  if (!isDrained && isTold) printNote('warning: Some requests did not finish and were cut off.', io);
  return isDrained;
}
