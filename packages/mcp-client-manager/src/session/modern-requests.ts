import type { ChangeStream } from './notifications/change-stream.js';
import type { Params } from './peer/json-rpc.js';

type ModernWay = (ways: ModernWays, params: Params) => Promise<unknown> | undefined;

export interface ModernWays {
  readonly changes: ChangeStream;
  discover(): Promise<unknown>;
  setLogLevel(level: unknown): void;
}

/**
 * Methods that revision 2026-07-28 dropped. Their replacements return an empty result: callers need not know the
 * server's revision.
 */
export const modernWay: ReadonlyMap<string, ModernWay> = new Map<string, ModernWay>([
  ['ping', ({ discover }) => discover()],
  // Since then each request carries the log level.
  ['logging/setLevel', ({ setLogLevel }, { level }) => void setLogLevel(level)],
  ['resources/subscribe', ({ changes }, { uri }) => changes.addResource(String(uri))],
  ['resources/unsubscribe', ({ changes }, { uri }) => changes.removeResource(String(uri))],
]);
