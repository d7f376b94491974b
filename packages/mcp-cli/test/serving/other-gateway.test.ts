// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the config uses such strings
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  answersOf,
  ask,
  clientKinds,
  connectAnswering,
  form,
  httpTransport,
  type Loose,
  parse,
  words,
} from '../helpers/answering-client.js';
import { type DaemonStage, daemonStage } from '../helpers/daemon-stage.js';
import type { RunningCommand } from '../helpers/running-command.js';
import { serveOn } from '../helpers/served-client.js';
import { until } from '../helpers/until.js';

const token = 'the-token-of-the-other-machine';

async function serveHttp(stage: DaemonStage, args: readonly string[]) {
  const command = serveOn(stage, ['--http', '--port', '0', ...args]);
  const over = command.ended.then(() => Promise.reject(new Error(command.stderr())));
  const listening = until(() => /Serving \d servers? at (\S+)\n/.exec(command.stderr()) ?? undefined);
  const [, url = ''] = await Promise.race([listening, over]);
  return { command, url };
}

describe.each([
  { names: 'nested', own: 'mcp__build__', uri: 'mcp+build:mcp+' },
  { names: 'prefixed', own: 'mcp__build__mcp__', uri: 'mcp+build:mcp+' },
])('the gateway of another machine by its URL, with $names names', ({ names, own, uri }) => {
  let there: DaemonStage;
  let here: DaemonStage;
  const commands: RunningCommand[] = [];
  let url = '';
  beforeAll(async () => {
    there = await daemonStage([
      { name: 'shelf', server: 'resources-and-prompts' },
      { name: 'files', server: 'echo' },
      { name: 'notes', server: 'echo' },
      { name: 'old', server: 'asks-host' },
      { name: 'recent', server: 'modern-input-required' },
    ]);
    await writeFile(join(there.folder, 'gateway.token'), token, { mode: 0o600 });
    const remote = await serveHttp(there, ['--token-file', 'gateway.token', '--names', names]);
    here = await daemonStage([], { env: { BUILD_TOKEN: token } });
    const headers = { Authorization: 'Bearer ${BUILD_TOKEN}' };
    const build = { url: remote.url, headers, auto_start: true };
    const files = { mcp_servers: { build }, mcp_settings: { shutdown_timeout_seconds: 1 } };
    await writeFile(join(here.folder, 'mcp_servers.yaml'), JSON.stringify(files));
    const local = await serveHttp(here, ['--no-token']);
    commands.push(local.command, remote.command);
    url = local.url;
  });
  afterAll(async () => {
    for (const command of commands) {
      command.interrupt();
      await command.ended;
    }
    await here[Symbol.asyncDispose]();
    await there[Symbol.asyncDispose]();
    await expectNoLeaks();
  });

  describe.each(clientKinds)('a client (%s)', (kind) => {
    const connect = () => connectAnswering(httpTransport(kind, new URL(url), ''), kind, answersOf('ada'));

    test('has each tool once, resources, prompts and the search', async () => {
      await using connected = await connect();
      const { client, call } = connected;
      const listed: string[] = (await client.listTools()).tools.map(({ name }: Loose) => name);
      expect(new Set(listed).size).toBe(listed.length);
      for (const tool of ['files__echo', 'notes__echo', 'shelf__echo', 'old__ask', 'recent__greet'])
        expect(listed.filter((name) => name.endsWith(tool))).toEqual([`${own}${tool}`]);
      const builtIn = names === 'nested' ? [] : ['mcp__build__search_mcp_tools'];
      expect(listed.filter((name) => /search_mcp|call_mcp/.test(name))).toEqual([...builtIn, 'search_mcp_tools']);
      expect((await call(`${own}files__echo`, { text: 'from afar' })).content).toEqual([
        { type: 'text', text: 'from afar' },
      ]);
      const found = await call('search_mcp_tools', { query: 'echo' });
      expect(JSON.stringify(found.structuredContent)).toContain(`${own}notes__echo`);
      const { resources } = await client.listResources();
      expect(resources.map((each: Loose) => each.uri)).toEqual([`${uri}shelf:test://a`, `${uri}shelf:test://b`]);
      expect((await client.readResource({ uri: `${uri}shelf:test://a` })).contents).toMatchObject([
        { uri: `${uri}shelf:test://a` },
      ]);
      const { prompts } = await client.listPrompts();
      expect(prompts.map(({ name }: Loose) => name)).toEqual([`${own}shelf__greet`]);
    });

    test('answers what servers of the other machine ask', async () => {
      await using connected = await connect();
      const of = async (method: string, params: Record<string, unknown>) =>
        parse(await connected.call(`${own}old__ask`, ask(method, params))).result;
      expect(await of('elicitation/create', form)).toMatchObject({ content: { name: 'ada' } });
      expect(await of('sampling/createMessage', words)).toMatchObject({ content: { text: 'ada' } });
      expect(parse(await connected.call(`${own}recent__greet`)).who).toMatchObject({ content: { name: 'ada' } });
      if (kind !== 'modern') return; // between the gateways, an earlier revision has one set of roots for all clients
      expect(parse(await connected.call(`${own}recent__all`))).toMatchObject({
        who: { content: { name: 'ada' } },
        page: { action: 'accept' },
        words: { content: { text: 'ada' } },
        roots: { roots: [{ uri: 'file:///ada' }] },
      });
    });
  });
});
