import type { Histogram } from '@opentelemetry/api';
import type { ObservedServer } from '../contracts/telemetry.js';
import type { UsedMeter } from './open-telemetry-api.js';

/** @see https://github.com/open-telemetry/semantic-conventions-genai/blob/main/docs/gen-ai/mcp.md#metrics */
const explicitBucketBoundaries = [0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 120, 300];
const tokenBuckets = [100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000, 200_000];

interface Durations {
  readonly operation: Histogram;
  readonly session: Histogram;
}

/** Instruments of requests and sessions. */
export interface Instruments {
  readonly client: Durations;
  readonly server: Durations;
  readonly listedTokens: Histogram;
}

export function createInstruments(meter: UsedMeter): Instruments {
  const durations = (kind: 'client' | 'server'): Durations => {
    const histogram = (what: 'operation' | 'session', description: string): Histogram =>
      meter.createHistogram(`mcp.${kind}.${what}.duration`, {
        unit: 's',
        description,
        advice: { explicitBucketBoundaries },
      });
    return {
      operation: histogram('operation', `Duration of MCP requests as the ${kind} observes it`),
      session: histogram('session', `Duration of MCP sessions as the ${kind} observes it`),
    };
  };
  return {
    client: durations('client'),
    server: durations('server'),
    listedTokens: meter.createHistogram('mcpx.tools.listed.tokens', {
      unit: '{token}',
      description: 'Estimated tokens of the tool definitions in one response to tools/list',
      advice: { explicitBucketBoundaries: tokenBuckets },
    }),
  };
}

const states = ['stopped', 'starting', 'running', 'degraded', 'stopping', 'failed'];

/** Gauges of a manager's servers, read on each collection until disposed. */
export function observeServers(meter: UsedMeter, read: () => readonly ObservedServer[]): Disposable {
  const gauge = (name: string, unit: string, description: string) =>
    meter.createObservableGauge(`mcpx.server.${name}`, { unit, description });
  const state = gauge('state', '{server}', '1 for the state that the server is in, 0 for the others');
  const tools = gauge('tools', '{tool}', 'Tools that the spec of the server allows');
  const active = gauge('requests.active', '{request}', 'Requests that wait for a response of the server');
  const queued = gauge(
    'requests.queued',
    '{request}',
    'Requests that wait in the queue or for the start of the server',
  );
  const restarts = meter.createObservableCounter('mcpx.server.restarts', {
    unit: '{restart}',
    description: 'Restarts of the server',
  });
  const seen = new Set<string>();
  const all = [state, tools, active, queued, restarts];
  const observe: Parameters<UsedMeter['addBatchObservableCallback']>[0] = (result) => {
    const servers = read();
    for (const { name } of servers) seen.add(name);
    // A collector keeps the last value of what is not observed any more.
    for (const name of seen) {
      const current = servers.find((server) => server.name === name)?.state;
      for (const each of states) {
        result.observe(state, each === current ? 1 : 0, { 'mcpx.server': name, 'mcpx.server.state': each });
      }
    }
    for (const server of servers) {
      const attributes = { 'mcpx.server': server.name };
      result.observe(tools, server.tools, attributes);
      result.observe(active, server.callsInFlight, attributes);
      result.observe(queued, server.callsQueued, attributes);
      result.observe(restarts, server.restarts, attributes);
    }
  };
  meter.addBatchObservableCallback(observe, all);
  return { [Symbol.dispose]: () => meter.removeBatchObservableCallback(observe, all) };
}
