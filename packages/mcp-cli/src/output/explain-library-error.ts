import { isManagerError, type ManagerErrorCode } from '@x/mcp-client-manager';
import { formatIssue, isConfigError } from '@x/mcp-config-schema';
import { isRegistryError, type RegistryErrorCode } from '@x/mcp-registry';
import { type ExitCode, exitCodes } from '../exit-codes.js';
import { nextSteps } from './next-steps.js';

export interface Explanation {
  readonly code: string;
  readonly message: string;
  readonly exitCode: ExitCode;
  readonly details: readonly string[];
  readonly next?: string | undefined;
}

/** What a failure of the libraries means to a person, and anything that nobody foresaw. */
export function explainLibraryError(error: unknown): Explanation {
  if (isConfigError(error)) {
    const details = error.issues.map((issue) => formatIssue(issue));
    return {
      code: error.code,
      message: error.message,
      exitCode: exitCodes.config,
      details: error.code === 'invalid-config' ? [] : details,
      next: error.code === 'invalid-config' ? 'Run "mcpx validate" to see the lines around it.' : undefined,
    };
  }
  if (isManagerError(error)) {
    const exitCode = managerExitCodes[error.code] ?? exitCodes.failed;
    const details = error.stderrTail.slice(-10);
    const signIn =
      error.code === 'auth-required' ? `Run "mcpx login ${error.server ?? '<server>'}" to sign in.` : undefined;
    return { code: error.code, message: error.message, exitCode, details, next: signIn ?? nextSteps[exitCode] };
  }
  if (isRegistryError(error)) {
    const exitCode = registryExitCodes[error.code] ?? exitCodes.failed;
    return { code: error.code, message: error.message, exitCode, details: [], next: nextSteps[exitCode] };
  }
  const message = error instanceof Error ? error.message : String(error);
  return {
    code: 'internal',
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
