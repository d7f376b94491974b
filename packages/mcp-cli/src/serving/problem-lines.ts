import type { GatewayProblem } from '@x/mcp-gateway';
import type { Io } from '../command.js';
import { codeOf } from '../files.js';
import { printable, printableLine, stylesFor } from '../output/print.js';

/** Period in which a problem is printed once, in milliseconds. */
const quietMs = 60_000;
/** Remembered problems, at most. */
const maxRemembered = 1_000;
/** Lines per minute, at most. */
const maxPerMinute = 60;
const maxVerbosePerMinute = 600;

export interface ProblemLines {
  /** Prints a failure of a server, once a minute per server and reason unless verbose. */
  readonly onProblem: (problem: GatewayProblem) => void;
  /** Prints a failure between client and gateway, once a minute per error name and code unless verbose. */
  readonly onError: (error: Error) => void;
}

/** Prints failures on stderr, one per line, without secrets and control characters. */
export function problemLines(
  io: Pick<Io, 'stderr' | 'env'>,
  { redact, isVerbose, now = Date.now }: { redact(text: string): string; isVerbose: boolean; now?: () => number },
): ProblemLines {
  const { yellow, dim } = stylesFor(io.stderr as Io['stderr'], io);
  const printedAt = new Map<string, number>();
  const budget = new LineBudget(isVerbose ? maxVerbosePerMinute : maxPerMinute);
  const warn = (text: string): void => void io.stderr.write(`${yellow('warning:')} ${text}\n`);
  const print = (key: string, message: string, cause: unknown): void => {
    const time = now();
    if (!isVerbose && time - (printedAt.get(key) ?? Number.NEGATIVE_INFINITY) < quietMs) return;
    if (printedAt.size >= maxRemembered) printedAt.clear();
    printedAt.set(key, time);
    const { isLeft, isLast, leftOut } = budget.spend(time);
    if (leftOut > 0) warn(`${leftOut} more problems were not shown.`);
    if (!isLeft) return;
    warn(printableLine(redact(message), 1_000));
    if (isVerbose && cause instanceof Error) {
      io.stderr.write(`${dim(printable(redact(cause.stack ?? cause.message)))}\n`);
    }
    if (isLast) warn('There are many problems; further ones are not shown for up to a minute.');
  };
  return {
    onProblem: ({ code, server, reason, message, cause }) =>
      print(JSON.stringify([code, server, reason]), message, cause),
    // The message is no key, because it may contain client data.
    onError: (error) => {
      const code = codeOf(error) ?? '';
      const hint = hints.get(code);
      const message = hint === undefined ? error.message : `${error.message.replace(/\.$/, '')}. ${hint}`;
      print(JSON.stringify([error.name, code]), message, error);
    },
  };
}

/** Hints for errors without a remedy. */
const hints: ReadonlyMap<string, string> = new Map([
  ['client-stalled', 'The connection is closed. Restart the client and check that it reads its messages.'],
]);

/** Limits lines per minute, so that faulty clients cannot fill a disk. */
class LineBudget {
  readonly #most: number;
  #since = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** @returns `leftOut`: lines dropped in the previous minute. */
  spend(time: number): { readonly isLeft: boolean; readonly isLast: boolean; readonly leftOut: number } {
    const isOver = time - this.#since >= quietMs;
    const leftOut = isOver ? Math.max(0, this.#count - this.#most) : 0;
    if (isOver) {
      this.#since = time;
      this.#count = 0;
    }
    this.#count += 1;
    return { isLeft: this.#count <= this.#most, isLast: this.#count === this.#most, leftOut };
  }
}
