import { messageOf } from '@x/internal/errors';
import { isManagerError, type ManagerError } from '@x/mcp-client-manager';
import { formatIssue, isConfigError, type Redactor } from '@x/mcp-config-schema';
import { isRegistryError } from '@x/mcp-registry';
import { CommandError } from '../command.js';
import { fleetHint, isFleetFailure } from '../fleet/fleet-errors.js';
import { ControlError, type ControlErrorCode, type ControlErrorOptions, isControlError } from './control-error.js';
import { renameOptions } from './rename-options.js';
import { startHint } from './start-hint.js';
import { trustHint } from './trust-hint.js';

/** Stderr lines in an error, at most. */
const maxStderrLines = 10;

export interface ToControlErrorOptions {
  /** True if the servers end with the command, so that no start is retried. Default `false`. */
  readonly isOneShot?: boolean | undefined;
}

/** Converts any failure to a `ControlError`: plain data with known secrets redacted. */
export function toControlError(
  error: unknown,
  redactor: Pick<Redactor, 'redact'>,
  { isOneShot = false }: ToControlErrorOptions = {},
): ControlError {
  const { code, message, hint, details = [], retryable, rpc } = facts(error, isOneShot);
  return new ControlError(code, redactor.redact(message), {
    hint: hint === undefined ? undefined : redactor.redact(hint),
    details: details.map((line) => redactor.redact(line)),
    retryable,
    rpc,
  });
}

type Facts = { readonly code: ControlErrorCode; readonly message: string } & ControlErrorOptions;

function facts(error: unknown, isOneShot: boolean): Facts {
  if (isControlError(error)) return error;
  if (isManagerError(error)) {
    const { retryable, rpc, stderrTail, server = '<server>' } = error;
    const code = isRefusedLaunch(error) ? 'launch-refused' : error.code;
    const details = stderrTail.slice(-maxStderrLines).map((line) => `${server} | ${line}`);
    const message = renameOptions(isOneShot ? withoutOutlook(error) : error.message);
    return { code, message, hint: managerHint(error), retryable, details, rpc };
  }
  if (isRegistryError(error)) return { code: error.code, message: error.message };
  if (isFleetFailure(error)) {
    const { code, message, retryable, rpc } = error;
    return { code, message, retryable, rpc, hint: fleetHint(code) };
  }
  if (isConfigError(error)) {
    const { code, message, issues } = error;
    // The message of an invalid config contains its issues already.
    if (code === 'invalid-config') return { code, message, hint: 'Run "mcpx validate" to see the lines around it.' };
    return { code, message, details: issues.map((issue) => formatIssue(issue)) };
  }
  if (error instanceof CommandError) {
    const { message, hint, details } = error;
    return { code: 'invalid-request', message, hint, details };
  }
  if (error instanceof TypeError) return { code: 'invalid-request', message: error.message };
  return { code: 'internal', message: messageOf(error) };
}

/** True for a missing consent, also as the cause of a failed start. */
function isRefusedLaunch({ code, cause }: ManagerError): boolean {
  return (
    code === 'launch-refused' || (code === 'start-failed' && isManagerError(cause) && cause.code === 'launch-refused')
  );
}

/** The cause alone, because no attempt follows. */
function withoutOutlook({ code, cause, message }: ManagerError): string {
  if (code !== 'start-failed' || !(cause instanceof Error)) return message;
  return /[.!?]$/.test(cause.message) ? cause.message : `${cause.message}.`;
}

function managerHint(error: ManagerError): string | undefined {
  if (isRefusedLaunch(error)) return trustHint;
  if (error.code === 'auth-required') return `Run "mcpx login ${error.server ?? '<server>'}" to sign in.`;
  return error.code === 'start-failed' ? startHint(error) : undefined;
}
