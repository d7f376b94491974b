import type { PinChange, PinStore, Pins } from '@x/mcp-registry';

/**
 * The approvals of the servers of one config, kept in a store of all configs under the entry that declares each server. Two
 * entries of one name, such as one of the user and one of a project, share nothing.
 *
 * @param entryOf - What stands for the entry of a server; `undefined` for one that no config declares.
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
