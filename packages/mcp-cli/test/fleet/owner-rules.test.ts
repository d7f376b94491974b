import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createFleet, type FleetSource } from '@x/mcp-fleet';
import { createMemoryBroker } from '@x/mcp-fleet/memory';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { openStack } from '../../src/compose.js';
import { followConfig } from '../../src/config/live-config.js';
import { authorizeCall } from '../../src/fleet/authorize-call.js';
import { project, serversFile } from '../helpers/project.js';
import { replaceFile } from '../helpers/replace-file.js';

afterEach(expectNoLeaks);

const toolsFile = (...allowed: string[]) =>
  JSON.stringify({ tools: { app: { role_restrictions: { review: { allowed_tools: allowed } } } } });

test('the owner refuses a tool of another node that its tools.yaml takes from the role', async () => {
  await using here = await project({ 'tools.yaml': toolsFile('counter') });
  const file = join(here.folder, 'effects');
  const effects = async () => (await readFile(file, 'utf8').catch(() => '')).split('\n').length - 1;
  const servers = serversFile([{ name: 'counter', server: 'records-effects', args: ['--file', file] }]);
  await writeFile(join(here.folder, 'mcp_servers.yaml'), servers);
  const io = {
    cwd: here.folder,
    env: { PATH: process.env.PATH, MCPX_TRUST: '1' },
    stateDirectory: join(here.folder, 'state'),
    signal: new AbortController().signal,
  };
  await using stack = await openStack({}, io);
  const listed = stack.registry.changes()[Symbol.asyncIterator]();
  await stack.manager.start();
  while (stack.registry.list().length === 0) await listed.next();
  const changes: string[] = [];
  let wake = () => {};
  await using live = followConfig({ stack, io });
  live.events.on('change', ({ report }) => {
    changes.push(...report.roles);
    wake();
  });
  live.events.on('problem', ({ message }) => changes.push(message));
  const changed = async () => {
    while (changes.length === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    return changes.splice(0);
  };

  const broker = createMemoryBroker();
  await using ownerBus = broker.connect({ node: 'owner' });
  await using edgeBus = broker.connect({ node: 'edge' });
  await using owner = createFleet({ bus: ownerBus, node: 'owner', authorize: authorizeCall(stack) });
  await stack.setFleet(owner);
  await using edge = createFleet({ bus: edgeBus, node: 'edge' });
  const find = () => edge.sources().find(({ name }) => name === 'counter@owner');
  const source = await new Promise<FleetSource>((resolve) => {
    const look = () => {
      const found = find();
      if (found !== undefined) resolve(found);
    };
    edge.events.on('sources-changed', look);
    look();
  });
  const call = () => source.callTool('effect', { id: 'x' }, { caller: { role: 'review' }, timeoutMs: 5_000 });

  await call();
  expect(await effects()).toBe(1);
  await replaceFile(join(here.folder, 'tools.yaml'), toolsFile('counter.other'));
  expect(await changed()).toEqual(['review']);
  await expect(call()).rejects.toMatchObject({ code: 'refused', retryable: false });
  expect(await effects()).toBe(1);
  await replaceFile(join(here.folder, 'tools.yaml'), toolsFile('counter.effect'));
  expect(await changed()).toEqual(['review']);
  await call();
  expect(await effects()).toBe(2);
});
