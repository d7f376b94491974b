import { CommandError, type ExitCode, exitCodes, type Io, nextSteps } from '../command.js';
import type { Explanation } from './explain-library-error.js';
import { printNote } from './fit.js';
import { jsonPrintedTo, printable, printJsonLine, stylesFor } from './print.js';

interface ReportOptions {
  readonly isVerbose: boolean;
  /** Prints the error also on stdout, as one line of JSON, unless a document was printed there. */
  readonly isJson?: boolean | undefined;
  readonly interrupted?: string | undefined;
}

export async function reportError(
  error: unknown,
  io: Io,
  { isVerbose, isJson = false, interrupted = 'Interrupted.' }: ReportOptions,
): Promise<ExitCode> {
  if (io.signal.aborted) {
    io.stderr.write(`${interrupted}\n`);
    const exitCode = exitCodes.interrupted;
    // Output of one document per line may end after any line.
    if (isJson && jsonPrintedTo(io) !== 'lines')
      printFailure({ code: 'interrupted', message: interrupted, details: [], exitCode }, io);
    return exitCode;
  }
  const { red, dim } = stylesFor(io.stderr, io);
  const explanation = await explain(error);
  const { message, next, details, exitCode } = explanation;
  const lines = [`${red('error:')} ${printable(message)}`, ...details.map((detail) => dim(`  ${printable(detail)}`))];
  if (next) lines.push(printable(next));
  printNote(lines.join('\n'), io);
  if (isVerbose && error instanceof Error) io.stderr.write(`${dim(printable(stackOf(error)))}\n`);
  if (isJson) printFailure(explanation, io);
  return exitCode;
}

/** Reports a mistake on the command line, which the parser has printed on stderr, as JSON. */
export function reportUsage(message: string, io: Pick<Io, 'stdout'>): ExitCode {
  const exitCode = exitCodes.usage;
  printFailure({ code: 'usage', message: message.replace(/^error: /, ''), details: [], exitCode }, io);
  return exitCode;
}

function printFailure({ code, message, details, next, exitCode }: Explanation, io: Pick<Io, 'stdout'>): void {
  if (jsonPrintedTo(io) === 'document') return;
  printJsonLine({ error: { code, message, details, ...(next !== undefined && { hint: next }), exitCode } }, io);
}

/** Loads the libraries only for their own errors; errors of the daemon are plain data. */
async function explain(error: unknown): Promise<Explanation> {
  if (error instanceof CommandError) {
    const { message, exitCode, details, hint } = error;
    return { code: codeOf(error), message, exitCode, details, next: hint ?? nextSteps[exitCode] };
  }
  const { explainLibraryError } = await import('./explain-library-error.js');
  return explainLibraryError(error);
}

function codeOf(error: CommandError): string {
  if ('code' in error && typeof error.code === 'string') return error.code;
  return codeNames[error.exitCode];
}

const codeNames: Readonly<Record<ExitCode, string>> = {
  [exitCodes.ok]: 'ok',
  [exitCodes.failed]: 'failed',
  [exitCodes.usage]: 'usage',
  [exitCodes.config]: 'config',
  [exitCodes.startFailed]: 'start-failed',
  [exitCodes.notFound]: 'not-found',
  [exitCodes.timedOut]: 'timed-out',
  [exitCodes.interrupted]: 'interrupted',
};

function stackOf(error: Error): string {
  const own = error.stack ?? error.message;
  return error.cause instanceof Error ? `${own}\ncaused by: ${stackOf(error.cause)}` : own;
}
