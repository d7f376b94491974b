// Everything that can be imported from "@x/mcp-fleet/nats". A new line here is new public API.

export type { NatsAccountsOptions, NatsUser } from './nats/accounts-config.js';
export { natsAccountsConfig } from './nats/accounts-config.js';
export { openNatsBus } from './nats/open-nats-bus.js';
export type { NatsBusOptions, NatsTlsOptions } from './nats/options.js';
export type { NatsPermissions } from './nats/permissions.js';
export { natsPermissions } from './nats/permissions.js';
