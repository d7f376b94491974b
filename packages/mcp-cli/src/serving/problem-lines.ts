import type { GatewayProblem } from '@x/mcp-gateway';
import { codeOf } from '../error-code.js';
import type { Io } from '../io.js';
import { printable, printableLine } from '../output/printable.js';
import { stylesFor } from '../output/styles.js';

/** How long the same problem is not told again, in milliseconds. */
const quietMs = 60_000;
/** Most problems that are remembered: names of servers and words are few, but a config can change them. */
const maxRemembered = 1_000;
/** Most lines in a minute: what clients do wrong is not to fill the disk of whoever keeps them. */
const maxPerMinute = 60;
const maxVerbosePerMinute = 600;

export interface ProblemLines {
  /** What a server did not do. Once a minute for the same of one server, unless everything is to be shown. */
  readonly onProblem: (problem: GatewayProblem) => void;
  /** What went wrong between a client and the gateway itself. Once a minute for errors of one name and code. */
  readonly onError: (error: Error) => void;
}

/** Tells on stderr what goes wrong while serving: a line each, without secrets and without what steers a terminal. */
export function problemLines(
  io: Pick<Io, 'stderr' | 'env'>,
  { redact, isVerbose, now = Date.now }: { redact(text: string): string; isVerbose: boolean; now?: () => number },
): ProblemLines {
  const { yellow, dim } = stylesFor(io.stderr as Io['stderr'], io);
  const told = new Map<string, number>();
  const budget = new LineBudget(isVerbose ? maxVerbosePerMinute : maxPerMinute);
  const warn = (text: string): void => void io.stderr.write(`${yellow('warning:')} ${text}\n`);
  const tell = (key: string, message: string, cause: unknown): void => {
    const time = now();
    if (!isVerbose && time - (told.get(key) ?? Number.NEGATIVE_INFINITY) < quietMs) return;
    if (told.size >= maxRemembered) told.clear();
    told.set(key, time);
    const { isLeft, isLast, leftOut } = budget.take(time);
    if (leftOut > 0) warn(`${leftOut} more problems were left out.`);
    if (!isLeft) return;
    warn(printableLine(redact(message), 1_000));
    if (isVerbose && cause instanceof Error) {
      io.stderr.write(`${dim(printable(redact(cause.stack ?? cause.message)))}\n`);
    }
    if (isLast) warn('There are many problems; more of them are left out for up to a minute.');
  };
  return {
    onProblem: ({ code, server, reason, message, cause }) =>
      tell(JSON.stringify([code, server, reason]), message, cause),
    // Not by its message: that may repeat what a client has sent, which is something else each time.
    onError: (error) => {
      const code = codeOf(error) ?? '';
      const hint = hints.get(code);
      const message = hint === undefined ? error.message : `${error.message.replace(/\.$/, '')}. ${hint}`;
      tell(JSON.stringify([error.name, code]), message, error);
    },
  };
}

/** What to do about errors that say nothing of that themselves. */
const hints: ReadonlyMap<string, string> = new Map([
  ['client-stalled', 'The connection is ended. Restart the client, and see that it reads what it is sent.'],
]);

/** Lines that may be written in a minute, whatever they are of. */
class LineBudget {
  readonly #most: number;
  #since = Number.NEGATIVE_INFINITY;
  #count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  /** @returns `leftOut`: how many were in the minute before, told once. */
  take(time: number): { readonly isLeft: boolean; readonly isLast: boolean; readonly leftOut: number } {
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
