import type { KnownHost, KnownHosts } from '../calls/known-hosts.js';

/**
 * How long a lease may take to be heard of after its host's first call, in milliseconds: both are on their way at the
 * same time when a host has just joined.
 */
const HEARSAY_MS = 2_000;

/** The host in that very incarnation, at once if it is known; `undefined` when that one is over, or not heard of in time. */
export function liveIssuer(
  hosts: KnownHosts,
  host: string,
  incarnation: number,
  signal: AbortSignal,
): KnownHost | undefined | Promise<KnownHost | undefined> {
  const known = hosts.find(host);
  if (known !== undefined && known.incarnation >= incarnation) return exactly(known, incarnation);
  if (signal.aborted) return undefined;
  return new Promise((resolve) => {
    const end = (found: KnownHost | undefined) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
      subscription[Symbol.dispose]();
      resolve(found);
    };
    const giveUp = () => end(undefined);
    const timer = setTimeout(giveUp, HEARSAY_MS);
    signal.addEventListener('abort', giveUp);
    const subscription = hosts.onFound((found, foundIncarnation) => {
      if (found === host && foundIncarnation >= incarnation) end(exactly(hosts.find(host), incarnation));
    });
  });
}

function exactly(known: KnownHost | undefined, incarnation: number): KnownHost | undefined {
  return known?.incarnation === incarnation ? known : undefined;
}
