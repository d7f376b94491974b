import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import { type NatsServer, startNatsServer } from '@x/test-servers';
import { afterAll, beforeAll, expect, test } from 'vitest';

const tsx = import.meta.resolve('tsx');
const program = createRequire(import.meta.url).resolve('./fixtures/open-and-close.ts');

let server: NatsServer;

beforeAll(async () => {
  server = await startNatsServer();
});
afterAll(() => server.stop());

async function run(story: string): Promise<readonly unknown[]> {
  const child = spawn(process.execPath, ['--import', tsx, program, server.url, story], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return [stdout, stderr, code];
}

test('a process ends by itself after its bus is closed', async () => {
  expect(await run('used')).toEqual(['closed', '', 0]);
});

test('a process ends by itself although its server accepted the connection and stayed silent', async () => {
  await server.pause();
  try {
    expect(await run('stuck')).toEqual(['closed', '', 0]);
  } finally {
    server.resume();
  }
});
