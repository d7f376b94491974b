import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { createClientManager } from '../src/manager.js';
import type { ClientHandlers } from '../src/session/server-requests/client-handlers.js';
import { deferred } from './helpers/deferred.js';
import { textOf } from './helpers/servers.js';

afterEach(expectNoLeaks);

const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json');
const everything = {
  name: 'everything',
  command: process.execPath,
  args: [join(dirname(manifest), 'dist', 'index.js'), 'stdio'],
  limits: { shutdownTimeoutMs: 1_000 },
};

const handlers: ClientHandlers = {
  roots: () => ({ roots: [{ uri: 'file:///work', name: 'work' }] }),
  sampling: () => ({ role: 'assistant', content: { type: 'text', text: 'Indeed' }, model: 'none' }),
  elicitation: () => ({ action: 'accept', content: { interpretation: 'technical' } }),
  urlElicitation: () => ({ action: 'decline' }),
};

test('server-everything: its server requests are answered', async () => {
  await using manager = createClientManager({ servers: [everything] }, { handlers });
  const call = async (tool: string, args: Record<string, unknown> = {}): Promise<string> =>
    textOf(await manager.callTool('everything', tool, args));
  expect(await call('get-roots-list')).toContain('file:///work');
  expect(await call('trigger-sampling-request', { prompt: 'Well?', maxTokens: 10 })).toContain('Indeed');
  expect(await call('trigger-elicitation-request')).toContain('provided');
  expect(await call('trigger-url-elicitation', { url: 'https://example.com/' })).toContain('declined');
});

test('server-everything: resources, prompts and completion', async () => {
  await using manager = createClientManager({ servers: [everything] });
  const server = manager.server('everything');
  const { items, completeness } = await server.listResources();
  expect(completeness).toBe('complete');
  const { contents } = await server.readResource(String(items[0]?.uri));
  expect(contents[0]?.text).toEqual(expect.any(String));
  expect((await server.listResourceTemplates()).items).toHaveLength(2);
  expect((await server.listPrompts()).items.map(({ name }) => name)).toContain('args-prompt');
  const prompt = await server.getPrompt('args-prompt', { city: 'Oslo' });
  expect(JSON.stringify(prompt.messages)).toContain('Oslo');
  const ref = { type: 'ref/prompt', name: 'completable-prompt' } as const;
  const { completion } = await server.complete({ ref, argument: { name: 'department', value: 'E' } });
  expect(completion.values).toEqual(['Engineering']);
});

test('server-everything: a task that asks the host while it works', async () => {
  await using manager = createClientManager({ servers: [everything] }, { handlers });
  const report = await manager.callTool('everything', 'simulate-research-query', { topic: 'python', ambiguous: true });
  expect(textOf(report)).toContain('technical');
});

test('server-everything: a subscription and the log', async () => {
  await using manager = createClientManager({ servers: [everything] });
  const server = manager.server('everything');
  const logged = deferred<unknown>();
  manager.events.on('server-log', logged.resolve);
  await server.setLogLevel('debug');
  await server.callTool('toggle-simulated-logging');
  expect(await logged.promise).toMatchObject({ server: 'everything' });
  const updated = deferred<unknown>();
  manager.events.on('resource-updated', updated.resolve);
  const uri = 'demo://resource/dynamic/text/1';
  await server.subscribeResource(uri);
  await server.callTool('toggle-subscriber-updates');
  expect(await updated.promise).toEqual({ server: 'everything', uri });
});
