import { createHash } from 'node:crypto';
import type { ServerPolicy } from './resolve-spec.js';

/**
 * What a running server depends on, in one word: two specs with the same fingerprint are served by the same process.
 * Whatever is not part of it (timeouts, limits, tags) can change while the server runs. A hash, since commands and
 * headers hold secrets.
 */
export function launchFingerprint({ target, protocol }: ServerPolicy): string {
  if (target.type === 'in-process') return `in-process-${numberOf(target.server)}-${protocol}`;
  const text = JSON.stringify([protocol, launchOf(target)]);
  return createHash('sha256').update(text).digest('base64url');
}

type Target = ServerPolicy['target'];

function launchOf(target: Exclude<Target, { type: 'in-process' }>): readonly unknown[] {
  if (target.type === 'http') {
    const { url, headers, auth } = target;
    return ['http', url, sortedEntries(headers), auth?.provider, auth?.scopes];
  }
  const { command, args, env, cwd } = target;
  return ['stdio', command, args, sortedEntries(env), cwd];
}

function sortedEntries(values: Readonly<Record<string, string>>): readonly (readonly [string, string])[] {
  return Object.entries(values).sort(([one], [other]) => (one < other ? -1 : 1));
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
