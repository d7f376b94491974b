// All exports of "@x/mcp-client-manager/testing". A new line here is new public API.

export type { FakeClock } from './testing/clock/fake-clock.js';
export { installFakeClock } from './testing/clock/fake-clock.js';
export type { FakeCall, FakeStarted } from './testing/fake-server/fake-history.js';
export type { FakeServer } from './testing/fake-server/fake-server.js';
export { fakeServer } from './testing/fake-server/fake-server.js';
export type {
  FakeAnswer,
  FakeEra,
  FakeError,
  FakeNoise,
  FakePages,
  FakeReply,
  FakeServerScript,
  FakeSignal,
  FakeStart,
  FakeTool,
} from './testing/fake-server/fake-server-script.js';
export type { ExpectNoLeaksOptions, Leak, LeakedProcess, LeakOptions } from './testing/leaks/find-leaks.js';
export { expectNoLeaks, findLeaks } from './testing/leaks/find-leaks.js';
export type { LeakedResource, OpenResourceKind, OpenResources } from './testing/leaks/open-resources.js';
export { openResources } from './testing/leaks/open-resources.js';
export type { UntilPhaseOptions } from './testing/until-phase.js';
export { untilPhase } from './testing/until-phase.js';
