import { availableParallelism } from 'node:os';
import { isRecord } from '@x/internal/json';
import { milliseconds, optionTable } from '@x/internal/options';
import { absolutePath } from './absolute-path.js';
import type { AuthPlug } from './auth/auth-plug.js';
import type { ConfirmLaunch, ResolveSecret } from './launch/prepare-launch.js';
import { asItIs, guarded } from './redaction.js';
import type { HeadersFor } from './session/http/added-headers.js';
import type { ClientHandlers } from './session/server-requests/client-handlers.js';

/** Options for all servers of a manager. Fields of a server's spec take precedence. */
export interface ClientManagerOptions {
  /** Name and version that the manager sends to servers. Default `{ name: 'mcp-client-manager', version: '0.0.0' }`. */
  readonly clientInfo?: { readonly name: string; readonly version: string } | undefined;
  /** Longest wait for a call's result in milliseconds, including the server's start. Default 60 000. */
  readonly callTimeoutMs?: number | undefined;
  /** Largest message from a server, in bytes. A larger one fails only its own call. Default 32 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** Environment that servers inherit from, through an allow-list. Default `process.env`. */
  readonly environment?: NodeJS.ProcessEnv | undefined;
  /**
   * Source of the PATH for commands. `inherited` (default): PATH of `environment`. `login-shell`: the PATH of the
   * user's login shell, read once; for hosts that a desktop starts with a bare PATH.
   */
  readonly commandPath?: 'inherited' | 'login-shell' | undefined;
  /**
   * Processes that start at the same time. A process that has not started after 3 s is assumed to wait for a download
   * or a login, not for this machine, and lets another one begin, up to four times this number. Default: number of
   * processors plus one, at least 2.
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
   * Removes secrets from stderr, junk on stdout, log entries and errors, and from errors of `auth`, `handlers` and
   * in-process servers, before any of it is stored, emitted or logged. Results are not redacted. A text that it throws
   * at is not shown. Default: no redaction.
   */
  readonly redact?: ((text: string) => string) | undefined;
  /** Client handlers for server requests: sampling, elicitation, roots. Default: none, and none is announced. */
  readonly handlers?: ClientHandlers | undefined;
  /**
   * Announced to servers as `ClientCapabilities`, beside those that `handlers` imply: for callers that answer through
   * the `handler` of their calls. A server request without a handler is refused. A function is called for each connection;
   * an open connection keeps its capabilities. Default: nothing.
   */
  readonly capabilities?: Readonly<Record<string, unknown>> | (() => Readonly<Record<string, unknown>>) | undefined;
  /** Signs in to HTTP servers that require it. Default: such a server ends in the phase `auth-required`. */
  readonly auth?: AuthPlug | undefined;
  /**
   * Looks up the value of one secret in a spec. Called for each secret of a server, one after the other, whenever that
   * server starts or signs in. Make `redact` hide the value before this returns it. Default: a server whose spec has
   * `secrets` does not start.
   */
  readonly resolveSecret?: ResolveSecret | undefined;
  /**
   * Decides whether a server may start. Receives the process or URL of the launch with unresolved secrets. Called
   * before each start of a process or HTTP server and before a sign-in, ahead of the secret lookup. `false` or an error
   * keeps the server down with `launch-refused` until it is started explicitly. May wait for the user: that time does
   * not count towards the startup timeout. Default: every server may start.
   */
  readonly confirmLaunch?: ConfirmLaunch | undefined;
  /**
   * Decides whether a health check may call its tool. Receives the server and the tool's own name, before each call. On
   * any result but `true`, and on an error, a ping replaces the call, and `status.catalogProblems` reports it. Default:
   * every health check may call its tool.
   */
  readonly allowHealthCall?: AllowHealthCall | undefined;
  /** Checks structured results against the tool's output schema. Default `true`. */
  readonly validateOutput?: boolean | undefined;
}

/** Decides whether a health check may call a tool now. */
export type AllowHealthCall = (call: { readonly server: string; readonly tool: string }) => boolean;

const options = optionTable<ClientManagerOptions>()({
  clientInfo: { kind: 'object', default: { name: 'mcp-client-manager', version: '0.0.0' } },
  callTimeoutMs: { ...milliseconds, default: 60_000 },
  maxMessageBytes: { kind: 'number', min: 1_024, max: 512 * 1_024 * 1_024, default: 32 * 1_024 * 1_024 },
  environment: { kind: 'object', default: process.env },
  commandPath: { kind: 'word', words: ['inherited', 'login-shell'], default: 'inherited' },
  startConcurrency: { kind: 'number', min: 1, max: 1_000, default: Math.max(availableParallelism() + 1, 2) },
  stateDirectory: absolutePath,
  logDirectory: absolutePath,
  redact: { kind: 'function', default: asItIs },
  handlers: { kind: 'object', default: {} },
  capabilities: { kind: 'other', default: {} },
  auth: { kind: 'other', check: (auth) => (Object(auth) === auth ? undefined : 'an object or a function') },
  resolveSecret: { kind: 'function' },
  confirmLaunch: { kind: 'function' },
  allowHealthCall: { kind: 'function', default: () => true },
  validateOutput: { kind: 'flag', default: true },
});

export interface ManagerPolicy extends Omit<ReturnType<(typeof options)['read']>, 'capabilities'> {
  readonly capabilities: () => Readonly<Record<string, unknown>>;
  /** Changes while servers run. */
  readonly addedHeaders: Set<HeadersFor>;
}

/** @throws {TypeError} Names the option that is misspelt or out of bounds. */
export function resolveOptions(given?: ClientManagerOptions): ManagerPolicy {
  const { redact, capabilities, allowHealthCall, ...others } = options.read(given);
  return {
    ...others,
    allowHealthCall: strictly(allowHealthCall),
    redact: redact === asItIs ? redact : guarded(redact),
    capabilities: capabilitiesBy(capabilities),
    addedHeaders: new Set(),
  };
}

/** An error of the host's function, and any value but `true`, counts as a refusal. */
function strictly(allowHealthCall: AllowHealthCall): AllowHealthCall {
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

/** Snapshot of the value as JSON. */
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
