import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { connect, RequestError } from '@nats-io/transport-node';
import { expectNoLeaks, type NatsServer, startNatsServer } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { sendSignal } from '../../src/daemon/system-process.js';
import { machine, ok, reportOf, seen } from '../helpers/fleet-machines.js';
import { faultsOf } from '../helpers/output-schema.js';
import { onStage } from '../helpers/stage-commands.js';
import { until } from '../helpers/until.js';

afterEach(expectNoLeaks);

describe('a daemon that is killed', () => {
  test('is unreachable at once, and offers its servers again after a restart', async () => {
    await using nats = await startNatsServer();
    await using owner = await machine();
    await using edge = await machine([{ name: 'docs', server: 'echo' }]);
    await ok(owner, 'up');
    await ok(owner, 'fleet', 'join', nats.url, '--node', 'owner');
    await ok(edge, 'fleet', 'join', nats.url, '--node', 'edge');
    await seen(edge, 'owner', 'files', { tools: 8 });
    const before = (await ok(edge, 'call', 'files@owner.pid')).stdout;

    const { parent, phase } = await owner.state();
    if (phase.name !== 'ready') throw new Error(`the daemon is ${phase.name}`);
    const both = [parent, phase.worker];
    for (const { pid } of both) process.kill(pid, 'SIGSTOP'); // neither has time to see the other's end
    for (const identity of both) expect(sendSignal(identity, 'SIGKILL')).toBe(true);
    await until(() => isUnheard(nats, 'mcp-fleet.default.call.owner.files.edge'));
    const refused = await onStage(edge, ['call', 'files@owner.pid']);
    expect(refused.exitCode).not.toBe(exitCodes.ok);
    expect(refused.stderr).toMatch(/owner (is unreachable|cannot be reached)/);

    await ok(owner, 'up');
    await until(async () => (await onStage(edge, ['call', 'files@owner.pid'])).exitCode === exitCodes.ok);
    expect((await ok(edge, 'call', 'files@owner.pid')).stdout).not.toBe(before);
    await seen(edge, 'owner', 'files', { state: 'running', tools: 8 });
  });
});

describe('a daemon with too few permissions on the bus', () => {
  test('reports an alarm and continues', async () => {
    const users =
      'users = [{ user: a, password: p, permissions: { publish: { deny: ["$KV.mcp-fleet_default.server.>"] } } }]';
    await using nats = await startNatsServer({ config: `authorization { ${users} }` });
    await using stage = await machine();
    await writeFile(join(stage.folder, 'password'), 'p\n', { mode: 0o600 });
    await ok(stage, 'fleet', 'join', nats.url, '--node', 'a', '--user', 'a', '--password-file', 'password');
    await until(async () => (await reportOf(stage))?.alarms.length);
    const { stdout } = await ok(stage, 'fleet', 'status');
    expect(stdout).toMatch(/^ALARM \S+: the NATS server forbade this node to write server\.a\.files$/m);
    const { stdout: json } = await ok(stage, 'fleet', 'status', '--json');
    expect(faultsOf('fleet status', JSON.parse(json)), json).toEqual([]);
    expect((await ok(stage, 'daemon', 'logs')).stdout).toContain(
      'ALARM: the bus forbids this node to write server.a.files',
    );
    await ok(stage, 'call', 'files.pid');
  });
});

/** True if the server knows no listener there, which takes it a moment after a process has ended. */
async function isUnheard(server: NatsServer, subject: string): Promise<boolean> {
  const nats = await connect({ servers: server.url });
  try {
    await nats.request(subject, '', { timeout: 200 });
    return false;
  } catch (error) {
    return error instanceof RequestError && error.isNoResponders();
  } finally {
    await nats.close();
  }
}
