import { join } from 'node:path';
import { limitResults } from '@x/mcp-registry/interceptors';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { openStack } from '../../src/compose.js';
import { stackOf } from '../../src/serving/daemon-stack.js';
import { project, serversFile } from '../helpers/project.js';

afterEach(expectNoLeaks);

test('a serving has one view for each role and principal, and none for a role that got lost', async () => {
  const role_restrictions = { reader: { allowed_tools: ['echo'] } };
  await using here = await project({
    'mcp_servers.yaml': serversFile([{ name: 'echo', server: 'echo' }]),
    'tools.yaml': JSON.stringify({ tools: { app: { role_restrictions } } }),
  });
  const { signal } = new AbortController();
  const io = { cwd: here.folder, env: { PATH: process.env.PATH }, signal, stateDirectory: join(here.folder, 'state') };
  await using stack = await openStack({}, io);
  const options = { servers: [], names: 'prefixed', mode: 'full' } as never;
  const { registry } = stackOf(stack, options, { interceptors: [limitResults()], audit: undefined });
  const ofAda = registry.view({ role: 'reader', principal: 'ada' });
  expect(registry.view({ role: 'reader', principal: 'ada' })).toBe(ofAda);
  expect(registry.view({ role: 'reader', principal: 'bob' })).not.toBe(ofAda);
  expect(registry.view({ role: 'reader' })).not.toBe(ofAda);
  expect(registry.view()).toBe(registry.view());
  expect(() => registry.view({ role: undefined } as never)).toThrow('role must be a text');
});
