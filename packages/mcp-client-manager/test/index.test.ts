import { expect, test } from 'vitest';
import * as auth from '../src/auth.js';
import * as diagnose from '../src/diagnose.js';
import * as root from '../src/index.js';
import * as telemetry from '../src/telemetry.js';
import * as testing from '../src/testing.js';

test('the entries export exactly this', () => {
  const names = Object.entries({ root, auth, diagnose, telemetry, testing }).map(([entry, module]) => [
    entry,
    Object.keys(module).sort(),
  ]);
  expect(Object.fromEntries(names)).toEqual({
    root: ['ManagerError', 'createClientManager', 'isManagerError', 'preload'],
    auth: ['createClientCredentialsProvider', 'createFileTokenStore', 'createOAuthProvider'],
    diagnose: ['checkCommand', 'connectionStatusOf', 'findOrphanedProcesses', 'logFileName', 'memoryByGroup'],
    telemetry: ['createMetricProducer', 'createTelemetry'],
    testing: ['expectNoLeaks', 'fakeServer', 'findLeaks', 'installFakeClock', 'openResources', 'untilPhase'],
  });
});
