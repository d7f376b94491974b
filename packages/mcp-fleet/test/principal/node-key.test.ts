import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';

const program = createRequire(import.meta.url).resolve('./fixtures/without-ed25519.ts');

test('a node in a runtime without Ed25519 says that it is the runtime, and that it cannot join', async () => {
  const args = ['--import', import.meta.resolve('tsx'), program];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  expect(stderr).toBe('');
  expect(JSON.parse(stdout)).toEqual({
    told: 'unsuitable-runtime',
    waited: 'This runtime cannot create Ed25519 keys, which nodes need to sign their calls',
    phase: 'failed',
    code: 'unsuitable-runtime',
  });
});
