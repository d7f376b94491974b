import type { ChangeStream } from './change-stream.js';
import type { Params, RawResult } from './request-lane.js';

export interface ModernWays {
  readonly changes: ChangeStream;
  readonly discover: (signal: AbortSignal) => Promise<unknown>;
  readonly setLogLevel: (level: unknown) => void;
}

/**
 * What revision 2026-07-28 does another way than those before, behind the same methods: a caller need not know which
 * revision a server speaks. `undefined` for every other method.
 */
export function modernWay(
  method: string,
  params: Params,
  { signal, ...ways }: ModernWays & { readonly signal: AbortSignal },
): Promise<RawResult> | undefined {
  const done = async (work: Promise<unknown> | undefined): Promise<RawResult> => {
    await work;
    return {};
  };
  switch (method) {
    case 'ping':
      return done(ways.discover(signal));
    case 'logging/setLevel': // goes along with each request there
      ways.setLogLevel(params.level);
      return done(undefined);
    case 'resources/subscribe':
      return done(ways.changes.addResource(String(params.uri)));
    case 'resources/unsubscribe':
      return done(ways.changes.removeResource(String(params.uri)));
    default:
      return undefined;
  }
}
