import type { KnownNode, KnownNodes } from '../calls/known-nodes.js';

/** Longest wait in milliseconds for a lease: a node sends its first call and its lease at the same time. */
const HEARSAY_MS = 2_000;

/**
 * Node of exactly that incarnation. Returns at once if it is known; `undefined` if it has ended or does not appear in
 * time.
 */
export function liveIssuer(
  nodes: KnownNodes,
  node: string,
  incarnation: number,
  signal: AbortSignal,
): KnownNode | undefined | Promise<KnownNode | undefined> {
  const known = nodes.find(node);
  if (known !== undefined && known.incarnation >= incarnation) return exactly(known, incarnation);
  if (signal.aborted) return undefined;
  return new Promise((resolve) => {
    const end = (found: KnownNode | undefined) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', giveUp);
      subscription[Symbol.dispose]();
      resolve(found);
    };
    const giveUp = () => end(undefined);
    const timer = setTimeout(giveUp, HEARSAY_MS);
    signal.addEventListener('abort', giveUp);
    const subscription = nodes.onFound((found, foundIncarnation) => {
      if (found === node && foundIncarnation >= incarnation) end(exactly(nodes.find(node), incarnation));
    });
  });
}

function exactly(known: KnownNode | undefined, incarnation: number): KnownNode | undefined {
  return known?.incarnation === incarnation ? known : undefined;
}
