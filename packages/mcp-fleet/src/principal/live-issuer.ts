import type { KnownNode, KnownNodes } from '../calls/known-nodes.js';

/**
 * How long a lease may take to be heard of after its node's first call, in milliseconds: both are on their way at the
 * same time when a node has just joined.
 */
const HEARSAY_MS = 2_000;

/** The node in that very incarnation, at once if it is known; `undefined` when that one is over, or not heard of in time. */
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
