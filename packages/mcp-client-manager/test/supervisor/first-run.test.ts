import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expectNoLeaks, testServer } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { resolveOptions } from '../../src/options.js';
import { ProcessOwner } from '../../src/process/process-owner.js';
import { resolveSpec } from '../../src/resolve-spec.js';
import type { SessionFacts } from '../../src/session/session.js';
import { Connection } from '../../src/supervisor/generation/connection.js';
import { temporaryDirectory } from '../helpers/processes.js';

afterEach(expectNoLeaks);

const facts: SessionFacts = {
  era: 'legacy',
  protocolVersion: '2025-11-25',
  serverInfo: { name: 'echo', version: '1.0.0' },
  capabilities: {},
  instructions: undefined,
};

/** A connection to a server behind a runner of this name, which takes longer than the shortest startup timeout. */
async function slowConnection(
  runner: string,
  hasStartedBefore = false,
  firstRunTimeoutMs = 300_000,
): Promise<{ connection: Connection; [Symbol.asyncDispose](): Promise<void> }> {
  const folder = await temporaryDirectory();
  await mkdir(folder, { recursive: true });
  await writeFile(join(folder, runner), '#!/bin/sh\nsleep 1.5\nexec "$@"\n', { mode: 0o755 });
  const environment = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` };
  const policy = resolveOptions({ environment });
  const { command, args } = testServer('echo');
  const spec = {
    name: 'echo',
    command: runner,
    args: [command, ...args],
    limits: { startupTimeoutMs: 1_000, firstRunTimeoutMs },
  };
  const processes = new ProcessOwner(policy);
  const nothing = (): void => undefined;
  const connection = new Connection(resolveSpec(spec), {
    policy,
    processes,
    lastFacts: () => (hasStartedBefore ? facts : undefined),
    onStep: nothing,
    onStderrLine: nothing,
    onJunk: nothing,
    onListChanged: nothing,
    onResourceUpdated: nothing,
    onElicitationCompleted: nothing,
    onLog: nothing,
    onCallsInFlight: nothing,
  });
  return {
    connection,
    [Symbol.asyncDispose]: async () => {
      await connection.stop();
      await processes.close();
    },
  };
}

describe.skipIf(process.platform === 'win32')('the first start', () => {
  test('of a package runner may last longer than other starts', async () => {
    await using slow = await slowConnection('npx');
    expect((await slow.connection.open()).isOpen).toBe(true);
  });

  test.each<[what: string, runner: string, hasStartedBefore: boolean]>([
    ['a runner whose launch has worked before', 'npx', true],
    ['a program that is no runner', 'server', false],
  ])('has the usual time for %s', async (_, runner, hasStartedBefore) => {
    await using slow = await slowConnection(runner, hasStartedBefore);
    await expect(slow.connection.open()).rejects.toMatchObject({
      code: 'handshake-timed-out',
      message: expect.stringContaining('raise "limits.startupTimeoutMs" if it is only slow'),
    });
  });

  test('of a package runner that takes too long names the time that it had', async () => {
    await using slow = await slowConnection('npx', false, 1_001);
    await expect(slow.connection.open()).rejects.toMatchObject({
      code: 'handshake-timed-out',
      message: expect.stringMatching(/within 1001 ms.* raise "limits.firstRunTimeoutMs" if it is only slow/),
    });
  });
});
