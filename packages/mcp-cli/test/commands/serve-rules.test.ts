import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { connectHttp } from '../helpers/http-client.js';
import { project, serversFile } from '../helpers/project.js';
import { replaceFile } from '../helpers/replace-file.js';
import { startMcpx, startServing, startServingProcess } from '../helpers/serving.js';
import { connectStdio } from '../helpers/stdio-client.js';

afterEach(expectNoLeaks);

const toolsFile = (...allowed: string[]) =>
  JSON.stringify({ tools: { app: { role_restrictions: { review: { allowed_tools: allowed } } } } });

/** A project whose one server writes a line for each effect. */
async function counting() {
  const here = await project({ 'tools.yaml': toolsFile('counter') });
  const file = join(here.folder, 'effects');
  const servers = serversFile([{ name: 'counter', server: 'records-effects', args: ['--file', file] }]);
  await writeFile(join(here.folder, 'mcp_servers.yaml'), servers);
  return {
    ...here,
    effects: async () => (await readFile(file, 'utf8').catch(() => '')).split('\n').length - 1,
    allow: (...allowed: string[]) => replaceFile(join(here.folder, 'tools.yaml'), toolsFile(...allowed)),
    breakRules: () => replaceFile(join(here.folder, 'tools.yaml'), 'tools: ['),
  };
}

/** Resolves at each `notifications/tools/list_changed` that has not been taken yet. */
function listChanges(client: Client) {
  let count = 0;
  let wake = () => {};
  client.setNotificationHandler('notifications/tools/list_changed', () => {
    count++;
    wake();
  });
  return async () => {
    while (count === 0) {
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
    count--;
  };
}

const CALL = { name: 'mcp__counter__effect', arguments: { id: 'x' } };

describe.each(['stdio', 'HTTP'] as const)('over %s', (way) => {
  async function connect(folder: string) {
    if (way === 'stdio') return connectStdio(folder, ['--role', 'review']);
    const serving = await startServing(folder, ['--no-token', '--role', 'review']);
    const { client, ...connection } = await connectHttp(serving.url);
    return {
      client,
      [Symbol.asyncDispose]: async () => {
        await connection[Symbol.asyncDispose]();
        await serving[Symbol.asyncDispose]();
      },
    };
  }

  test('a tool that tools.yaml denies cannot be called from then on', async () => {
    await using here = await counting();
    await using connection = await connect(here.folder);
    const { client } = connection;
    const changed = listChanges(client);
    const names = async () => (await client.listTools()).tools.map(({ name }) => name);
    expect(await names()).toContain(CALL.name);
    await client.callTool(CALL);
    expect(await here.effects()).toBe(1);

    await here.allow('counter.other');
    await changed();
    await expect(client.callTool(CALL)).rejects.toMatchObject({ code: -32_602 });
    expect(await names()).not.toContain(CALL.name);
    expect(await here.effects()).toBe(1);

    await here.allow('counter/effect');
    await changed();
    await client.callTool(CALL);
    expect(await here.effects()).toBe(2);
  });
});

test('rules with an error are reported, and the earlier ones stay in effect', async () => {
  await using here = await counting();
  await using serving = await startServing(here.folder, ['--no-token', '--role', 'review']);
  await here.breakRules();
  await serving.seen(/warning: tools\.yaml:1:\d+ .*: this gateway runs the version of \d\d:\d\d\./);
  await here.allow('counter.other');
  await serving.seen(/^Rules have changed: role "review"\.$/m);
});

test.skipIf(process.platform === 'win32')('SIGHUP reloads the rules and stops nothing', async () => {
  await using here = await counting();
  await using serving = await startServingProcess(here.folder, ['--no-token', '--role', 'review']);
  await here.breakRules();
  for (let times = 0; times < 2; times++) {
    const before = serving.stderr().length;
    serving.child.kill('SIGHUP');
    await serving.seen(new RegExp(`^[^]{${before},}this gateway runs the version of`));
  }
  expect(serving.child.exitCode).toBeNull();
});

test('a mode that another process sets applies to a running gateway', async () => {
  await using here = await counting();
  await using serving = await startServing(here.folder, ['--no-token']);
  await using setting = startMcpx(here.folder, ['pins', 'mode', 'approve']);
  expect(await setting.ended()).toMatchObject({ exitCode: 0 });
  await serving.seen(/^Rules have changed: trust\.$/m);
});
