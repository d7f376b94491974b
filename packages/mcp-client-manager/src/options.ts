import { availableParallelism } from 'node:os';
import { isRecord } from '@x/internal/json';
import { milliseconds, optionTable } from '@x/internal/options';
import { absolutePath } from './absolute-path.js';
import type { ConfirmLaunch, ResolveSecret } from './launch/prepare-launch.js';
import { asItIs, guarded } from './redaction.js';
import type { AuthPlug } from './session/auth-plug.js';
import type { HostHandlers } from './session/host-handlers.js';
import type { HeadersFor } from './session/http-added-headers.js';

/** What holds for all servers of a manager, unless a server's spec says otherwise. */
export interface ClientManagerOptions {
  /** How the manager introduces itself to servers. Default `{ name: 'mcp-client-manager', version: '0.0.0' }`. */
  readonly clientInfo?: { readonly name: string; readonly version: string } | undefined;
  /** Longest wait for a call's result in milliseconds, time for starting the server included. Default 60 000. */
  readonly callTimeoutMs?: number | undefined;
  /** Largest message that is taken from a server, in bytes. A larger one fails its one call. Default 32 MiB. */
  readonly maxMessageBytes?: number | undefined;
  /** Where the environment of servers is inherited from, through an allow-list. Default `process.env`. */
  readonly environment?: NodeJS.ProcessEnv | undefined;
  /**
   * Where commands are looked for. `inherited` (default): PATH of `environment`. `login-shell`: the PATH that the
   * user's login shell sets up, asked for once; for hosts that are started from a desktop and have a bare PATH.
   */
  readonly commandPath?: 'inherited' | 'login-shell' | undefined;
  /**
   * Processes that start at the same time. One that has not started after 3 s waits for something else than this machine (a
   * download, a login) and lets another one begin, up to four times this many. Default: one more than there are
   * processors, at least 2.
   */
  readonly startConcurrency?: number | undefined;
  /**
   * Directory for what is to survive this process: which processes were started, tool lists, protocol verdicts. An
   * absolute path, made with mode 0700. Default: nothing is written, and a cold host knows no tool before a first start.
   */
  readonly stateDirectory?: string | undefined;
  /** Directory for one rotating stderr log a server whose spec names none. An absolute path. Default: no logs are written. */
  readonly logDirectory?: string | undefined;
  /**
   * Takes secrets out of what servers say beside results (stderr, junk on stdout, log entries, errors), and out of what
   * `auth`, `handlers` and servers of this process throw, before any of it is kept, told or logged. A text that it throws at
   * is not shown. Default: leaves it as it is.
   */
  readonly redact?: ((text: string) => string) | undefined;
  /** Answers what servers ask of the host: sampling, elicitation, roots. Default: none, and none is announced. */
  readonly handlers?: HostHandlers | undefined;
  /**
   * Announced to servers as `ClientCapabilities` of the protocol, beside what `handlers` stand for: for callers that answer
   * by the `host` of their calls. What is announced and nobody answers is refused. A function is asked for each connection:
   * one that is open keeps what it was told. Default: nothing.
   */
  readonly capabilities?: Readonly<Record<string, unknown>> | (() => Readonly<Record<string, unknown>>) | undefined;
  /** Signs in to HTTP servers that ask for it. Default: such a server's state is `auth-required`. */
  readonly auth?: AuthPlug | undefined;
  /**
   * Looks up the value of one secret that a spec refers to. Called for each secret of a server, one after the other, whenever
   * that server starts or signs in. Make `redact` hide the value before this returns it. Default: a server whose spec has
   * `secrets` does not start.
   */
  readonly resolveSecret?: ResolveSecret | undefined;
  /**
   * Decides whether a server may start. Receives what would run or be connected to; secrets are not resolved yet. Called
   * before each start of a server that is a process or reached by URL, before its secrets are looked up, and before a
   * sign-in. `false`, or an error, keeps the server down with `launch-refused` until somebody starts it again by hand. May
   * wait for a person: the time does not count to the startup timeout. Default: every server may start.
   */
  readonly confirmLaunch?: ConfirmLaunch | undefined;
  /**
   * Decides whether the health check of a server may call its tool. Receives the server and the tool's own name, before each
   * call. With anything but `true`, and with an error, a ping takes the place of the call, and `status.catalogProblems` says
   * so. Default: every health check may call its tool.
   */
  readonly allowHealthCall?: AllowHealthCall | undefined;
  /** Whether structured results are checked against the tool's output schema. Default `true`. */
  readonly validateOutput?: boolean | undefined;
}

/** Whether a health check may call a tool now. */
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
  /** Grows and shrinks while servers run. */
  readonly addedHeaders: Set<HeadersFor>;
}

/** @throws {TypeError} Names the option that is misspelt or out of bounds. */
export function resolveOptions(given?: ClientManagerOptions): ManagerPolicy {
  const { redact, capabilities, ...others } = options.read(given);
  return {
    ...others,
    redact: redact === asItIs ? redact : guarded(redact),
    capabilities: capabilitiesBy(capabilities),
    addedHeaders: new Set(),
  };
}

function capabilitiesBy(given: NonNullable<ClientManagerOptions['capabilities']>): ManagerPolicy['capabilities'] {
  if (typeof given === 'function') return () => plainCopy('capabilities', given());
  const copy = plainCopy('capabilities', given);
  return () => copy;
}

/** What goes to servers as JSON, as it is now. */
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
