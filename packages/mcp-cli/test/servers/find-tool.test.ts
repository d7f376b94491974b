import { PassThrough } from 'node:stream';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import type { Control } from '../../src/control/control.js';
import { createLocalControl } from '../../src/control/local-control.js';
import { findTool } from '../../src/servers/find-tool.js';
import { localStack } from '../helpers/local-stack.js';

afterEach(expectNoLeaks);

const io = {
  stdin: new PassThrough(),
  stdout: new PassThrough(),
  stderr: new PassThrough(),
  env: {},
  cwd: '/',
  signal: new AbortController().signal,
};

test('a tool is found whose server lists it after the first look, and is running at the second', async () => {
  await using here = await localStack([{ name: 'echo', server: 'echo' }]);
  const own = createLocalControl(here.stack);
  const control: Control = {
    ...own,
    toolOwners: async (request) => {
      await own.start({ servers: ['echo'] });
      return own.toolOwners(request);
    },
  };
  expect(await findTool(control, { tool: 'echo.echo' }, io)).toMatchObject({ tool: { name: 'mcp__echo__echo' } });
  await expect(findTool(control, { tool: 'echo.none' }, io)).rejects.toMatchObject({ code: 'unknown-tool' });
});
