import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { followConfig } from '../../src/config/live-config.js';
import { deferred } from '../helpers/deferred.js';
import { localStack } from '../helpers/local-stack.js';
import { serversFile } from '../helpers/project.js';
import { replaceFile } from '../helpers/replace-file.js';

afterEach(expectNoLeaks);

const slow = { name: 'slow', server: 'slow' } as const;

test('an edit is in effect once it is settled, also while the calls of an earlier edit finish', async () => {
  await using here = await localStack([slow]);
  const { stack, folder } = here;
  const io = { cwd: folder, env: { PATH: process.env.PATH, MCPX_TRUST: '1' }, signal: new AbortController().signal };
  await using live = followConfig({ stack, io });
  await live.settled();
  const ending = new AbortController();
  const called = deferred();
  const options = { signal: ending.signal, onProgress: () => called.resolve() };
  const calling = stack.manager.server('slow').callTool('wait', { ms: 600_000, steps: 6_000 }, options);
  await called.promise;

  const edit = async (text: string) => {
    await replaceFile(join(folder, 'mcp_servers.yaml'), text);
    await live.settled();
    expect(stack.manager.server('slow').phase).toBe('draining');
    return stack.manager.servers().map(({ name }) => name);
  };
  const changed = { ...slow, fields: { env: { CHANGED: 'yes' } } };
  const withEchoes = (...names: string[]) =>
    serversFile([changed, ...names.map((name) => ({ name, server: 'echo' as const }))]);
  expect(await edit(withEchoes('one'))).toEqual(['slow', 'one']);
  expect(await edit(withEchoes('two'))).toEqual(['slow', 'two']);
  stack.trustNow();
  expect(await stack.manager.callTool('two', 'echo', { text: 'hi' })).toMatchObject({ content: [{ text: 'hi' }] });
  expect(await live.reload()).toMatchObject({ added: ['two'], restarted: ['slow'], removed: [] });
  expect(await edit('mcp_servers: 7')).toEqual(['slow', 'two']);
  expect(live.problem?.message).toContain('mcp_servers');

  ending.abort(new Error('long enough'));
  await expect(calling).rejects.toThrow('long enough');
  await stack.manager.server('slow').start();
  expect(live.problem?.message).toContain('mcp_servers');
});
