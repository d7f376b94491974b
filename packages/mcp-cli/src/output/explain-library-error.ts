import { messageOf } from '@x/internal/errors';
import { isManagerError } from '@x/mcp-client-manager';
import { isConfigError } from '@x/mcp-config-schema';
import { isRegistryError } from '@x/mcp-registry';
import { type ExitCode, exitCodes, nextSteps } from '../command.js';
import { toControlError } from '../control/to-control-error.js';

export interface Explanation {
  readonly code: string;
  readonly message: string;
  readonly exitCode: ExitCode;
  readonly details: readonly string[];
  readonly next?: string | undefined;
}

export function explainLibraryError(error: unknown): Explanation {
  if (isConfigError(error) || isManagerError(error) || isRegistryError(error)) {
    // The libraries redact the secrets that they know. Their servers end with the command.
    const known = toControlError(error, { redact: (text) => text }, { isOneShot: true });
    const { code, message, exitCode, details, hint } = known;
    return { code, message, exitCode, details, next: hint ?? nextSteps[exitCode] };
  }
  return {
    code: 'internal',
    message: messageOf(error),
    exitCode: exitCodes.failed,
    details: [],
    next: 'Run it again with --verbose to see the stack.',
  };
}
