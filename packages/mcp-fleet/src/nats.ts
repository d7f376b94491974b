// Public API of "@x/mcp-fleet/nats": each export is a promise.

export type { NatsAccountsOptions, NatsUser } from './nats/accounts-config.js';
export { natsAccountsConfig } from './nats/accounts-config.js';
export { openNatsBus } from './nats/nats-bus.js';
export type { NatsBusOptions, NatsTlsOptions } from './nats/options.js';
export type { NatsPermissions } from './nats/permissions.js';
export { natsPermissions } from './nats/permissions.js';
