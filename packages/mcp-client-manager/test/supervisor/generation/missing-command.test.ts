import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { temporaryDirectory } from '../../helpers/processes.js';
import { failureOf, managerOf, phasesOf, serverSpec, stateOf, textOf } from '../../helpers/servers.js';

afterEach(expectNoLeaks);

function install(path: string, firstLine: string): void {
  const { command, args = [] } = serverSpec('echo');
  const words = [command, ...args].map((word) => `'${word}'`).join(' ');
  writeFileSync(path, `${firstLine}\nexec ${words}\n`);
  chmodSync(path, 0o755);
}

test('a call finds that a command was installed meanwhile', async () => {
  const command = join(await temporaryDirectory(), 'server');
  await using manager = managerOf({ name: 'server', command });
  const server = manager.server('server');
  for (let round = 0; round < 2; round += 1) {
    expect(await failureOf(server.callTool('echo', { text: 'a' }))).toMatchObject({
      code: 'start-failed',
      cause: { code: 'command-not-found' },
    });
  }
  expect(server.lifecycle).toMatchObject({ phase: 'failed', generation: 1 });
  install(command, '#!/bin/sh');
  expect(textOf(await server.callTool('echo', { text: 'well' }))).toBe('well');
  expect(server.lifecycle).toMatchObject({ phase: 'ready', generation: 2 });
});

test('a server that may not start by itself is left as it is', async () => {
  const command = join(await temporaryDirectory(), 'server');
  await using manager = managerOf({ name: 'server', command, autoStart: false });
  const server = manager.server('server');
  await failureOf(server.start());
  install(command, '#!/bin/sh');
  expect(await failureOf(server.callTool('echo'))).toMatchObject({ code: 'start-failed' });
  expect(server.phase).toBe('failed');
});

test('does not retry an unusable command with each call', async () => {
  const command = join(await temporaryDirectory(), 'server');
  install(command, '#!/no/such/interpreter');
  await using manager = managerOf({ name: 'server', command });
  const server = manager.server('server');
  await failureOf(server.start());
  await stateOf(manager, 'server', 'failed');
  const phases = phasesOf(manager, 'server');
  for (let round = 0; round < 3; round += 1) {
    expect(await failureOf(server.callTool('echo'))).toMatchObject({ cause: { code: 'command-not-found' } });
  }
  expect(phases).toEqual([]);
});
