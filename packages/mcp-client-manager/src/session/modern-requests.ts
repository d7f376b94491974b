import type { ChangeStream } from './change-stream.js';
import type { Params } from './json-rpc.js';

type ModernWay = (ways: ModernWays, params: Params) => Promise<unknown> | undefined;

export interface ModernWays {
  readonly changes: ChangeStream;
  discover(): Promise<unknown>;
  setLogLevel(level: unknown): void;
}

/**
 * What revision 2026-07-28 does another way than those before, behind the same methods: a caller need not know which
 * revision a server speaks. Their results are empty.
 */
export const modernWay: ReadonlyMap<string, ModernWay> = new Map<string, ModernWay>([
  ['ping', ({ discover }) => discover()],
  // The level goes along with each request there.
  ['logging/setLevel', ({ setLogLevel }, { level }) => void setLogLevel(level)],
  ['resources/subscribe', ({ changes }, { uri }) => changes.addResource(String(uri))],
  ['resources/unsubscribe', ({ changes }, { uri }) => changes.removeResource(String(uri))],
]);
