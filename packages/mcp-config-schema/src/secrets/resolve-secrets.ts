import { resolve } from 'node:path';
import { nearestName } from '@x/internal/names';
import { milliseconds, optionTable } from '@x/internal/options';
import { createRedactor, type Redactor } from '@x/internal/secrets';
import { printable, quoted } from '@x/internal/text';
import type { SecretReference, ServerConfig } from '../config.js';
import { ConfigError, invalidConfig, isConfigError } from '../errors.js';
import type { ConfigIssue } from '../issues.js';
import { builtinResolvers } from './builtin-resolvers.js';
import type { SecretResolver } from './secret-resolver.js';

/** Options of a secret lookup. */
export interface SecretOptions {
  /** Extends or replaces the schemes `env`, `file`, `command` and `keychain`. */
  readonly resolvers?: Readonly<Record<string, SecretResolver | undefined>> | undefined;
  /** Default: the environment of the process. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Start of relative paths and commands. Default: the `root` of the reference, else the current directory. */
  readonly root?: string | undefined;
  /** Maximum time per secret in milliseconds. Default 30,000. */
  readonly timeoutMs?: number | undefined;
  /** Redactor to extend with the resolved values. Default: empty. */
  readonly redactor?: Redactor | undefined;
  readonly signal?: AbortSignal | undefined;
}

const secretOptions = optionTable<SecretOptions>()({
  resolvers: { kind: 'object', default: {} },
  env: { kind: 'object' },
  root: { kind: 'text' },
  timeoutMs: { ...milliseconds, default: 30_000 },
  redactor: { kind: 'object' },
  signal: { kind: 'object' },
});

/** Result of a secret lookup. */
export interface SecretsCheck<Server extends ServerConfig = ServerConfig> {
  /** One `unresolved-secret` per unresolved value. */
  readonly issues: readonly ConfigIssue[];
  /** Servers with resolved values; unresolved references stay in `secrets`. */
  readonly servers: readonly Server[];
  readonly redactor: Redactor;
}

/**
 * Resolves the secret references of servers into `env` and `headers`, each reference once.
 *
 * @throws {ConfigError} `invalid-config`, with an issue for each unresolved value.
 */
export async function resolveSecrets<Server extends ServerConfig>(
  servers: readonly Server[],
  options?: SecretOptions,
): Promise<Omit<SecretsCheck<Server>, 'issues'>> {
  const { issues, ...resolved } = await checkSecrets(servers, options);
  if (issues.length > 0) throw invalidConfig(issues);
  return resolved;
}

/** Like `resolveSecrets`, but returns the issues. Rejects only with the reason of `signal`. */
export async function checkSecrets<Server extends ServerConfig>(
  servers: readonly Server[],
  options: SecretOptions = {},
): Promise<SecretsCheck<Server>> {
  const lookup = new ReferenceLookup(options);
  const issues: ConfigIssue[] = [];
  const filled: Server[] = [];
  // Sequential, because password managers prompt the user.
  for (const server of servers) {
    const values: Record<string, string> = {};
    const missing: SecretReference[] = [];
    for (const secret of server.secrets ?? []) {
      const found = await lookup.find(secret, server.transport === 'http' ? 'header' : 'variable');
      if ('value' in found) values[secret.key] = found.value;
      else {
        missing.push(secret);
        issues.push(unresolved(secret, server.name, found));
      }
    }
    filled.push(withValues(server, values, missing));
  }
  return { issues, servers: filled, redactor: (options.redactor ?? createRedactor()).with(lookup.values) };
}

/** Options of a client manager for starting servers with secrets. */
export interface SecretLookup {
  /**
   * Resolves one reference. Runs one resolution at a time; waiting calls for the same reference share one.
   *
   * @throws {ConfigError} `secret-unavailable`. Rejects with the reason of an aborted signal.
   */
  readonly resolveSecret: (secret: SecretToResolve, options?: { readonly signal?: AbortSignal }) => Promise<string>;
  /** Redacts the values resolved so far, and those of the `redactor` option. */
  readonly redact: (text: string) => string;
  /** Redactor for the values resolved so far. Replaced after each new value, so do not spread it. */
  readonly redactor: Redactor;
}

/** A secret reference in `env` or `headers` of a server. */
export interface SecretToResolve {
  readonly reference: string;
  readonly root?: string | undefined;
  /** Use of the value. Default `variable`. */
  readonly target?: 'header' | 'variable' | undefined;
}

/**
 * Resolves secrets on demand, without caching.
 *
 * @example createClientManager(config, createSecretLookup({ redactor: config.redactor }))
 */
export function createSecretLookup(options: SecretOptions = {}): SecretLookup {
  secretOptions.read(options);
  let redactor = options.redactor ?? createRedactor();
  const known = new Set<string>();
  const underWay = new Map<string, SharedLookup>();
  let last: Promise<unknown> = Promise.resolve();
  const find = async (secret: Located, signal: AbortSignal): Promise<Found> => {
    signal.throwIfAborted();
    const lookup = new ReferenceLookup({ ...options, signal });
    const found = await lookup.find(secret, 'variable');
    const values = [...lookup.values].filter((value) => !known.has(value));
    for (const value of values) known.add(value);
    if (values.length > 0) redactor = redactor.with(values);
    return found;
  };
  const begin = (secret: Located): SharedLookup => {
    const key = keyOf(secret);
    const shared = new SharedLookup(
      (signal) => {
        const found = last.then(() => find(secret, signal));
        last = found.catch(() => undefined);
        return found;
      },
      () => underWay.get(key) === shared && underWay.delete(key),
    );
    underWay.set(key, shared);
    return shared;
  };
  const lookup: Omit<SecretLookup, 'redactor'> = {
    resolveSecret: async ({ target = 'variable', ...secret }, { signal } = {}) => {
      options.signal?.throwIfAborted();
      const signals = [signal, options.signal].filter((each) => each !== undefined);
      const answer = await (underWay.get(keyOf(secret)) ?? begin(secret)).wait(signals);
      const found = usable(answer, target);
      if ('value' in found) return found.value;
      const { reason, hint } = found;
      throw new ConfigError('secret-unavailable', printable(hint === undefined ? reason : `${reason}; ${hint}`));
    },
    redact: (text) => redactor.redact(text),
  };
  return Object.defineProperty(lookup, 'redactor', { get: () => redactor }) as SecretLookup;
}

/** Aborted when the last caller leaves. */
class SharedLookup {
  readonly #found: Promise<Found>;
  readonly #unwanted = new AbortController();
  readonly #onOver: () => void;
  #waiting = 0;

  constructor(begin: (signal: AbortSignal) => Promise<Found>, onOver: () => void) {
    this.#onOver = onOver;
    this.#found = begin(this.#unwanted.signal);
    this.#found.then(onOver, onOver);
  }

  async wait(signals: readonly AbortSignal[]): Promise<Found> {
    for (const signal of signals) signal.throwIfAborted();
    const done = new AbortController();
    const aborted = new Promise<never>((_, reject) => {
      for (const each of signals) {
        each.addEventListener('abort', () => reject(each.reason), { once: true, signal: done.signal });
      }
    });
    this.#waiting += 1;
    try {
      return await Promise.race([this.#found, aborted]);
    } finally {
      done.abort();
      this.#waiting -= 1;
      if (this.#waiting === 0) this.#end();
    }
  }

  #end(): void {
    this.#onOver();
    this.#unwanted.abort(new Error('No caller waits for the secret any more'));
  }
}

type Located = Pick<SecretReference, 'reference' | 'root'>;

/** The same reference in two files may be two secrets. */
function keyOf({ reference, root }: Located): string {
  return JSON.stringify([reference, root]);
}

type Found = { readonly value: string } | Unavailable;
interface Unavailable {
  readonly reason: string;
  readonly hint?: string | undefined;
}

class ReferenceLookup {
  readonly values = new Set<string>();
  readonly #options: SecretOptions;
  readonly #resolvers: ReadonlyMap<string, SecretResolver>;
  readonly #timeoutMs: number;
  readonly #found = new Map<string, Found>();

  constructor(options: SecretOptions) {
    const { timeoutMs, resolvers } = secretOptions.read(options);
    const all = Object.entries({ ...builtinResolvers, ...resolvers });
    this.#resolvers = new Map(
      all.flatMap(([scheme, resolver]) => (resolver === undefined ? [] : [[scheme, resolver]])),
    );
    this.#timeoutMs = timeoutMs;
    this.#options = options;
  }

  async find(secret: Located, target: 'header' | 'variable'): Promise<Found> {
    const key = keyOf(secret);
    const found = this.#found.get(key) ?? (await this.#ask(secret));
    this.#found.set(key, found);
    if (!('value' in found)) return found;
    this.values.add(found.value);
    return usable(found, target);
  }

  async #ask({ reference, root: ownRoot = '.' }: Located): Promise<Found> {
    const scheme = schemeOf(reference);
    // It may be the secret itself, so the message must not contain it.
    if (scheme === undefined) {
      return {
        reason: 'it is not a reference',
        hint: 'write a reference such as "env:NAME" or "keychain:service/account"',
      };
    }
    const resolver = this.#resolvers.get(scheme);
    if (resolver === undefined) {
      const meant = nearestName(scheme, this.#resolvers.keys());
      const known = `known schemes: ${[...this.#resolvers.keys()].join(', ')}`;
      return { reason: `${quoted(scheme)} is not a known scheme`, hint: meant ? `did you mean "${meant}:"?` : known };
    }
    const { env = process.env, root = ownRoot, signal } = this.#options;
    signal?.throwIfAborted();
    using deadline = new Deadline(this.#timeoutMs, signal);
    try {
      const asked = Promise.resolve(
        resolver(reference.slice(scheme.length + 1), { env, root: resolve(root), signal: deadline.signal }),
      );
      const value: unknown = await Promise.race([asked, deadline.over]);
      return typeof value === 'string' ? { value } : { reason: 'its resolver did not return text' };
    } catch (error) {
      signal?.throwIfAborted();
      if (deadline.signal.aborted) return { reason: `there was no result within ${this.#timeoutMs / 1_000} seconds` };
      // Other errors may quote the secret.
      return { reason: isConfigError(error) ? error.message : `its resolver failed with ${nameOf(error)}` };
    }
  }
}

function usable(found: Found, target: 'header' | 'variable'): Found {
  if (!('value' in found)) return found;
  if (found.value === '') return { reason: 'it is empty' };
  if (target === 'header' && /[\r\n]/.test(found.value))
    return { reason: 'it has several lines, which a header cannot contain' };
  return found.value.includes('\0') ? { reason: 'it contains a NUL character' } : found;
}

/** Aborts after a time or with another signal. Disposing clears the timer. */
class Deadline implements Disposable {
  readonly signal: AbortSignal;
  readonly over: Promise<never>;
  readonly #timer: NodeJS.Timeout;
  readonly #done = new AbortController();

  constructor(timeoutMs: number, outer: AbortSignal | undefined) {
    const controller = new AbortController();
    this.signal = controller.signal;
    this.#timer = setTimeout(() => controller.abort(), timeoutMs);
    outer?.addEventListener('abort', () => controller.abort(outer.reason), { signal: this.#done.signal });
    this.over = new Promise((_, reject) => {
      this.signal.addEventListener('abort', () => reject(this.signal.reason), { signal: this.#done.signal });
    });
    this.over.catch(() => undefined); // may have no listeners
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#done.abort();
  }
}

function schemeOf(reference: string): string | undefined {
  return /^([a-z][a-z0-9+.-]{0,63}):/.exec(reference)?.[1];
}

function unresolved(secret: SecretReference, server: string, { reason, hint }: Unavailable): ConfigIssue {
  const message = printable(`The secret ${secret.key} of server ${quoted(server)} cannot be resolved: ${reason}`);
  const scheme = schemeOf(secret.reference) ?? '';
  return { code: 'unresolved-secret', severity: 'error', message, scheme, hint, path: secret.path, ...secret.source };
}

function withValues<Server extends ServerConfig>(
  server: Server,
  values: Readonly<Record<string, string>>,
  missing: readonly SecretReference[],
): Server {
  const section = server.transport === 'http' ? 'headers' : 'env';
  const found = Object.keys(values).map((key) => [section, key]);
  const marks = {
    secrets: missing.length === 0 ? undefined : missing,
    ...(found.length === 0 ? {} : { sensitive: [...(server.sensitive ?? []), ...found] }),
  };
  if (server.transport === 'http') return { ...server, headers: { ...server.headers, ...values }, ...marks };
  return { ...server, env: { ...server.env, ...values }, ...marks };
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'something that is not an error';
}
