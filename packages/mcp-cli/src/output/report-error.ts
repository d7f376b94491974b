import { CommandError, type ExitCode, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';
import type { Explanation } from './explain-library-error.js';
import { nextSteps } from './next-steps.js';
import { printable } from './printable.js';
import { stylesFor } from './styles.js';

export interface ReportOptions {
  readonly isVerbose: boolean;
  /** What an interruption is told with. */
  readonly interrupted?: string | undefined;
}

/** Tells a person on stderr what went wrong and what to do next. */
export async function reportError(
  error: unknown,
  io: Io,
  { isVerbose, interrupted = 'Interrupted.' }: ReportOptions,
): Promise<ExitCode> {
  if (io.signal.aborted) {
    io.stderr.write(`${interrupted}\n`);
    return exitCodes.interrupted;
  }
  const { red, dim } = stylesFor(io.stderr, io);
  const { message, next, details, exitCode } = await explain(error);
  io.stderr.write(`${red('error:')} ${printable(message)}\n`);
  for (const detail of details) io.stderr.write(`${dim(`  ${printable(detail)}`)}\n`);
  if (next) io.stderr.write(`${printable(next)}\n`);
  if (isVerbose && error instanceof Error) io.stderr.write(`${dim(printable(stackOf(error)))}\n`);
  return exitCode;
}

/** The libraries are loaded only for failures of their own: the daemon's come as plain data. */
async function explain(error: unknown): Promise<Explanation> {
  if (error instanceof CommandError) {
    const { message, exitCode, details, hint } = error;
    return { message, exitCode, details, next: hint ?? nextSteps[exitCode] };
  }
  const { explainLibraryError } = await import('./explain-library-error.js');
  return explainLibraryError(error);
}

/** The stack with every cause below it. */
function stackOf(error: Error): string {
  const own = error.stack ?? error.message;
  return error.cause instanceof Error ? `${own}\ncaused by: ${stackOf(error.cause)}` : own;
}
