// What tests import. Every other file in this folder that is not imported by one is a server of its own.

export type { HttpEcho } from './harness/http-echo-process.js';
export { startHttpEcho } from './harness/http-echo-process.js';
export type { LeakedProcess } from './harness/leak-check.js';
export { expectNoLeaks, findLeaks } from './harness/leak-check.js';
export { ownerPrefix, ownerVariable, withOwner } from './harness/owner.js';
export type { TestServerCommand, TestServerName } from './harness/test-server.js';
export { testServer } from './harness/test-server.js';
