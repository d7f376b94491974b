import { messageOf } from '@x/internal/errors';
import { codeOf } from '@x/internal/files';
import { isManagerError, type ManagerError } from '@x/mcp-client-manager';
import { formatIssue, isConfigError, type Redactor } from '@x/mcp-config-schema';
import { isRegistryError } from '@x/mcp-registry';
import { CommandError } from '../command.js';
import { fleetHint, isFleetFailure } from '../fleet/fleet-errors.js';
import { inCommandWords } from '../output/command-words.js';
import { setUpHint } from '../servers/server-needs.js';
import {
  ControlError,
  type ControlErrorCode,
  type ControlErrorOptions,
  isControlError,
  trustHint,
} from './control-error.js';

/** Stderr lines in an error, at most. */
const maxStderrLines = 10;

export interface ToControlErrorOptions {
  /** True if the servers end with the command, so that no start is retried. Default `false`. */
  readonly isOneShot?: boolean | undefined;
  /** The server is in no config, so remedies are options of the command. Default `false`. */
  readonly isUnlisted?: boolean | undefined;
}

/** Converts any failure to a `ControlError`: plain data with known secrets redacted. */
export function toControlError(
  error: unknown,
  redactor: Pick<Redactor, 'redact'>,
  { isOneShot = false, isUnlisted = false }: ToControlErrorOptions = {},
): ControlError {
  const { code, message, hint, details = [], retryable, rpc } = facts(error, { isOneShot, isUnlisted });
  const shown = (text: string): string => redactor.redact(inCommandWords(text));
  return new ControlError(code, shown(message), {
    hint: hint === undefined ? undefined : shown(hint),
    // Lines of a server stay as it wrote them.
    details: details.map((line) => (isManagerError(error) ? redactor.redact(line) : shown(line))),
    retryable,
    rpc,
  });
}

type Facts = { readonly code: ControlErrorCode; readonly message: string } & ControlErrorOptions;

function facts(error: unknown, { isOneShot, isUnlisted }: Required<ToControlErrorOptions>): Facts {
  if (isControlError(error)) return error;
  if (isManagerError(error)) {
    const { retryable, rpc, stderrTail, server = '<server>' } = error;
    const code = isRefusedLaunch(error) ? 'launch-refused' : isNotSetUp(error) ? 'not-set-up' : error.code;
    const details = stderrTail.slice(-maxStderrLines).map((line) => `${server} | ${line}`);
    const message = isOneShot || code === 'not-set-up' ? withoutOutlook(error) : error.message;
    return { code, message, hint: isUnlisted ? unlistedHint(error) : managerHint(error), retryable, details, rpc };
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
    const hint = code === 'config-not-found' ? missingHint(message) : undefined;
    return { code, message, hint, details: issues.map((issue) => formatIssue(issue)) };
  }
  if (error instanceof CommandError) {
    const { message, hint, details } = error;
    return { code: 'invalid-request', message, hint, details };
  }
  if (isMissingFile(error)) {
    const message = `A file of the program is missing, for example after an update: ${error.message}`;
    return {
      code: 'internal',
      message,
      hint: 'Run "mcpx down", and the command again: a new daemon has the new version.',
    };
  }
  if (error instanceof TypeError) return { code: 'invalid-request', message: error.message };
  return { code: 'internal', message: messageOf(error) };
}

/** True if a module that was to be loaded is not there. Optional packages are looked for before. */
function isMissingFile(error: unknown): error is Error {
  return error instanceof Error && codeOf(error) === 'ERR_MODULE_NOT_FOUND';
}

/** After a search, host apps had no servers either; with `--config` they were not read. */
function missingHint(message: string): string {
  if (message.includes('or any directory above it'))
    return 'Without a config mcpx uses the servers of host apps such as Cursor or VS Code, but their files have none here: "mcpx sync --list" shows them. Run "mcpx add <name> -- <command>" to write a config, or "mcpx init" to be asked.';
  return 'Leave --config out to search from here, or name a host app in its place to use its servers: --from cursor';
}

/** True for a missing consent, also as the cause of a failed start. */
function isRefusedLaunch({ code, cause }: ManagerError): boolean {
  return (
    code === 'launch-refused' || (code === 'start-failed' && isManagerError(cause) && cause.code === 'launch-refused')
  );
}

/** True for unset variables, also as the cause of a failed start. */
function isNotSetUp({ code, cause }: ManagerError): boolean {
  return code === 'not-set-up' || (code === 'start-failed' && isManagerError(cause) && cause.code === 'not-set-up');
}

/** The cause alone, because no attempt follows. */
function withoutOutlook({ code, cause, message }: ManagerError): string {
  if (code !== 'start-failed' || !(cause instanceof Error)) return message;
  return /[.!?]$/.test(cause.message) ? cause.message : `${cause.message}.`;
}

function managerHint(error: ManagerError): string | undefined {
  if (isRefusedLaunch(error)) return trustHint;
  if (isNotSetUp(error)) return setUpHint;
  // A sign-in that cannot begin says what it needs.
  if (error.code === 'auth-required' && error.message.includes(' cannot be signed in to: ')) return undefined;
  if (error.code === 'auth-required') return `Run "mcpx login ${error.server ?? '<server>'}" to sign in.`;
  return error.code === 'start-failed' ? startHint(error) : undefined;
}

/** Remedies for a server that is in no config. */
function unlistedHint({ code, cause, stderrTail }: ManagerError): string | undefined {
  if (code === 'auth-required')
    return 'Run "mcpx login" with its URL to sign in, or add its token: --header "Authorization: Bearer ...".';
  if (code !== 'start-failed') return undefined;
  const variable = isManagerError(cause) && cause.code === 'exited-early' ? requiredVariable(stderrTail) : undefined;
  if (variable !== undefined)
    return `Servers inherit only a few variables of your shell. If it needs ${variable}, add --env ${variable}`;
  return stderrTail.length > 0
    ? 'Add --verbose to see all of its output.'
    : 'Check its command, or its URL with the path.';
}

/** Excludes error codes, which look like variables. */
const variableName = /\b(?!ERR_|MODULE_NOT_FOUND)[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/;
const aboutVariables = /\b(not set|unset|missing|required|undefined|not provided|environment|variable)\b/i;

/** Remedy for a failed start, guessed from the server's stderr and the cause. */
function startHint({ cause, stderrTail, server = '<server>' }: ManagerError): string | undefined {
  const reason = isManagerError(cause) ? cause : undefined;
  if (reason?.code === 'exited-early') {
    const variable = requiredVariable(stderrTail);
    // The server's message misleads a user whose shell sets the variable.
    if (variable !== undefined)
      return `Servers inherit only a few variables of your shell. If it needs ${variable}, write ${variable}: \${${variable}} under "env" of ${server} in the config.`;
  }
  // A server without output will not write more with --verbose.
  if (stderrTail.length > 0) return `Run "mcpx discover ${server} --refresh --verbose" to see all of its output.`;
  // The doctor connects to addresses but sends no HTTP request.
  if (reason?.code === 'handshake-refused' && reason.message.includes(' refused the connection at '))
    return `Check the whole "url" of ${server} in the config, including the path, and that the server is running.`;
  return undefined;
}

function requiredVariable(stderrTail: readonly string[]): string | undefined {
  const line = stderrTail.findLast((text) => variableName.test(text) && aboutVariables.test(text));
  return line?.match(variableName)?.[0];
}
