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
import { failureOf, managerWith, stateOf } from '../helpers/servers.js';

afterEach(expectNoLeaks);

const facts: SessionFacts = {
  era: 'legacy',
  protocolVersion: '2025-11-25',
  serverInfo: { name: 'echo', version: '1.0.0' },
  capabilities: {},
  instructions: undefined,
};

interface Slow {
  /** Default: npx. */
  readonly runner?: string;
  /** Given to the runner before the command of the server. Default: none. */
  readonly options?: readonly string[];
  /** A package in the cache of npx. Default: none. */
  readonly cached?: string;
  readonly hasStartedBefore?: boolean;
  readonly firstRunTimeoutMs?: number;
}

/** A connection to a server behind a runner, which takes longer than the shortest startup timeout. */
async function slowConnection({
  runner = 'npx',
  options = [],
  cached,
  hasStartedBefore = false,
  firstRunTimeoutMs = 300_000,
}: Slow): Promise<{ connection: Connection; [Symbol.asyncDispose](): Promise<void> }> {
  const folder = await temporaryDirectory();
  await mkdir(folder, { recursive: true });
  const script = `#!/bin/sh\nsleep 1.5\nshift ${options.length}\nexec "$@"\n`;
  await writeFile(join(folder, runner), script, { mode: 0o755 });
  if (cached !== undefined) {
    const files = join(folder, '.npm', '_npx', '0123456789abcdef', 'node_modules', cached);
    await mkdir(files, { recursive: true });
    await writeFile(join(files, 'package.json'), '{}');
  }
  const environment = { ...process.env, HOME: folder, PATH: `${folder}${delimiter}${process.env.PATH}` };
  const policy = resolveOptions({ environment });
  const { command, args } = testServer('echo');
  const spec = {
    name: 'echo',
    command: runner,
    args: [...options, command, ...args],
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

const npxPackage = { runner: 'npx', options: ['-y', '@acme/server@1.2.0'] };

describe.skipIf(process.platform === 'win32')('the first start', () => {
  test('of a package runner may last longer than other starts', async () => {
    await using slow = await slowConnection({});
    expect((await slow.connection.open()).isOpen).toBe(true);
  });

  test.each<[what: string, slow: Slow]>([
    ['a runner whose launch has worked before', { runner: 'uvx', hasStartedBefore: true }],
    ['npx with a package that it has', { ...npxPackage, cached: '@acme/server', hasStartedBefore: true }],
    ['a program that is no runner', { runner: 'server' }],
  ])('has the usual time for %s', async (_, options) => {
    await using slow = await slowConnection(options);
    await expect(slow.connection.open()).rejects.toMatchObject({
      code: 'handshake-timed-out',
      message: expect.stringContaining('raise "limits.startupTimeoutMs" if it is only slow'),
    });
  });

  test('of a package runner that takes too long names the time that it had', async () => {
    await using slow = await slowConnection({ firstRunTimeoutMs: 1_001 });
    await expect(slow.connection.open()).rejects.toMatchObject({
      code: 'handshake-timed-out',
      message: expect.stringMatching(/within 1001 ms.* raise "limits.firstRunTimeoutMs" if it is only slow/),
    });
  });
});

describe.skipIf(process.platform === 'win32')('a later start', () => {
  test('may last as long as the first one if the cache of npx has lost the package', async () => {
    await using slow = await slowConnection({ ...npxPackage, cached: '@acme/other', hasStartedBefore: true });
    expect((await slow.connection.open()).isOpen).toBe(true);
  });

  test('may last as long as the first one if the start before it had too little time', async () => {
    const folder = await temporaryDirectory();
    await mkdir(folder, { recursive: true });
    const script = '#!/bin/sh\n[ -e "$(dirname "$0")/cleared" ] && sleep 1.5\nexec "$@"\n';
    await writeFile(join(folder, 'uvx'), script, { mode: 0o755 });
    const environment = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` };
    const { command, args } = testServer('echo');
    const limits = { startupTimeoutMs: 1_000, shutdownTimeoutMs: 1_000 };
    const spec = { name: 'echo', command: 'uvx', args: [command, ...args], limits };
    await using manager = managerWith({ environment }, spec);
    await manager.server('echo').start();
    await manager.server('echo').stop();
    await writeFile(join(folder, 'cleared'), '');

    expect(await failureOf(manager.server('echo').start())).toMatchObject({ cause: { code: 'handshake-timed-out' } });
    expect(await stateOf(manager, 'echo', ({ phase }) => phase === 'ready' || phase === 'parked')).toMatchObject({
      phase: 'ready',
      generation: 3,
    });
  });
});
