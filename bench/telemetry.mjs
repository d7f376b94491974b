// Promise: metrics cost few calls a second. Compared with the same manager without it, in the same process, over the
// smallest server and over a real one. `telemetry-parts.mjs` says what is the SDK's own.
import { loadavg } from 'node:os';
import { fileURLToPath } from 'node:url';
import { testServer } from '../packages/test-servers/dist/index.js';
import { costOfCalls, printCosts } from './call-costs.mjs';
import { interleaved, numbersFrom, printConditions } from './measurement.mjs';
import { packageDependency, packageEntry } from './own-packages.mjs';
import { sdkMetrics, tracing } from './telemetry-apis.mjs';

const { rounds, calls } = numbersFrom({ rounds: 40, calls: 250 });
const { createClientManager } = await import(packageEntry('mcp-client-manager'));
const { createMetricProducer, createTelemetry } = await import(packageEntry('mcp-client-manager', 'telemetry'));

/** The context of every call with spans: a longer message, which the server parses. */
const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';
const longer = 'off, with a traceparent';

const contenders = {
  off: () => undefined,
  [longer]: () => undefined,
  metrics: () => createTelemetry({ metrics: createMetricProducer() }),
  'metrics, with the meter of the SDK': () => createTelemetry({ metrics: sdkMetrics() }),
  'metrics, 1 of 20 spans': () => createTelemetry({ ...tracing(0.05), metrics: createMetricProducer() }),
  'metrics, every span': () => createTelemetry({ ...tracing(1), metrics: createMetricProducer() }),
};

const everything = '@modelcontextprotocol/server-everything/dist/index.js';
const servers = {
  'the smallest server': { ...testServer('echo'), call: ['echo', { text: 'hello' }] },
  '@modelcontextprotocol/server-everything': {
    command: process.execPath,
    args: [fileURLToPath(packageDependency('mcp-cli', everything)), 'stdio'],
    call: ['echo', { message: 'hello' }],
  },
};

const loadBefore = loadavg()[0];
for (const [server, { call, ...spec }] of Object.entries(servers)) {
  const managers = new Map();
  for (const [name, telemetry] of Object.entries(contenders)) {
    const manager = createClientManager({ servers: [{ name: 'up', ...spec }] }, { telemetry: telemetry() });
    await manager.server('up').start();
    managers.set(name, manager);
  }
  for (const lanes of [1, 8]) {
    const asked = Array.from(managers, ([name, manager]) => {
      const options = name === longer ? { meta: { traceparent } } : {};
      const pids = [process.pid, manager.server('up').status.pid];
      const callUp = () => manager.callTool('up', ...call, options);
      return [name, () => costOfCalls(callUp, { lanes, calls, pids })];
    });
    const measured = await interleaved(Object.fromEntries(asked), rounds);
    printCosts(`${server} over stdio, ${lanes === 1 ? 'one call at a time' : `${lanes} in flight`}`, measured);
  }
  for (const manager of managers.values()) await manager.close();
}
printConditions({
  how: [
    `${rounds} interleaved rounds`,
    `${calls} calls each`,
    'processor time of this process and the server',
    'a batch processor whose exporter drops its spans',
    `load of the machine ${loadBefore.toFixed(1)} – ${loadavg()[0].toFixed(1)}`,
  ],
});
