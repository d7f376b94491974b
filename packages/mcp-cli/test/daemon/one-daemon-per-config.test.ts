import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { markedEcho, userMachine } from '../helpers/user-machine.js';

afterEach(expectNoLeaks);

const servers = (...names: string[]): string =>
  JSON.stringify({
    mcp_servers: Object.fromEntries(names.map((name) => [name, { ...markedEcho({}, name), auto_start: true }])),
  });

test.each([
  ['work', []],
  ['.', ['-c', 'work/mcp_servers.yaml']],
  ['.', ['-c', 'work']],
])('started in %s with %j, the daemon has the servers of the project and of the user', async (cwd, names) => {
  await using ann = await userMachine({
    'work/mcp_servers.yaml': servers('ours'),
    'work/deep/x': '',
    'work/other.yaml': servers('other'),
    'home/.config/mcpx/mcp_servers.yaml': servers('mine'),
  });
  await ann.run(['trust', '--yes', 'work']);
  await ann.run(['up', ...names], { cwd });
  const daemon = async (where: string, ...argv: string[]) => {
    const { stdout } = await ann.run(['status', '--json', ...argv], { cwd: where });
    const report = JSON.parse(stdout) as { daemon?: { pid: number }; servers: { name: string; state: string }[] };
    return { pid: report.daemon?.pid, servers: report.servers.map(({ name, state }) => `${name} ${state}`) };
  };
  const found = await daemon('work/deep');
  expect(found).toEqual({ pid: expect.any(Number), servers: ['ours running', 'mine running'] });
  expect(await daemon('.', '-c', 'work/mcp_servers.yaml')).toEqual(found);
  expect(await daemon('work', '-c', join(ann.folder, 'work'))).toEqual(found);
  expect(await daemon('work', '-c', 'other.yaml')).toEqual({ servers: ['other stopped'] });
  expect((await ann.processes()).length).toBe(2);
});
