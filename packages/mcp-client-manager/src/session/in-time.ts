import { type Context, createContext, Script } from 'node:vm';

const box: { run: (() => unknown) | undefined } = { run: undefined };
const script = new Script('run()');
let context: Context | undefined;

/** How much longer than the limit something may take on a machine that is busy with other things. */
const maxPatience = 16;

/** Thrown by what was running when its time was over. */
export class TimeOverError extends Error {
  override readonly name = 'TimeOverError';
}

/**
 * Runs something and stops it when it has had its time, wherever it is: in a loop, or in a pattern that backtracks for
 * ever. Nothing else in the language can do that. What counts is time of the processor: on a busy machine the wait is
 * extended, so that `work` may be begun more than once and must not mind.
 *
 * @throws {TimeOverError}
 */
export function inTime<T>(limitMs: number, work: () => T): T {
  for (let patience = 1; ; patience *= 2) {
    const before = process.cpuUsage();
    try {
      return runFor(limitMs * patience, work);
    } catch (error) {
      if (!isTimeout(error)) throw error;
      const { user, system } = process.cpuUsage(before);
      const hadItsTime = (user + system) / 1_000 >= limitMs / 2;
      if (hadItsTime || patience >= maxPatience) throw new TimeOverError(`it takes longer than ${limitMs} ms`);
    }
  }
}

function runFor<T>(timeout: number, work: () => T): T {
  context ??= createContext(box);
  box.run = work;
  try {
    return script.runInContext(context, { timeout }) as T;
  } finally {
    box.run = undefined;
  }
}

function isTimeout(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}
