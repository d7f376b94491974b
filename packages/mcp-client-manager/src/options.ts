import { availableParallelism } from 'node:os';
import type { Telemetry } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { checkOption, milliseconds, optionTable, refuseUnknownKeys } from '@x/internal/options';
import { telemetryFault } from '@x/internal/telemetry-option';
import type { AuthPlug } from './auth/auth-plug.js';
import type { ConfirmLaunch, ResolveSecret } from './launch/prepare-launch.js';
import { guarded, noRedaction } from './redaction.js';
import { absolutePath } from './resolve-spec.js';
import type { HeadersFor } from './session/http/http-transports.js';
import { type ClientHandlers, handlerNames } from './session/server-requests/client-handlers.js';

/** Options for all servers of a manager. Fields of a spec take precedence. */
export interface ClientManagerOptions {
  /** Sent to servers. Default `{ name: 'mcp-client-manager', version: '0.0.0' }`. */
  readonly clientInfo?: { readonly name: string; readonly version: string } | undefined;
  /** Longest wait for a call's result, in milliseconds, including the server's start. Default 60 000. */
  readonly callTimeoutMs?: number | undefined;
  /** Largest message from a server, in bytes. A larger one fails only its own call. Default 32 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** Servers inherit listed variables from it. Default `process.env`. */
  readonly environment?: NodeJS.ProcessEnv | undefined;
  /**
   * Source of the PATH for commands. `inherited` (default): that of `environment`. `login-shell`: that of the user's
   * login shell, read once; for hosts that a desktop starts with a bare PATH.
   */
  readonly commandPath?: 'inherited' | 'login-shell' | undefined;
  /**
   * Processes that start at the same time. A start that takes over 3 s counts as waiting for a download or a login and
   * lets another begin, up to four times this number. Default: twice the processors, plus one.
   */
  readonly startConcurrency?: number | undefined;
  /**
   * Directory for state that survives this process: started processes, tool lists, protocol versions. An absolute path,
   * created with mode 0700. Default: nothing is stored, and no tool is known before the first start.
   */
  readonly stateDirectory?: string | undefined;
  /** Directory for one rotating stderr log per server whose spec names none. An absolute path. Default: no logs. */
  readonly logDirectory?: string | undefined;
  /**
   * Removes secrets from stderr, junk on stdout, log entries and errors before these are stored, emitted or logged.
   * Results are not redacted. A text at which it throws is not shown. Default: no redaction.
   */
  readonly redact?: ((text: string) => string) | undefined;
  /** Client handlers for sampling, elicitation and roots. Default: none, and none is announced. */
  readonly handlers?: ClientHandlers | undefined;
  /**
   * `ClientCapabilities` to announce beside those that `handlers` imply, for callers that pass a `handler` with their
   * calls. A function is called for each connection; open connections keep theirs. Default: nothing.
   */
  readonly capabilities?: Readonly<Record<string, unknown>> | (() => Readonly<Record<string, unknown>>) | undefined;
  /** Signs in to HTTP servers. Default: a server that requires it ends in the phase `auth-required`. */
  readonly auth?: AuthPlug | undefined;
  /**
   * Looks up one secret of a spec. Called for each secret, one after the other, whenever its server starts or signs in.
   * Make `redact` hide the value before this returns it. Default: servers with `secrets` do not start.
   */
  readonly resolveSecret?: ResolveSecret | undefined;
  /**
   * Decides whether a process or HTTP server may start or sign in. Receives its launch with unresolved secrets. `false`
   * or an error keeps the server down with `launch-refused` until it is started explicitly. May wait for the user: that
   * does not count towards the startup timeout. Default: every server may start.
   */
  readonly confirmLaunch?: ConfirmLaunch | undefined;
  /**
   * Decides before each health check whether it may call its tool. On any result but `true`, and on an error, a ping
   * replaces the call, and `status.catalogProblems` reports it. Default: every call is allowed.
   */
  readonly allowHealthCall?: AllowHealthCall | undefined;
  /** Checks structured results against the tool's output schema. Default `true`. */
  readonly validateOutput?: boolean | undefined;
  /** Spans and metrics of requests: `createTelemetry()` of `@x/mcp-client-manager/telemetry`. Default: none. */
  readonly telemetry?: Telemetry | undefined;
}

/** Decides whether a health check may call a tool now. */
export type AllowHealthCall = (call: { readonly server: string; readonly tool: string }) => boolean;

const options = optionTable<ClientManagerOptions>()({
  clientInfo: { kind: 'other', check: clientInfoFault, default: { name: 'mcp-client-manager', version: '0.0.0' } },
  callTimeoutMs: { ...milliseconds, default: 60_000 },
  maxMessageBytes: { kind: 'number', min: 1_024, max: 512 * 1_024 * 1_024, default: 32 * 1_024 * 1_024 },
  environment: { kind: 'object', default: process.env },
  commandPath: { kind: 'word', words: ['inherited', 'login-shell'], default: 'inherited' },
  startConcurrency: { kind: 'number', min: 1, max: 1_000, default: 2 * availableParallelism() + 1 },
  stateDirectory: absolutePath,
  logDirectory: absolutePath,
  redact: { kind: 'function', default: noRedaction },
  handlers: { kind: 'object', default: {} },
  capabilities: { kind: 'other', default: {} },
  auth: { kind: 'other', check: (auth) => (Object(auth) === auth ? undefined : 'an object or a function') },
  resolveSecret: { kind: 'function' },
  confirmLaunch: { kind: 'function' },
  allowHealthCall: { kind: 'function', default: () => true },
  validateOutput: { kind: 'flag', default: true },
  telemetry: { kind: 'other', check: telemetryFault },
});

export const optionNames = options.names;

export interface ManagerPolicy extends Omit<ReturnType<(typeof options)['read']>, 'capabilities'> {
  readonly capabilities: () => Readonly<Record<string, unknown>>;
  readonly addedHeaders: Set<HeadersFor>;
}

/** @throws {TypeError} Names the option that is misspelt or out of bounds. */
export function resolveOptions(given?: ClientManagerOptions): ManagerPolicy {
  const { redact, capabilities, allowHealthCall, ...others } = options.read(given);
  refuseUnknownKeys(others.handlers, handlerNames, { where: 'handlers.', what: 'handler' });
  for (const [name, handler] of Object.entries(others.handlers)) {
    if (handler !== undefined) checkOption(`handlers.${name}`, { kind: 'function' }, handler);
  }
  return {
    ...others,
    allowHealthCall: falseUnlessTrue(allowHealthCall),
    redact: redact === noRedaction ? redact : guarded(redact),
    capabilities: capabilitiesBy(capabilities),
    addedHeaders: new Set(),
  };
}

function clientInfoFault(info: unknown): string | undefined {
  const { name, version } = Object(info);
  return typeof name === 'string' && typeof version === 'string' ? undefined : 'an object { name, version } of texts';
}

function falseUnlessTrue(allowHealthCall: AllowHealthCall): AllowHealthCall {
  return (call) => {
    try {
      return allowHealthCall(call) === true;
    } catch {
      return false;
    }
  };
}

function capabilitiesBy(given: NonNullable<ClientManagerOptions['capabilities']>): ManagerPolicy['capabilities'] {
  if (typeof given === 'function') return () => plainCopy('capabilities', given());
  const copy = plainCopy('capabilities', given);
  return () => copy;
}

function plainCopy(name: string, value: unknown): Readonly<Record<string, unknown>> {
  let copy: unknown;
  try {
    copy = JSON.parse(JSON.stringify(value));
  } catch (cause) {
    throw new TypeError(`${name} must be an object that can be written as JSON`, { cause });
  }
  if (isRecord(copy)) return copy;
  throw new TypeError(`${name} must be an object, got ${JSON.stringify(value)}`);
}
