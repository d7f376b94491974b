import { unlessAborted } from '@x/internal/async';
import { messageOf } from '@x/internal/errors';
import { ManagerError } from '../errors.js';
import { type Redact, redactError } from '../redaction.js';
import type { ServerPolicy } from '../resolve-spec.js';
import type { AuthReference, SecretSpec } from '../spec.js';

/** A launch as the spec describes it, before any secret is looked up. */
export type Launch = StdioLaunch | HttpLaunch;

/** A process to run. */
export interface StdioLaunch extends LaunchBase {
  readonly transport: 'stdio';
  readonly command: string;
  readonly args: readonly string[];
  /** From the spec, without inherited variables and secrets. */
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string | undefined;
}

/** A URL to connect to. */
export interface HttpLaunch extends LaunchBase {
  readonly transport: 'http';
  readonly url: string;
  /** From the spec, without secrets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly auth: AuthReference | undefined;
}

interface LaunchBase {
  readonly server: string;
  /** References to look up for this launch. A lookup may itself run programs. */
  readonly secrets: readonly SecretSpec[];
}

/** Decides whether a server may start. `signal` aborts when the start is no longer needed. */
export type ConfirmLaunch = (launch: Launch, options: { readonly signal: AbortSignal }) => boolean | Promise<boolean>;

/** A secret that one server needs. */
export interface SecretRequest extends SecretSpec {
  readonly server: string;
  readonly target: 'variable' | 'header';
}

/** Looks up one secret. The message of an error passes through `redact`. */
export type ResolveSecret = (
  secret: SecretRequest,
  options: { readonly signal: AbortSignal },
) => string | Promise<string>;

/** @throws {ManagerError} `not-set-up` */
export function requireSetUp({ name, unsetVariables }: Pick<ServerPolicy, 'name' | 'unsetVariables'>): void {
  if (unsetVariables.length === 0) return;
  const message = `Server "${name}" is not set up: it needs a value for ${unsetVariables.join(', ')}.`;
  throw new ManagerError('not-set-up', message, { server: name });
}

type LaunchTarget = Exclude<ServerPolicy['target'], { type: 'in-process' }>;

interface LaunchContext {
  readonly confirmLaunch: ConfirmLaunch | undefined;
  readonly resolveSecret: ResolveSecret | undefined;
  readonly redact: Redact;
  readonly signal: AbortSignal;
}

/**
 * Requests the host's consent to the launch, then looks up its secrets.
 *
 * @throws {ManagerError} `launch-refused` or `unresolved-secret`.
 */
export async function prepareLaunch<Target extends LaunchTarget>(
  server: string,
  target: Target,
  context: LaunchContext,
): Promise<Target> {
  await confirm(server, target, context);
  const values: Record<string, string> = {};
  // One after the other: a password manager may prompt its user.
  for (const secret of target.secrets) values[secret.key] = await resolveCommand(server, target, secret, context);
  if (target.type === 'http') return { ...target, headers: { ...target.headers, ...values }, secrets: [] };
  return { ...target, env: { ...target.env, ...values }, secrets: [] };
}

async function confirm(
  server: string,
  target: LaunchTarget,
  { confirmLaunch, redact, signal }: LaunchContext,
): Promise<void> {
  if (confirmLaunch === undefined) return;
  signal.throwIfAborted();
  let isConfirmed: boolean;
  try {
    isConfirmed = await unlessAborted((async () => confirmLaunch(launchOf(server, target), { signal }))(), signal);
  } catch (error) {
    signal.throwIfAborted();
    const message = `Server "${server}" was not started: ${redact(messageOf(error))}`;
    throw new ManagerError('launch-refused', message, { server, cause: redactError(error, redact) });
  }
  if (isConfirmed === true) return; // a JavaScript host may return anything
  throw new ManagerError('launch-refused', `Server "${server}" was not started: its launch was not confirmed.`, {
    server,
  });
}

function launchOf(server: string, { type, ...target }: LaunchTarget): Launch {
  return { server, transport: type, ...structuredClone(target) } as Launch;
}

async function resolveCommand(
  server: string,
  { type }: LaunchTarget,
  { key, reference, root }: SecretSpec,
  { resolveSecret, redact, signal }: LaunchContext,
): Promise<string> {
  const target = type === 'http' ? 'header' : 'variable';
  // Omits the reference, which may contain the secret itself by mistake.
  const subject = `Server "${server}" was not started: the secret for its ${target} ${key}`;
  if (resolveSecret === undefined) {
    const remedy =
      'Give createClientManager the option "resolveSecret", or look secrets up ahead with loadConfig({ secrets: "resolve" }).';
    throw new ManagerError('unresolved-secret', `${subject} was not looked up. ${remedy}`, { server });
  }
  signal.throwIfAborted();
  let value: unknown;
  try {
    const lookup = (async () => resolveSecret({ server, key, reference, root, target }, { signal }))();
    value = await unlessAborted(lookup, signal);
  } catch (error) {
    signal.throwIfAborted();
    const message = `${subject} cannot be looked up: ${redact(messageOf(error))}`;
    throw new ManagerError('unresolved-secret', message, { server, cause: redactError(error, redact) });
  }
  const problem = problemOf(value, target);
  if (problem === undefined) return value as string;
  throw new ManagerError('unresolved-secret', `${subject} cannot be used: ${problem}.`, { server });
}

function problemOf(value: unknown, target: SecretRequest['target']): string | undefined {
  if (typeof value !== 'string') return 'resolveSecret returned no string';
  if (value === '') return 'it is empty';
  if (value.includes('\0')) return 'it contains a NUL character';
  return target === 'header' && /[\r\n]/.test(value) ? 'it has several lines' : undefined;
}
