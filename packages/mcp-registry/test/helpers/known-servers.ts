import type { KnownServers } from '../../src/roles.js';

/** No server is known, so that an entry is read for each server that it is asked about. */
export const NO_SERVERS: KnownServers = { has: () => false, knows: () => false, toolsOf: () => undefined };

export const noServer = (): boolean => false;
