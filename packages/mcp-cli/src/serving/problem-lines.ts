import type { GatewayProblem } from '@x/mcp-registry/server';
import type { Io } from '../io.js';
import { printable, printableLine } from '../output/printable.js';
import { stylesFor } from '../output/styles.js';

/** How long the same problem is not told again, in milliseconds. */
const quietMs = 60_000;
/** Most problems that are remembered: names of servers and words are few, but a config can change them. */
const maxRemembered = 1_000;

export interface ProblemLines {
  /** What a server did not do. Once a minute for the same of one server, unless everything is to be shown. */
  readonly onProblem: (problem: GatewayProblem) => void;
  /** What went wrong between a client and the gateway itself. */
  readonly onError: (error: Error) => void;
}

/** Tells on stderr what goes wrong while serving: a line each, without secrets and without what steers a terminal. */
export function problemLines(
  io: Pick<Io, 'stderr' | 'env'>,
  { redact, isVerbose, now = Date.now }: { redact(text: string): string; isVerbose: boolean; now?: () => number },
): ProblemLines {
  const { yellow, dim } = stylesFor(io.stderr as Io['stderr'], io);
  const told = new Map<string, number>();
  const tell = (key: string, message: string, cause: unknown): void => {
    const time = now();
    if (!isVerbose && time - (told.get(key) ?? Number.NEGATIVE_INFINITY) < quietMs) return;
    if (told.size >= maxRemembered) told.clear();
    told.set(key, time);
    io.stderr.write(`${yellow('warning:')} ${printableLine(redact(message), 1_000)}\n`);
    if (isVerbose && cause instanceof Error) {
      io.stderr.write(`${dim(printable(redact(cause.stack ?? cause.message)))}\n`);
    }
  };
  return {
    onProblem: ({ code, server, reason, message, cause }) =>
      tell(JSON.stringify([code, server, reason]), message, cause),
    onError: (error) => tell(JSON.stringify([error.name, error.message]), error.message, error),
  };
}
