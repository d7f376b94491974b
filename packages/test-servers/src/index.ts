// Helpers of tests.

export type { CollectedImports } from './harness/collect-imports.js';
export { collectImports } from './harness/collect-imports.js';
export type { LeakedProcess } from './harness/leak-check.js';
export { expectNoLeaks, findLeaks, ownerPrefix, ownerVariable, withOwner } from './harness/leak-check.js';
export type { ListSource } from './harness/list-source.js';
export { createListSource, textOf, textResult, tool } from './harness/list-source.js';
export type {
  AsksOverHttp,
  ConformanceHttp,
  ExtensionsHttp,
  HttpEcho,
  ReportsTrace,
} from './harness/listening-process.js';
export {
  startAsksOverHttp,
  startConformanceHttp,
  startExtensionsHttp,
  startHttpEcho,
  startReportsTrace,
} from './harness/listening-process.js';
export type { LoopbackServer } from './harness/loopback.js';
export { freePorts, serveOnLoopback } from './harness/loopback.js';
export type { Mistake, MistakeOutcome } from './harness/misuse.js';
export { documentedMistakes, outcomeOf } from './harness/misuse.js';
export type { NatsCluster, NatsMember } from './harness/nats-cluster.js';
export { startNatsCluster } from './harness/nats-cluster.js';
export type { NatsServer, NatsServerOptions } from './harness/nats-server.js';
export { startNatsServer } from './harness/nats-server.js';
export type { OAuthServer } from './harness/oauth-server.js';
export { startOAuthServer } from './harness/oauth-server.js';
export type { ProtectedEcho } from './harness/protected-echo.js';
export { startProtectedEcho } from './harness/protected-echo.js';
export type { RecordedApi, RecordedPoint } from './harness/record-telemetry.js';
export { failingApi, recordTelemetry } from './harness/record-telemetry.js';
export type { HttpRefusal, HttpRefusing, StdioRefusal } from './harness/refusals.js';
export { httpRefusals, startHttpRefusing, stdioRefusals } from './harness/refusals.js';
export { standStill } from './harness/stand-still.js';
export type { TestServerCommand, TestServerName } from './harness/test-server.js';
export { testServer } from './harness/test-server.js';
