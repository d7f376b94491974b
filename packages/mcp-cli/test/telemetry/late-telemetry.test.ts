import { createClientManager } from '@x/mcp-client-manager';
import { createTelemetry } from '@x/mcp-client-manager/telemetry';
import { expectNoLeaks, recordTelemetry, testServer } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { DaemonTelemetry } from '../../src/daemon/daemon-telemetry.js';
import { LateTelemetry } from '../../src/telemetry/late-telemetry.js';

afterEach(expectNoLeaks);

test('a running manager reports from the moment that its telemetry has begun', async () => {
  const late = new LateTelemetry();
  await using manager = createClientManager({ servers: [{ name: 'up', ...testServer('echo') }] }, { telemetry: late });
  await manager.callTool('up', 'echo', { text: 'unseen' });
  const [first, second] = [recordTelemetry(), recordTelemetry()];
  late.use(createTelemetry(first.api));
  await manager.callTool('up', 'echo', { text: 'seen' });
  expect(first.spans().map(({ name }) => name)).toEqual(['tools/call echo']);
  const state = { attributes: { 'mcpx.server': 'up', 'mcpx.server.state': 'running' }, value: 1 };
  expect(await first.points('mcpx.server.state')).toContainEqual(state);

  late.use(createTelemetry(second.api));
  await manager.callTool('up', 'echo', { text: 'seen elsewhere' });
  expect(first.spans()).toHaveLength(1);
  expect(second.spans()).toHaveLength(1);
  expect(await second.points('mcpx.server.state')).toContainEqual(state);
  await manager.close();
  expect(await first.points('mcp.client.session.duration')).toEqual([]);
  expect(await second.points('mcp.client.session.duration')).toMatchObject([{ value: 1 }]);
  expect(await second.points('mcpx.server.tools')).toMatchObject([{ value: 8 }]);
});

test('metrics of a daemon are counted once they were requested, and once', async () => {
  await using telemetry = new DaemonTelemetry({ env: {}, log: () => undefined });
  const servers = [{ name: 'up', ...testServer('echo') }];
  await using manager = createClientManager({ servers }, { telemetry: telemetry.late });
  await manager.callTool('up', 'echo', { text: 'unseen' });
  const [metrics, same] = await Promise.all([telemetry.metrics(), telemetry.metrics()]);
  expect(same).toBe(metrics);
  await manager.callTool('up', 'echo', { text: 'seen' });
  expect(metrics.text()).toMatch(/^mcp_client_operation_duration_seconds_count\{[^}]*\} 1$/m);
});
