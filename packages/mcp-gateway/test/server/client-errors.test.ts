import { PassThrough } from 'node:stream';
import { createRegistry } from '@x/mcp-registry';
import { expect, test } from 'vitest';
import { serveRegistry } from '../../src/server/stdio/serve-registry.js';

const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'raw', version: '1.0.0' } };

test('reports unexpected messages to operators, without their content', async () => {
  await using registry = createRegistry();
  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const errors: Error[] = [];
  await using _serving = serveRegistry(registry, { stdin, stdout, onError: (error) => errors.push(error) });
  const say = (message: object) => stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  const answered = async (id: number) => {
    for await (const line of stdout.iterator({ destroyOnReturn: false })) {
      if (String(line).includes(`"id":${id}`)) return;
    }
  };
  say({ id: 1, method: 'initialize', params: initialize });
  await answered(1);
  say({ id: 77, result: { action: 'accept', content: { password: 'a-private-word' } } });
  say({ method: 'notifications/progress', params: { progressToken: 5, progress: 1, message: 'a-private-word' } });
  say({ id: 2, method: 'ping' });
  await answered(2);
  expect(errors.map(({ message }) => message)).toEqual([
    'Received a response for an unknown message ID',
    'Received a progress notification for an unknown token',
  ]);
  expect(errors.map(({ stack }) => stack).join()).not.toContain('a-private-word');
});
