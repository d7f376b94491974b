import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { expectNoLeaks } from '@x/test-servers';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type DaemonStage, daemonStage } from '../helpers/daemon-stage.js';
import { callText, clientOn } from '../helpers/served-client.js';
import { until } from '../helpers/until.js';

const servers = [
  { name: 'shelf', server: 'resources-and-prompts' },
  { name: 'echo', server: 'echo' },
  { name: 'slow', server: 'slow' },
] as const;

let stage: DaemonStage;
beforeAll(async () => {
  stage = await daemonStage(servers);
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await expectNoLeaks();
});

const eras = ['legacy', '2026-07-28'] as const;

interface Message {
  readonly method?: string;
  readonly params?: { readonly progress?: number; readonly total?: number };
  readonly result?: { readonly content?: unknown };
}

interface Scenario {
  readonly what: string;
  readonly args: readonly string[];
  /** What the client has in the end. `sent`: the messages that it was sent so far. */
  readonly run: (client: Client, sent: () => readonly Message[]) => Promise<unknown>;
}

const namesOf = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name);

const scenarios: readonly Scenario[] = [
  {
    what: 'the introduction',
    args: [],
    run: async (client) => [client.getServerVersion(), client.getInstructions(), client.getServerCapabilities()],
  },
  {
    what: 'the introduction of a single server with its own names',
    args: ['shelf', '--names', 'as-is'],
    run: async (client) => [client.getServerVersion(), client.getInstructions(), await namesOf(client)],
  },
  {
    what: 'nested names, in pages',
    args: ['--names', 'nested', '--page-size', '3'],
    run: async (client) => [
      (await client.request({ method: 'tools/list', params: {} })).tools.length,
      await namesOf(client),
      (await client.listPrompts()).prompts,
    ],
  },
  {
    what: 'a program that calls tools',
    args: ['--mode', 'search', '--code', '--instructions-in-search'],
    run: async (client) => {
      const code = "return (await tools.mcp__echo__echo({ text: 'from a program' }))";
      return [
        (await client.listTools()).tools,
        await client.callTool({ name: 'execute_mcp_code', arguments: { code } }),
      ];
    },
  },
  {
    what: 'progress, in its order',
    args: [],
    run: async (client, sent) => {
      const params = { name: 'mcp__slow__wait', arguments: { ms: 50, steps: 3 } };
      await client.callTool(params, { onprogress: () => undefined });
      // The official client drops progress that arrives together with the result.
      return sent().flatMap(({ method, params: { progress, total } = {}, result }) => {
        if (method === 'notifications/progress') return [{ progress, total }];
        return result?.content === undefined ? [] : [result.content];
      });
    },
  },
  {
    what: 'a cancelled call, of which the server is notified',
    args: ['slow'],
    run: async (client) => {
      const before = JSON.parse(await callText(client, 'mcp__slow__cancelled')).length;
      const cancel = new AbortController();
      const params = { name: 'mcp__slow__wait', arguments: { ms: 3_600_000, steps: 360_000 } };
      const onprogress = () => cancel.abort(); // it runs
      const error = await client.callTool(params, { signal: cancel.signal, onprogress }).catch(() => 'cancelled');
      const after = async () => JSON.parse(await callText(client, 'mcp__slow__cancelled')).length > before;
      return [error, await until(after)];
    },
  },
  {
    what: 'errors: of arguments, of a tool, of a resource, of unknown names',
    args: [],
    run: async (client) => {
      const outcomes = [
        () => client.callTool({ name: 'mcp__echo__echo', arguments: { text: 7 } }),
        () => client.callTool({ name: 'mcp__echo__fail', arguments: {} }),
        () => client.callTool({ name: 'mcp__echo__ecko', arguments: {} }),
        () => client.readResource({ uri: 'mcp+shelf:test://missing' }),
        () => client.getPrompt({ name: 'mcp__shelf__none' }),
      ];
      return await Promise.all(
        outcomes.map((run) => run().catch(({ code, message, data }) => ({ code, message, data }))),
      );
    },
  },
  {
    what: 'rate limits of a server',
    args: ['--limit-server', 'echo=1/h'],
    run: async (client) => {
      const call = () => client.callTool({ name: 'mcp__echo__echo', arguments: { text: 'x' } });
      await call();
      return await call().catch(({ code, message, data }) => [code, message.replace(/\d+/, 'n'), data?.reason]);
    },
  },
];

describe.each(eras)('a client of %s has the same attached and with own servers', (era) => {
  const mode = era === 'legacy' ? ('legacy' as const) : { pin: era };

  async function outcome(how: readonly string[], { args, run }: Scenario) {
    await using served = await clientOn(stage, [...how, ...args], { versionNegotiation: { mode } });
    return await run(served.client, () => served.received.map((line) => JSON.parse(line)));
  }

  test.each(scenarios)('$what', async (scenario) => {
    const own = await outcome(['--own-servers'], scenario);
    expect(await outcome([], scenario)).toEqual(own);
  });

  test('the audit log, in the directory of the command', async () => {
    const events = async (how: readonly string[], file: string) => {
      {
        await using served = await clientOn(stage, [...how, '--audit', file], { versionNegotiation: { mode } });
        await callText(served.client, 'mcp__echo__echo', { text: 'x' });
        await served.client.callTool({ name: 'mcp__echo__fail', arguments: {} });
      }
      const lines = (await readFile(join(stage.folder, file), 'utf8')).trim().split('\n');
      return lines.map((line) => {
        const { type, tool, outcome: end, server, clientName, ...others } = JSON.parse(line);
        return { type, tool, end, server, clientName, fields: Object.keys(others).sort() };
      });
    };
    const own = await events(['--own-servers'], `own-${era}.jsonl`);
    expect(own.length).toBeGreaterThan(2);
    expect(await events([], `attached-${era}.jsonl`)).toEqual(own);
  });
});
