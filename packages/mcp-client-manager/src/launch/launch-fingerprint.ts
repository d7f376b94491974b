import { createHash } from 'node:crypto';
import type { ServerPolicy } from '../resolve-spec.js';
import type { SecretSpec } from '../spec.js';
import { withoutSecrets, withoutSecretsOfUrl } from './hidden-arguments.js';

/**
 * What a running server depends on, in one word: two specs with the same fingerprint are served by the same process.
 * Whatever is not part of it (timeouts, limits, tags) can change while the server runs. It depends on the values of
 * secrets, so it is never written down.
 */
export function processFingerprint({ target, protocol }: ServerPolicy): string {
  if (target.type === 'in-process') return inProcess(target, protocol);
  if (target.type === 'http') {
    const { url, headers, secrets, auth } = target;
    return digest([
      protocol,
      'http',
      url,
      sortedEntries(headers),
      sortedSecrets(secrets),
      auth?.provider,
      auth?.scopes,
    ]);
  }
  const { command, args, env, secrets, cwd } = target;
  return digest([protocol, 'stdio', command, args, sortedEntries(env), sortedSecrets(secrets), cwd]);
}

/**
 * What a server's tools and its era depend on, in one word: what was found out about one launch holds for the next one
 * with the same fingerprint. It is the name of a file that many may read the directory of, so no value of a secret goes
 * into it, and it stays the same when a secret is exchanged: variables and headers count by their names. Servers of two
 * names are two, since what tells two accounts of one program apart may be the value of a variable alone.
 */
export function launchFingerprint({ name, target, protocol }: ServerPolicy): string {
  if (target.type === 'in-process') return inProcess(target, protocol);
  if (target.type === 'http') {
    const { url, headers, secrets, auth } = target;
    const names = sortedNames(headers, secrets).map((header) => header.toLowerCase());
    return digest([name, protocol, 'http', withoutSecretsOfUrl(url), names, auth?.provider, auth?.scopes]);
  }
  const { command, args, env, secrets, cwd } = target;
  return digest([name, protocol, 'stdio', command, withoutSecrets(args), sortedNames(env, secrets), cwd]);
}

function inProcess({ server }: { readonly server: object }, protocol: ServerPolicy['protocol']): string {
  return `in-process-${numberOf(server)}-${protocol}`;
}

function digest(parts: readonly unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

function sortedEntries(values: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(values).sort(([one], [other]) => (one < other ? -1 : 1));
}

/** A value counts by its name whether it is written or referred to: a cached list survives the switch. */
function sortedNames(values: Readonly<Record<string, string>>, secrets: readonly SecretSpec[]): readonly string[] {
  return [...new Set([...Object.keys(values), ...secrets.map(({ key }) => key)])].sort();
}

function sortedSecrets(secrets: readonly SecretSpec[]): readonly (readonly [string, string])[] {
  return sortedEntries(
    Object.fromEntries(secrets.map(({ key, reference, root }) => [key, JSON.stringify([reference, root])])),
  );
}

const numbers = new WeakMap<object, number>();
let lastNumber = 0;

/** An object in memory has no text to hash; it is the same for as long as it is the same object. */
function numberOf(object: object): number {
  const known = numbers.get(object);
  if (known !== undefined) return known;
  lastNumber += 1;
  numbers.set(object, lastNumber);
  return lastNumber;
}
