import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectNoLeaks, startNatsServer } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import type { DaemonStage } from '../helpers/daemon-stage.js';
import { lose, machine, ok, reportOf, seen } from '../helpers/fleet-machines.js';
import { faultsOf } from '../helpers/output-schema.js';
import { runMcpx } from '../helpers/run-mcpx.js';
import { onStage } from '../helpers/stage-commands.js';
import { until } from '../helpers/until.js';

afterEach(expectNoLeaks);

describe('a daemon whose login is refused when it is started again', () => {
  test('reports it in the status, and joins as soon as the login works', async () => {
    await using nats = await startNatsServer();
    await using one = await machine();
    await ok(one, 'fleet', 'join', nats.url, '--node', 'one');
    await ok(one, 'down');
    await nats.restart({ config: 'authorization { user: "somebody", password: "else" }' });
    await ok(one, 'up');
    await until(async () => (await reportOf(one))?.error?.code === 'forbidden');
    const { exitCode, stdout } = await onStage(one, ['fleet', 'status']);
    expect(exitCode).toBe(exitCodes.failed);
    expect(stdout).toMatch(/^Fleet "default": this node is "one", joining, .*; the NATS server refuses its login$/m);
    expect(stdout).toMatch(/^error: The NATS server does not let this node in: .*Check the credentials/m);
    await nats.restart({ config: '' });
    await until(async () => (await reportOf(one))?.phase === 'joined');
    expect(await reportOf(one)).not.toHaveProperty('error');
  });

  test('a daemon without access to JetStream has one alarm per forbidden operation', async () => {
    const { config, nodes } = JSON.parse(
      (await runMcpx(['fleet', 'permissions', '--node', 'one', '--json'])).stdout,
    ) as { config: string; nodes: readonly { password: string }[] };
    await using nats = await startNatsServer({ config });
    await using one = await machine();
    await writeFile(join(one.folder, 'password'), nodes[0]?.password ?? '', { mode: 0o600 });
    await ok(one, 'fleet', 'join', nats.url, '--node', 'one', '--user', 'one', '--password-file', 'password');
    await nats.restart({ config: config.replaceAll('$JS.API.STREAM.INFO', '$JS.API.STREAM.NOTHING') });
    const alarmed = await until(async () => {
      const report = await reportOf(one);
      return report?.alarms.length === 1 && report.error?.code === 'forbidden' && report;
    });
    const first = alarmed.alarms[0];
    expect(first).toMatchObject({ operation: 'publish', subject: '$JS.API.STREAM.INFO.KV_mcp-fleet_default' });
    // It is tried again, and is forbidden again.
    await until(async () => ((await reportOf(one))?.alarms[0]?.at ?? 0) > (first?.at ?? 0));
    expect((await reportOf(one))?.alarms).toHaveLength(1);
  });
});

test('search, completion and doctor know the servers of other nodes and unreachable nodes', async () => {
  await using nats = await startNatsServer();
  await using here = await machine([{ name: 'docs', server: 'echo' }]);
  await using there = await machine();
  await ok(there, 'up');
  await ok(here, 'fleet', 'join', nats.url, '--node', 'here');
  await ok(there, 'fleet', 'join', nats.url, '--node', 'there');
  await seen(here, 'there', 'files', { tools: 8 });

  const search = () => ok(here, 'search', 'pid', '--server', 'files@there');
  await until(async () => (await search()).stdout.includes('pid')); // status counts tools before the registry lists them
  const found = await search();
  expect(found.stdout).toMatch(/mcp__files_there__pid/);
  expect(found.stderr).toBe('');
  const values = async (...words: readonly string[]) =>
    (await ok(here, '__complete', '--', ...words)).stdout.split('\n').map((line) => line.split('\t')[0]);
  expect(await values('search', 'x', '--server', '')).toEqual(['docs', 'files@there', '']);
  expect(await values('start', '')).toEqual(['docs', '']);
  expect(await values('fleet', 'forget', '')).toEqual(['']);
  const findings = async () => {
    const { stdout } = await onStage(here, ['doctor', '--json']);
    expect(faultsOf('doctor', JSON.parse(stdout))).toEqual([]);
    const all = JSON.parse(stdout) as { findings: readonly { check: string; status: string; message: string }[] };
    return all.findings.filter(({ check }) => check === 'fleet').map(({ status, message }) => `${status} ${message}`);
  };
  const joined = 'ok this node, "here", is in the fleet "default", with 1 other node';
  expect(await findings()).toEqual([joined]);

  await lose(there);
  await until(async () => (await reportOf(here))?.nodes[1]?.state === 'unreachable');
  expect(await values('fleet', 'forget', '')).toEqual(['there', '']);
  expect(await findings()).toEqual([joined, 'warning the node "there" is unreachable, and so are its servers']);
  await ok(here, 'down');
  expect(await findings()).toEqual(['ok the daemon joins the fleet "default" as "here" when it is started']);
});

describe('mcpx fleet status --watch', () => {
  /** Two nodes, of which one leaves when the other has been seen. */
  async function watchedUntilLeft(options: readonly string[], view: object, isOver: (text: string) => boolean) {
    await using nats = await startNatsServer();
    await using here = await machine([{ name: 'docs', server: 'echo' }]);
    await using there = await machine();
    for (const [stage, node] of [
      [here, 'here'],
      [there, 'there'],
    ] as readonly (readonly [DaemonStage, string])[]) {
      await ok(stage, 'up');
      await ok(stage, 'fleet', 'join', nats.url, '--node', node);
    }
    await seen(here, 'there', 'files', { tools: 8 });
    const interruption = new AbortController();
    let left: Promise<unknown> | undefined;
    const outcome = await onStage(here, ['fleet', 'status', '--watch', ...options], {
      ...view,
      signal: interruption.signal,
      onStdout: (text) => {
        left ??= ok(there, 'fleet', 'leave');
        if (isOver(text)) interruption.abort();
      },
    });
    await left;
    return outcome;
  }

  test('prints a line per change without a terminal, until interrupted', async () => {
    const { exitCode, stdout, stderr } = await watchedUntilLeft([], {}, (text) => text.includes('node there: gone'));
    expect(exitCode).toBe(exitCodes.interrupted);
    expect(stderr).toBe('Interrupted.\n');
    expect(stdout).toMatch(/^\S+Z this node: "here" of the fleet "default": joined$/m);
    expect(stdout).toMatch(/^\S+Z node there: alive$/m);
    expect(stdout).toMatch(/^\S+Z files@there: running, 8 tools$/m);
    for (const line of stdout.trimEnd().split('\n')) expect(line).toMatch(/^\d{4}-\d\d-\d\dT\S+Z \S/);
  });

  test('prints a document per change with --json', async () => {
    const { stdout } = await watchedUntilLeft(
      ['--json'],
      {},
      (text) => documents(text).at(-1)?.fleet.nodes.length === 1,
    );
    for (const line of documents(stdout)) expect(faultsOf('fleet status', line)).toEqual([]);
    expect(documents(stdout)[0]?.fleet.nodes).toHaveLength(2);
  });

  test('redraws the table in a terminal and restores the cursor', async () => {
    const terminal = { terminal: { columns: 200, rows: 40 } };
    const { stdout } = await watchedUntilLeft([], terminal, (text) => text.includes('with 0 other nodes'));
    expect(stdout.startsWith('\u001b[?25l\u001b[?7l\u001b[JFleet "default"')).toBe(true);
    expect(stdout).toContain('with 1 other node\n');
    expect(stdout.endsWith('\u001b[?7h\u001b[?25h')).toBe(true);
  });
});

function documents(text: string): readonly { readonly fleet: { readonly nodes: readonly object[] } }[] {
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
}
