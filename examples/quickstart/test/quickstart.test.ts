import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expectNoLeaks } from '@x/mcp-client-manager/testing';
import { expect, test } from 'vitest';

const program = fileURLToPath(new URL('../src/main.ts', import.meta.url));

async function runQuickstart(env: NodeJS.ProcessEnv): Promise<string> {
  const running = promisify(execFile)(process.execPath, ['--import', 'tsx', program], {
    env: { ...process.env, NO_COLOR: undefined, FORCE_COLOR: undefined, ...env },
  });
  const { stdout } = await running;
  await expectNoLeaks({ host: running.child.pid });
  return stdout;
}

test('the quickstart goes through its seven steps on real servers and leaves nothing behind', async () => {
  const output = await runQuickstart({ NO_COLOR: '1' });
  expect(output.match(/^\d\. .*/gm)).toEqual([
    '1. The configuration, checked, and which servers the app needs',
    '2. The servers start: spawn, handshake, tools',
    '3. search_mcp_tools: by words, by pattern, and finding itself',
    "4. The app's own tool, next to the servers' tools",
    '5. A call through the router, and a role that may not write',
    "6. A server's process is killed from outside",
    '7. Everything stops, and nothing is left',
  ]);
  expect(output).toMatch(/required +filesystem: configured/);
  expect(output).toMatch(/filesystem is ready with \d+ tools/);
  expect(output).toMatch(/^filesystem +● running +✓ +\d+/m);
  expect(output).toContain('review reads: "Hello from a real file.\\n"');
  expect(output).toContain('review writes: refused (unknown-tool)');
  expect(output).toMatch(/meanwhile +it is (starting|stopping), and its [1-9]\d* tools stay listed/);
  expect(output).toMatch(/✓ process \d+ answers the call: "[A-Z]/);
  expect(output).toMatch(/✓ processes \d+, \d+, \d+: gone/);
  expect(output).not.toContain('\u001b[');
});

test('the quickstart is coloured where colours are asked for', async () => {
  expect(await runQuickstart({ FORCE_COLOR: '1' })).toContain('\u001b[1;36m1. The configuration');
});
