import type { ProcessGroup } from '@x/internal/processes';

const stdinGraceMs = 2_000;
/** Wait after SIGKILL. Only a process stuck in the kernel needs longer. */
const killGraceMs = 2_000;
/**
 * First pause between two checks; pauses grow, because each check scans all processes. No event reports the end of a
 * group without its leader.
 */
const firstPauseMs = 10;
const maxPauseMs = 320;

interface StopTarget {
  readonly group: ProcessGroup;
  readonly exited: Promise<unknown>;
  readonly endStdin: () => void;
}

/**
 * Ends a server in the order of the specification: end of stdin, SIGTERM, SIGKILL to the whole group. Does not wait for
 * the pipes, which a grandchild may keep open.
 *
 * @returns Whether the whole group has ended.
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
