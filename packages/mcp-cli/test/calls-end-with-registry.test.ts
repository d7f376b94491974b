import { createClientManager } from '@x/mcp-client-manager';
import { createRegistry } from '@x/mcp-registry';
import { expectNoLeaks, testServer, textOf } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';

afterEach(expectNoLeaks);

test('the end of a registry cancels its calls at the server, and no other calls', async () => {
  await using manager = createClientManager({ servers: [{ name: 'slow', ...testServer('slow') }] });
  const server = manager.server('slow');
  await server.start();
  const registry = createRegistry();
  await registry.attach(server).ready;
  const waiting = registry.call('mcp__slow__wait', { ms: 60_000 });
  const own = server.callTool('wait', { ms: 300 });
  await server.callTool('cancelled'); // the requests before it have reached the server
  await registry.close();
  await expect(waiting).rejects.toMatchObject({ code: 'closed' });
  expect(JSON.parse(textOf(await server.callTool('cancelled')))).toHaveLength(1);
  expect(textOf(await own)).toBe('waited 300 ms');
});
