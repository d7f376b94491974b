import { resolve } from 'node:path';
import { isRecord } from '@x/internal/json';
import { nearestName } from '@x/internal/names';
import { milliseconds, optionTable } from '@x/internal/options';
import type { Redactor } from '@x/internal/secrets';
import { quoted } from '@x/internal/text';
import type { SecretReference } from '../config.js';
import { isConfigError } from '../errors.js';
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

export const secretOptions = optionTable<SecretOptions>()({
  resolvers: { kind: 'other', check: resolversFault, default: {} },
  env: { kind: 'object' },
  root: { kind: 'text' },
  timeoutMs: { ...milliseconds, default: 30_000 },
  redactor: { kind: 'object' },
  signal: { kind: 'signal' },
});

function resolversFault(given: unknown): string | undefined {
  const isResolver = (resolver: unknown) => resolver === undefined || typeof resolver === 'function';
  return isRecord(given) && Object.values(given).every(isResolver) ? undefined : 'an object of functions by scheme';
}

export type Located = Pick<SecretReference, 'reference' | 'root'>;

/** The same reference in two files may be two secrets. */
export function keyOf({ reference, root }: Located): string {
  return JSON.stringify([reference, root]);
}

export type Found = { readonly value: string } | Unavailable;

export interface Unavailable {
  readonly reason: string;
  readonly hint?: string | undefined;
}

/** Resolves references, each one once. */
export class ReferenceLookup {
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
    const found = this.#found.get(key) ?? (await this.#resolve(secret));
    this.#found.set(key, found);
    if (!('value' in found)) return found;
    this.values.add(found.value);
    return usable(found, target);
  }

  async #resolve({ reference, root: ownRoot = '.' }: Located): Promise<Found> {
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
      const resolved = Promise.resolve(
        resolver(reference.slice(scheme.length + 1), { env, root: resolve(root), signal: deadline.signal }),
      );
      const value: unknown = await Promise.race([resolved, deadline.over]);
      return typeof value === 'string' ? { value } : { reason: 'its resolver did not return text' };
    } catch (error) {
      signal?.throwIfAborted();
      if (deadline.signal.aborted) return { reason: `there was no result within ${this.#timeoutMs / 1_000} seconds` };
      // Other errors may quote the secret.
      return { reason: isConfigError(error) ? error.message : `its resolver failed with ${nameOf(error)}` };
    }
  }
}

/** The value, or the reason why the target cannot have it. */
export function usable(found: Found, target: 'header' | 'variable'): Found {
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

export function schemeOf(reference: string): string | undefined {
  return /^([a-z][a-z0-9+.-]{0,63}):/.exec(reference)?.[1];
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : 'something that is not an error';
}
