import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expectNoLeaks, findLeaks, ownerPrefix, ownerVariable, testServer, withOwner } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';

afterEach(expectNoLeaks);

describe.skipIf(process.platform === 'win32')('the leak check', () => {
  test('names a process that was left behind and kills it', async () => {
    const child = startStubborn(withOwner());
    await once(child.stdout, 'data');
    const exited = once(child, 'exit');
    await expect(expectNoLeaks()).rejects.toThrow(new RegExp(`1 process.*\n  ${child.pid}  .*ignores-sigterm`));
    expect(await exited).toEqual([null, 'SIGKILL']);
  });

  test('waits for a process that is on its way out', async () => {
    const child = startStubborn(withOwner());
    await once(child.stdout, 'data');
    const check = expectNoLeaks();
    child.kill('SIGKILL');
    await expect(check).resolves.toBeUndefined();
  });
});

describe.skipIf(process.platform !== 'linux')('the leak check on Linux', () => {
  test('finds only what carries the marker', async () => {
    const child = startStubborn({ ...process.env, [ownerVariable]: 'someone-else' });
    await once(child.stdout, 'data');
    try {
      expect(await findLeaks()).toEqual([]);
      expect((await findLeaks(`${ownerVariable}=someone-`)).map(({ pid }) => pid)).toEqual([child.pid]);
    } finally {
      child.kill('SIGKILL');
      await once(child, 'exit');
    }
  });
});

test('an owned environment keeps what it is given', () => {
  expect(withOwner({ PATH: '/bin' })).toEqual({ PATH: '/bin', [ownerVariable]: `${ownerPrefix()}test` });
});

/** Resolving its first output means that it has replaced its environment with the given one. */
function startStubborn(env: NodeJS.ProcessEnv) {
  const { command, args } = testServer('ignores-sigterm');
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], env });
  child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n');
  return child;
}
