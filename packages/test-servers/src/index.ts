// What tests import. Every other file in this folder that is not imported by one is a server of its own.

export type { AsksOverHttp } from './harness/asks-over-http-process.js';
export { startAsksOverHttp } from './harness/asks-over-http-process.js';
export type { ConformanceHttp } from './harness/conformance-process.js';
export { startConformanceHttp } from './harness/conformance-process.js';
export { freePorts } from './harness/free-ports.js';
export type { HttpEcho } from './harness/http-echo-process.js';
export { startHttpEcho } from './harness/http-echo-process.js';
export type { HttpRefusal, HttpRefusing } from './harness/http-refusals.js';
export { httpRefusals, startHttpRefusing } from './harness/http-refusals.js';
export type { LeakedProcess } from './harness/leak-check.js';
export { expectNoLeaks, findLeaks } from './harness/leak-check.js';
export type { LoopbackServer } from './harness/loopback.js';
export { serveOnLoopback } from './harness/loopback.js';
export type { NatsCluster, NatsMember } from './harness/nats-cluster.js';
export { startNatsCluster } from './harness/nats-cluster.js';
export type { NatsServer, NatsServerOptions } from './harness/nats-server.js';
export { startNatsServer } from './harness/nats-server.js';
export type { OAuthServer } from './harness/oauth-server.js';
export { startOAuthServer } from './harness/oauth-server.js';
export { ownerPrefix, ownerVariable, withOwner } from './harness/owner.js';
export type { ProtectedEcho } from './harness/protected-echo.js';
export { startProtectedEcho } from './harness/protected-echo.js';
export { standStill } from './harness/stand-still.js';
export type { StdioRefusal } from './harness/stdio-refusals.js';
export { stdioRefusals } from './harness/stdio-refusals.js';
export type { TestServerCommand, TestServerName } from './harness/test-server.js';
export { testServer } from './harness/test-server.js';
