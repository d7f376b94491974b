import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expectNoLeaks, findLeaks, testServer } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { exitCodes } from '../src/command.js';
import { deeperEnvironment, refuseNesting } from '../src/servers/gateway-depth.js';
import { project } from './helpers/project.js';
import { runMcpx } from './helpers/run-mcpx.js';
import { ioIn, mcpx, startServing } from './helpers/serving.js';
import { userWorld } from './helpers/user-world.js';

afterEach(expectNoLeaks);

/** A config with an ordinary server and one more. Their processes carry the mark, and pass it on. */
async function stage(other: object) {
  const mark = randomUUID();
  const env = { MCPX_TEST: mark };
  const servers = {
    echo: { ...testServer('echo'), env },
    me: { ...other, env: { ...env, ...('env' in other ? (other.env as object) : {}) } },
  };
  const text = JSON.stringify({ mcpServers: servers }, null, 2);
  const place = await project({ '.mcp.json': text });
  await mkdir(join(place.folder, 'run'), { mode: 0o700 });
  return { ...place, marked: () => findLeaks(`MCPX_TEST=${mark}`) };
}

describe('a config that contains its own gateway', () => {
  test.each<[string, object]>([
    ['by its program', { command: process.execPath, args: [mcpx, 'serve'] }],
    ['by its name', { command: 'mcpx', args: ['serve'] }],
    ['by its package', { command: 'npx', args: ['-y', '@x/mcp-cli', 'serve'] }],
    ['by its marker', { command: process.execPath, args: [mcpx, '--', 'serve'], env: { MCPX_GATEWAY: '1' } }],
  ])('is warned of, and starts the other servers alone: %s', async (_, entry) => {
    await using place = await stage(entry);
    const { stdout, stderr, exitCode } = await runMcpx(['validate'], ioIn(place.folder));
    expect(exitCode).toBe(exitCodes.ok);
    expect(stdout + stderr).toMatch(/\.mcp\.json:\d+:\d+ warning own-gateway/);
    await using serving = await startServing(place.folder, [], { XDG_RUNTIME_DIR: join(place.folder, 'run') });
    expect(serving.stderr()).toContain('me is skipped');
    expect(await place.marked()).toHaveLength(1);
  });
});

describe('a gateway that cannot be recognized', () => {
  const hidden = (words: readonly string[]) => ({
    command: process.execPath,
    args: [
      '-e',
      `require("node:child_process").spawn(process.execPath, ${JSON.stringify([mcpx, ...words])}, { stdio: "inherit" }).on("exit", (code) => process.exit(code))`,
    ],
  });

  test.each(['serve', 'up', 'up --foreground'])('refuses mcpx %s one level below', async (words) => {
    await using place = await stage(hidden(words.split(' ')));
    await using serving = await startServing(place.folder, ['--verbose'], {
      XDG_RUNTIME_DIR: join(place.folder, 'run'),
    });
    await serving.seen(/MCPX_DEPTH=1/);
    const all = await place.marked();
    // The ordinary server; at most one process that is about to be refused, and its parent.
    expect(all.length).toBeLessThanOrEqual(3);
    expect(all.filter(({ command }) => command.includes('echo'))).toHaveLength(1);
  });
});

test('counts levels below a gateway and allows a single command on the first', () => {
  const first = deeperEnvironment({ A: 'x' });
  expect(first).toEqual({ A: 'x', MCPX_DEPTH: '1' });
  const second = deeperEnvironment(first);
  expect(second.MCPX_DEPTH).toBe('2');
  expect(() => refuseNesting({}, 'gateway')).not.toThrow();
  expect(() => refuseNesting(first, 'gateway')).toThrow(/MCPX_DEPTH=1/);
  expect(() => refuseNesting(first, 'command')).not.toThrow();
  expect(() => refuseNesting(second, 'command')).toThrow(/MCPX_DEPTH=2/);
  for (const odd of ['-1', 'x', '1e9', '99999']) expect(() => refuseNesting({ MCPX_DEPTH: odd }, 'command')).toThrow();
});

test('sync writes no gateway into the file that is its config', async () => {
  const config = JSON.stringify({ mcpServers: { echo: { command: 'npx', args: ['-y', 'echo'] } } });
  await using user = await userWorld({ 'project/.mcp.json': config });
  for (const words of [['--yes'], ['--dry-run'], ['--check']]) {
    const told = await user.run(['sync', 'claude', '--scope', 'project', '--gateway', ...words]);
    expect(told.exitCode, told.stderr).toBe(exitCodes.config);
    expect(told.stderr).toContain('.mcp.json is the config that the gateway would serve');
    expect(told.stderr).toContain('mcp_servers.yaml');
  }
  expect(await user.read('project/.mcp.json')).toBe(config);
});

test('sync writes the gateway into a file that is not its config', async () => {
  await using user = await userWorld({
    'project/.mcp.json': '{ "mcpServers": {} }',
    'project/mcp_servers.yaml': 'mcp_servers:\n  echo: { command: npx echo }\n',
  });
  const told = await user.run(['sync', 'claude', '--scope', 'project', '--gateway', '--yes']);
  expect(told.exitCode).toBe(exitCodes.ok);
  expect(await user.read('project/.mcp.json')).toContain('serve');
});
