import type { ProcessGroup } from './process-group.js';

/** How long a server may take to leave by itself once its stdin is closed, in milliseconds. */
const stdinGraceMs = 2_000;
/** How long SIGKILL may take to show, in milliseconds; only a process stuck in the kernel needs longer. */
const killGraceMs = 2_000;
/**
 * The first and the longest pause between two looks at a group whose leader is gone, in milliseconds. No event tells when
 * it is empty. Mostly it is at once; what is not, takes longer, and each look is one at all processes of the machine.
 */
const firstPauseMs = 10;
const maxPauseMs = 320;

export interface StopTarget {
  readonly group: ProcessGroup;
  /** Settles when the leader has exited. */
  readonly exited: Promise<unknown>;
  readonly endStdin: () => void;
}

/**
 * Ends a server the way the specification asks: close stdin, then SIGTERM, then SIGKILL to the whole group. Waits for
 * the group to be gone, not for the pipes to close: a grandchild may hold those open for ever.
 *
 * @returns Whether nothing of the group is left.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/lifecycle#shutdown
 */
export async function stopProcess(
  { group, exited, endStdin }: StopTarget,
  { shutdownTimeoutMs }: { shutdownTimeoutMs: number },
): Promise<boolean> {
  const steps = [
    { act: endStdin, graceMs: stdinGraceMs },
    { act: () => group.signal('SIGTERM'), graceMs: shutdownTimeoutMs },
    { act: () => group.signal('SIGKILL'), graceMs: killGraceMs },
  ];
  let isGone = false;
  for (const { act, graceMs } of steps) {
    if (isGone) break;
    act();
    isGone = await isGoneWithin(graceMs, { group, exited });
  }
  if (isGone) group.release();
  return isGone;
}

async function isGoneWithin(
  graceMs: number,
  { group, exited }: Pick<StopTarget, 'group' | 'exited'>,
): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  let isOver = false;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      isOver = true;
      resolve();
    }, graceMs);
  });
  await Promise.race([exited, over]);
  let isAlive = await group.isAlive();
  for (let pauseMs = firstPauseMs; isAlive && !isOver; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
    await Promise.race([over, new Promise((resolve) => setTimeout(resolve, pauseMs))]);
    isAlive = await group.isAlive();
  }
  clearTimeout(timer);
  return !isAlive;
}
