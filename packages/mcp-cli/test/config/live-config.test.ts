import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { followConfig } from '../../src/config/live-config.js';
import { localStack } from '../helpers/local-stack.js';
import { serversFile } from '../helpers/project.js';
import { replaceFile } from '../helpers/replace-file.js';

afterEach(expectNoLeaks);

test('an edit is in effect once it is settled, also while the calls of an earlier edit finish', async () => {
  const slow = { name: 'slow', server: 'slow' } as const;
  await using here = await localStack([slow]);
  const { stack, folder } = here;
  const io = { cwd: folder, env: { PATH: process.env.PATH, MCPX_TRUST: '1' }, signal: new AbortController().signal };
  await using live = followConfig({ stack, config: undefined, io });
  await live.settled();
  await stack.manager.start();
  const calling = stack.manager.server('slow').callTool('wait', { ms: 1_500 });

  const edit = async (...names: string[]) => {
    const echoes = names.map((name) => ({ name, server: 'echo' as const }));
    await replaceFile(
      join(folder, 'mcp_servers.yaml'),
      serversFile([{ ...slow, fields: { env: { CHANGED: 'yes' } } }, ...echoes]),
    );
    await live.settled();
    return stack.manager.servers().map(({ name }) => name);
  };
  expect(await edit('one')).toEqual(['slow', 'one']);
  expect(await edit('one', 'two')).toEqual(['slow', 'one', 'two']);
  await calling;
});
