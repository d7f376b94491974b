import { isManagerError, type ManagerErrorCode } from '@x/mcp-client-manager';
import { formatIssue, isConfigError } from '@x/mcp-config-schema';
import { isRegistryError, type RegistryErrorCode } from '@x/mcp-registry';
import { CommandError, type ExitCode, exitCodes } from '../exit-codes.js';
import type { Io } from '../io.js';
import { printable } from './printable.js';
import { stylesFor } from './styles.js';

/** Tells a person on stderr what went wrong and what to do next. */
export function reportError(error: unknown, io: Io, { isVerbose }: { isVerbose: boolean }): ExitCode {
  if (io.signal.aborted) {
    io.stderr.write('Interrupted; every server was stopped.\n');
    return exitCodes.interrupted;
  }
  const { red, dim } = stylesFor(io.stderr, io);
  const { message, next, details, exitCode } = explain(error);
  io.stderr.write(`${red('error:')} ${printable(message)}\n`);
  for (const detail of details) io.stderr.write(`${dim(`  ${printable(detail)}`)}\n`);
  if (next) io.stderr.write(`${printable(next)}\n`);
  if (isVerbose && error instanceof Error) io.stderr.write(`${dim(printable(stackOf(error)))}\n`);
  return exitCode;
}

interface Explanation {
  readonly message: string;
  readonly exitCode: ExitCode;
  readonly details: readonly string[];
  readonly next?: string | undefined;
}

function explain(error: unknown): Explanation {
  if (error instanceof CommandError) {
    const { message, exitCode, details, hint } = error;
    return { message, exitCode, details, next: hint };
  }
  if (isConfigError(error)) {
    const details = error.issues.map((issue) => formatIssue(issue));
    return {
      message: error.message,
      exitCode: exitCodes.config,
      details: error.code === 'invalid-config' ? [] : details,
    };
  }
  if (isManagerError(error)) {
    const exitCode = managerExitCodes[error.code] ?? exitCodes.failed;
    const details = error.stderrTail.slice(-10);
    return { message: error.message, exitCode, details, next: nextSteps[exitCode] };
  }
  if (isRegistryError(error)) {
    const exitCode = registryExitCodes[error.code] ?? exitCodes.failed;
    return { message: error.message, exitCode, details: [], next: nextSteps[exitCode] };
  }
  const message = error instanceof Error ? error.message : String(error);
  return {
    message,
    exitCode: exitCodes.failed,
    details: [],
    next: 'Run it again with --verbose to see where it failed.',
  };
}

const managerExitCodes: Partial<Record<ManagerErrorCode, ExitCode>> = {
  'unknown-server': exitCodes.notFound,
  'start-failed': exitCodes.startFailed,
  'not-started': exitCodes.startFailed,
  'timed-out': exitCodes.timedOut,
};

const registryExitCodes: Partial<Record<RegistryErrorCode, ExitCode>> = {
  'unknown-tool': exitCodes.notFound,
  'invalid-arguments': exitCodes.usage,
  'invalid-pattern': exitCodes.usage,
  'invalid-query': exitCodes.usage,
  'timed-out': exitCodes.timedOut,
};

const nextSteps: Partial<Record<ExitCode, string>> = {
  [exitCodes.startFailed]: 'Run "mcpx discover <server> --verbose" to see everything that the server writes.',
  [exitCodes.notFound]: 'Run "mcpx status" to see the servers, and "mcpx search" to find tools.',
};

/** The stack with every cause below it. */
function stackOf(error: Error): string {
  const own = error.stack ?? error.message;
  return error.cause instanceof Error ? `${own}\ncaused by: ${stackOf(error.cause)}` : own;
}
