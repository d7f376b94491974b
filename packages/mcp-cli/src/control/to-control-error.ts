import { isManagerError } from '@x/mcp-client-manager';
import { formatIssue, isConfigError, type Redactor } from '@x/mcp-config-schema';
import { isRegistryError, type RegistryError } from '@x/mcp-registry';
import { CommandError } from '../exit-codes.js';
import { ControlError, type ControlErrorCode, type ControlErrorOptions, isControlError } from './control-error.js';

/** Most lines of a server's stderr that go along with a failure. */
const maxStderrLines = 10;

/** The failure as a command is told of it: with known secrets starred out, and nothing but text. */
export function toControlError(error: unknown, redactor: Pick<Redactor, 'redact'>): ControlError {
  const { code, message, hint, details = [], retryable } = facts(error);
  return new ControlError(code, redactor.redact(message), {
    hint: hint === undefined ? undefined : redactor.redact(hint),
    details: details.map((line) => redactor.redact(line)),
    retryable,
  });
}

type Facts = { readonly code: ControlErrorCode; readonly message: string } & ControlErrorOptions;

function facts(error: unknown): Facts {
  if (isControlError(error)) return error;
  if (isManagerError(error)) {
    const { code, message, retryable, stderrTail, server = '<server>' } = error;
    const hint = code === 'auth-required' ? `Run "mcpx login ${server}" to sign in.` : undefined;
    return { code, message, hint, retryable, details: stderrTail.slice(-maxStderrLines) };
  }
  if (isRegistryError(error)) return { code: error.code, message: error.message, details: faultLines(error.faults) };
  if (isConfigError(error)) {
    const { code, message, issues } = error;
    // Its message names the issues of an invalid config already.
    return { code, message, details: code === 'invalid-config' ? [] : issues.map((issue) => formatIssue(issue)) };
  }
  if (error instanceof CommandError) {
    const { message, hint, details } = error;
    return { code: 'invalid-request', message, hint, details };
  }
  if (error instanceof TypeError) return { code: 'invalid-request', message: error.message };
  return { code: 'internal', message: error instanceof Error ? error.message : String(error) };
}

function faultLines(faults: RegistryError['faults']): readonly string[] {
  return faults.map(({ path, message, expected }) => `${path || 'the arguments'} ${message}; expected ${expected}`);
}
