import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { RawServer } from './helpers/raw-server.js';

afterEach(expectNoLeaks);

test('subagents has five tools and a template, in the root that it is given', async () => {
  await using server = new RawServer('subagents', 'serve', '--root', '/srv/app');
  expect(await server.toolNames()).toHaveLength(5);
  expect(await server.text('get_locks')).toBe('get_locks in /srv/app');
  const { result } = await server.request('resources/read', { uri: 'agents://coder' });
  expect(result).toMatchObject({ contents: [{ text: 'The agent coder' }] });
});

test('subagents exits without a root', async () => {
  await using server = new RawServer('subagents', 'serve');
  expect(await server.stderr()).toContain('VAULTSPEC_MCP_ROOT_DIR');
  expect(await server.exited).toEqual({ code: 1, signal: null });
});
