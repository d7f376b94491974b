import type { PinChange, PinStore, Pins } from '@x/mcp-registry';

/**
 * Approvals for the servers of one config, in a store that all configs share. The key contains the entry of a server,
 * so that two entries of one name share nothing.
 *
 * @param entryOf - Digest of a server's entry; `undefined` for a server outside the config.
 */
export function entryPins(store: PinStore, entryOf: (server: string) => string | undefined): PinStore {
  const keyOf = (server: string): string => {
    const entry = entryOf(server);
    return entry === undefined ? `name:${server}` : `entry:${entry}:${server}`;
  };
  const ofConfig = (pins: Pins): Pins =>
    pins.flatMap(({ server: key, tools }) => {
      const server = /^(?:name|entry:[0-9a-f]+):([\s\S]*)$/.exec(key)?.[1];
      return server !== undefined && keyOf(server) === key ? [{ server, tools }] : [];
    });
  return {
    load: async () => ofConfig(await store.load()),
    save: async (changes) => ofConfig(await store.save(changes.map((change) => moved(change, keyOf)))),
  };
}

function moved<Change extends PinChange>(change: Change, keyOf: (server: string) => string): Change {
  return { ...change, server: keyOf(change.server) };
}
