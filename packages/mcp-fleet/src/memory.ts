// Public API of "@x/mcp-fleet/memory": each export is a promise.

export type { BusPermissions } from './bus/fleet-subjects.js';
export { nodePermissions } from './bus/fleet-subjects.js';
export type { MemoryBroker, MemoryBrokerOptions } from './memory/broker.js';
export { createMemoryBroker, defaultMemoryBroker } from './memory/broker.js';
export type { MemoryBus, MemoryConnectOptions } from './memory/memory-bus.js';
