import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { daemonStage } from '../helpers/daemon-stage.js';
import { faultsOf } from '../helpers/output-schema.js';
import { project, serversFile } from '../helpers/project.js';
import { inTerminal } from '../helpers/pseudo-terminal.js';
import { replaceFile } from '../helpers/replace-file.js';
import { runMcpx } from '../helpers/run-mcpx.js';
import { onStage, upOn } from '../helpers/stage-commands.js';
import { until } from '../helpers/until.js';

afterEach(expectNoLeaks);

const roles = (...ask: string[]) =>
  JSON.stringify({
    tools: { app: { role_restrictions: { careful: { allowed_tools: ['counter'], ask_before: ask } } } },
  });

/** A server that writes down each effect. */
async function counter(folder: string) {
  const file = join(folder, 'effects');
  const servers = [{ name: 'counter', server: 'records-effects', args: ['--file', file] }] as const;
  return { servers, effects: async () => (await readFile(file, 'utf8').catch(() => '')).match(/[^ ]+(?=\n)/g) ?? [] };
}

async function commands() {
  const here = await project({ 'tools.yaml': roles('counter.effect') });
  const { servers, effects } = await counter(here.folder);
  await writeFile(join(here.folder, 'mcp_servers.yaml'), serversFile(servers));
  return { ...here, effects };
}

const call = ['call', 'counter.effect', 'id=x', '--role', 'careful'];

describe('mcpx call of a role that asks', () => {
  test('is refused without a terminal, and says what would work; --yes is one of them', async () => {
    await using here = await commands();
    const options = { cwd: here.folder };
    const refused = await runMcpx(call, options);
    expect(refused.exitCode).toBe(exitCodes.notFound);
    expect(refused.stderr).toContain(
      'needs an approval, and there is no way to ask for it; run the command in a terminal',
    );
    expect(refused.stderr).toContain('add --yes');
    expect(await here.effects()).toEqual([]);
    expect((await runMcpx([...call, '--yes'], options)).exitCode).toBe(exitCodes.ok);
    expect(await here.effects()).toEqual(['x']);
  });

  test.runIf(process.platform === 'linux')('shows the call in a terminal and runs it after a yes alone', async () => {
    await using here = await commands();
    const hostile = ['call', 'counter.effect', 'id=a\u202eb\u001b[2J', '--role', 'careful'];
    {
      await using terminal = await inTerminal(here.folder, hostile);
      await terminal.seen('Approve this call?');
      const shown = terminal.text();
      expect(shown).toContain('Server: "counter"');
      expect(shown).toContain('Tool: "effect"');
      expect(shown).toContain('"id": "a\\u202eb\\u001b[2J"');
      expect(shown).toContain('Caller: role "careful"');
      terminal.press('\r'); // no is the default
      const { exitCode, text } = await terminal.ended();
      expect([exitCode, text]).toEqual([exitCodes.notFound, expect.stringContaining('was denied. It was not run')]);
      expect(await here.effects()).toEqual([]);
    }
    await using terminal = await inTerminal(here.folder, call);
    await terminal.seen('Approve this call?');
    terminal.press('y');
    expect(await terminal.ended()).toMatchObject({ exitCode: exitCodes.ok });
    expect(await here.effects()).toEqual(['x']);
  });
});

test('calls wait in the daemon for "mcpx approvals", also after a change of the rules', async () => {
  await using elsewhere = await project({});
  const { servers, effects } = await counter(elsewhere.folder);
  await using stage = await daemonStage(servers);
  const file = join(stage.folder, 'tools.yaml');
  await replaceFile(file, roles());
  await upOn(stage);
  expect((await onStage(stage, call)).exitCode).toBe(exitCodes.ok);
  await replaceFile(file, roles('destructive'));
  await onStage(stage, ['daemon', 'reload']);

  const waiting = async () => {
    let calls: readonly Record<string, unknown>[] = [];
    await until(async () => {
      const { stdout } = await onStage(stage, ['approvals', '--json']);
      const document = JSON.parse(stdout);
      expect(faultsOf('approvals', document)).toEqual([]);
      calls = document.calls;
      return calls.length === 1;
    });
    return calls[0] as { id: string };
  };
  const denied = onStage(stage, call);
  const first = await waiting();
  expect(first).toMatchObject({ server: 'counter', tool: 'effect', arguments: { id: 'x' }, role: 'careful' });
  expect((await onStage(stage, ['approvals'])).stdout).toContain(`mcpx approvals approve ${first.id}`);
  const no = await onStage(stage, ['approvals', 'deny', first.id, '--reason', 'not on Fridays', '--json']);
  expect(faultsOf('approvals deny', JSON.parse(no.stdout))).toEqual([]);
  const { exitCode, stderr } = await denied;
  expect(exitCode).toBe(exitCodes.notFound);
  expect(stderr).toContain('was denied: not on Fridays. It was not run');
  expect(stderr).toMatch(/The call waits for an approval until \S+: run "mcpx approvals approve [0-9a-f]+"/);
  expect(await effects()).toEqual(['x']);

  const approved = onStage(stage, call);
  const { id } = await waiting();
  const yes = () => onStage(stage, ['approvals', 'approve', id, '--json']);
  const document = JSON.parse((await yes()).stdout);
  expect([document, faultsOf('approvals approve', document)]).toEqual([{ id, approved: true }, []]);
  expect((await approved).exitCode).toBe(exitCodes.ok);
  expect(await effects()).toEqual(['x', 'x']);
  expect(await yes()).toMatchObject({ exitCode: exitCodes.notFound });
  expect((await onStage(stage, ['approvals'])).stdout).toBe('No call waits for an approval.\n');
});

test('"mcpx approvals" needs a daemon', async () => {
  await using here = await commands();
  const outcome = await runMcpx(['approvals'], { cwd: here.folder, stateDirectory: join(here.folder, 'state') });
  expect(outcome.exitCode).toBe(exitCodes.failed);
  expect(outcome.stderr).toContain('No daemon is running for this config, so no call waits.');
});
