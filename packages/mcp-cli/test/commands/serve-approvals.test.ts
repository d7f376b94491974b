import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { project, serversFile } from '../helpers/project.js';
import { startCommand } from '../helpers/running-command.js';
import { transportOf } from '../helpers/served-client.js';
import { ioIn } from '../helpers/serving.js';

afterEach(expectNoLeaks);

const servers = serversFile([{ name: 'shelf', server: 'resources-and-prompts' }]);

const given = ['--ask-before', 'destructive', '--ask-before', 'shelf.ec*', '--ask-before', 'shelf.misspelt'];

interface Connecting {
  readonly answer?: object;
  readonly serve?: readonly string[];
}

async function connect(folder: string, era: 'legacy' | '2026-07-28', options: Connecting = {}) {
  const asked: string[] = [];
  const mode = era === 'legacy' ? ('legacy' as const) : { pin: era };
  const capabilities = options.answer === undefined ? {} : { elicitation: { form: {} } };
  const client = new Client({ name: 'c', version: '1.0.0' }, { capabilities, versionNegotiation: { mode } });
  if (options.answer !== undefined) {
    client.setRequestHandler('elicitation/create', async ({ params }) => {
      asked.push(params.message);
      return options.answer as never;
    });
  }
  const args = [...(options.serve ?? given), '--audit', 'audit.jsonl'];
  const command = startCommand(['serve', '--own-servers', ...args], ioIn(folder));
  await client.connect(transportOf(command));
  return {
    client,
    asked,
    stderr: command.stderr,
    [Symbol.asyncDispose]: async () => {
      await client.close();
      await command.ended;
    },
  };
}

const call = { name: 'mcp__shelf__echo', arguments: { text: 'hello' } };

describe.each(['legacy', '2026-07-28'] as const)('--ask-before with a client of %s', (era) => {
  test("asks the client's user, and the audit log has the answer", async () => {
    await using here = await project({ 'mcp_servers.yaml': servers });
    {
      const answer = { action: 'accept', content: { decision: 'approve' } };
      await using connection = await connect(here.folder, era, { answer });
      const result = await connection.client.callTool(call);
      expect(result.isError).not.toBe(true);
      expect(connection.asked).toEqual([
        expect.stringContaining('Server: "shelf"\nTool: "echo"\nArguments: 1\n  "text": "hello"'),
      ]);
      expect(connection.stderr()).toContain('--ask-before shelf.misspelt matches none of the tools');
      expect(connection.stderr()).not.toContain('--ask-before shelf.ec*');
      expect(connection.stderr()).not.toContain('destructive');
    }
    const log = await readFile(join(here.folder, 'audit.jsonl'), 'utf8');
    expect(log).toContain("approved by the client's user: sha256:");
  });

  test('refuses what the user denies, and calls of clients that cannot ask', async () => {
    await using here = await project({ 'mcp_servers.yaml': servers });
    await using denying = await connect(here.folder, era, { answer: { action: 'decline' } });
    expect(await denying.client.callTool(call)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('was denied. It was not run') }],
    });
    await using silent = await connect(here.folder, era);
    expect(await silent.client.callTool(call)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('use a client that supports elicitation') }],
    });
  });
});

const roles = JSON.stringify({
  tools: { app: { role_restrictions: { careful: { allowed_tools: ['shelf'], ask_before: ['destructive'] } } } },
});

describe.each(['legacy', '2026-07-28'] as const)('ask_before of a role with a client of %s', (era) => {
  test("asks the client's user, and refuses calls of clients that cannot ask", async () => {
    await using here = await project({ 'mcp_servers.yaml': servers, 'tools.yaml': roles });
    const serve = ['--role', 'careful'];
    {
      const answer = { action: 'accept', content: { decision: 'approve' } };
      await using connection = await connect(here.folder, era, { answer, serve });
      expect((await connection.client.callTool(call)).isError).not.toBe(true);
      expect(connection.asked).toEqual([expect.stringContaining('Caller: role "careful"\nArguments: 1\n')]);
    }
    expect(await readFile(join(here.folder, 'audit.jsonl'), 'utf8')).toContain(
      "approved by the client's user: sha256:",
    );
    await using silent = await connect(here.folder, era, { serve });
    expect(await silent.client.callTool(call)).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('use a client that supports elicitation') }],
    });
  });

  test('asks once with --ask-before on the same tool', async () => {
    await using here = await project({ 'mcp_servers.yaml': servers, 'tools.yaml': roles });
    const answer = { action: 'accept', content: { decision: 'approve' } };
    const serve = ['--role', 'careful', '--ask-before', 'shelf.echo'];
    await using connection = await connect(here.folder, era, { answer, serve });
    expect((await connection.client.callTool(call)).isError).not.toBe(true);
    expect(connection.asked).toHaveLength(1);
  });
});
