// The first try of docs/fleet.md as it is shown: one nats-server without logins, and the program twice.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expectNoLeaks, startNatsServer, withOwner } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { fencesOf } from '../stage/page.js';

const program = join(import.meta.dirname, '../nats/fleet-try.ts');
const shown = fencesOf('docs/fleet.md', 'text').find((fence) => fence.startsWith('$ node fleet-try.mjs')) ?? '';
const kill = new AbortController();

afterEach(async () => {
  kill.abort(); // of a test that failed
  await expectNoLeaks();
});

test('two processes print what the page shows, and end on Ctrl-C', async () => {
  await using nats = await startNatsServer();
  const builder = start('builder', nats.url);
  await builder.printed('builder has joined');
  const laptop = start('laptop', nats.url);
  await Promise.all([
    laptop.printed('greeter@builder'),
    laptop.printed('laptop has joined'),
    builder.printed('greeter@laptop'),
  ]);
  expect(await laptop.interrupt()).toBe(0);
  await builder.printed('laptop is left');
  expect(await builder.interrupt()).toBe(0);

  const [, builderShown, laptopShown] = shown
    .split(/^\$ node fleet-try.mjs .*\n/m)
    .map((text) => text.trimEnd().split('\n'));
  expect(builder.lines.toSorted()).toEqual(builderShown?.toSorted());
  expect(laptop.lines.toSorted()).toEqual(laptopShown?.toSorted());
});

function start(node: string, servers: string) {
  const args = ['--import', import.meta.resolve('tsx'), program, node, servers];
  const stdio = ['ignore', 'pipe', 'inherit'] as const;
  const child = spawn(process.execPath, args, { env: withOwner(), stdio: [...stdio] });
  kill.signal.addEventListener('abort', () => child.kill('SIGKILL'));
  const exitCode = once(child, 'close').then(([code]) => code as number | null);
  const lines: string[] = [];
  const output = createInterface({ input: child.stdout as NonNullable<typeof child.stdout> });
  output.on('line', (line) => lines.push(line));
  return {
    lines,
    async printed(start: string): Promise<void> {
      while (!lines.some((line) => line.startsWith(start))) await once(output, 'line');
    },
    async interrupt(): Promise<number | null> {
      child.kill('SIGINT');
      return exitCode;
    },
  };
}
