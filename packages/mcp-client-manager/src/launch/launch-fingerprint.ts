import { createHash } from 'node:crypto';
import type { ServerPolicy } from '../resolve-spec.js';
import type { SecretSpec } from '../spec.js';

/**
 * Digest of everything that the running process depends on, which timeouts and limits are not part of. Specs with the
 * same fingerprint share a process. Never stored: it depends on secret values.
 */
export function processFingerprint({ target, protocol, unsetVariables }: ServerPolicy): string {
  if (target.type === 'in-process') return inProcess(target, protocol);
  if (unsetVariables.length > 0) return digest([protocol, 'unset', unsetVariables, target]);
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
 * Digest of everything that a server's tools depend on. It names a file that others may see, so variables and headers
 * count by name only. The server's name counts, since two accounts of one program may differ only in a secret.
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

/** Names of values and secrets, so that a cached list survives the switch from one to the other. */
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

/** Number of an object in memory, which has no text to hash. */
function numberOf(object: object): number {
  const known = numbers.get(object);
  if (known !== undefined) return known;
  lastNumber += 1;
  numbers.set(object, lastNumber);
  return lastNumber;
}

/** An option whose value is a secret: `--api-key`, `--github-token`, `-password`. */
const secretOption =
  /^-{1,2}[\w-]*(key|token|secret|pass|passwd|password|passphrase|pwd|auth|bearer|credentials?|cookie|dsn)$/i;
/** An option whose value may contain a secret: `-e NAME=value`, `--header 'Name: value'`. */
const pairOption = /^-{1,2}([eH]|[\w-]*(env|header))$/i;
const pair = /^\s*([A-Za-z_][\w.-]*)\s*[=:]/;
const variable = /^([A-Z_][A-Z\d_]*)=/;

/** Removes values that may be secrets. Packages, folders, flags and names remain, and still distinguish servers. */
function withoutSecrets(args: readonly string[]): readonly string[] {
  return args.map((argument, index) => {
    const previous = args[index - 1] ?? '';
    return takesValue(previous) && !argument.startsWith('-') ? publicPart(previous, argument) : withoutSecret(argument);
  });
}

function withoutSecretsOfUrl(text: string): string {
  if (!/^[a-z][a-z\d+.-]*:\/\//i.test(text) || !URL.canParse(text)) return text;
  const { protocol, host, pathname } = new URL(text);
  return `${protocol}//${host}${pathname}`;
}

function withoutSecret(argument: string): string {
  const name = variable.exec(argument)?.[1];
  if (name !== undefined) return name;
  const end = argument.indexOf('=');
  if (end === -1 || !argument.startsWith('-')) return withoutSecretsOfUrl(argument);
  const option = argument.slice(0, end);
  return `${option}=${publicPart(option, argument.slice(end + 1))}`;
}

function takesValue(argument: string): boolean {
  return secretOption.test(argument) || pairOption.test(argument);
}

function publicPart(option: string, value: string): string {
  if (secretOption.test(option)) return '';
  return pairOption.test(option) ? (pair.exec(value)?.[1] ?? value) : withoutSecretsOfUrl(value);
}
