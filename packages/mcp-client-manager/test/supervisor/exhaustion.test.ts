import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { ManagerError } from '../../src/errors.js';
import { resolveOptions } from '../../src/options.js';
import { ProcessOwner, type ProcessRequest } from '../../src/process/process-owner.js';
import type { ServerProcess } from '../../src/process/spawn-server.js';
import { failureOf, serverSpec } from '../helpers/servers.js';
import { supervise } from '../helpers/supervised.js';

afterEach(expectNoLeaks);

/** A system that has no room for another process while `isFull`. */
class LimitedHost extends ProcessOwner {
  isFull = true;
  readonly asked: string[] = [];
  readonly #code: string;

  constructor(code: string) {
    super(resolveOptions());
    this.#code = code;
  }

  override async spawn(request: ProcessRequest): Promise<ServerProcess> {
    this.asked.push(request.server);
    if (!this.isFull) return super.spawn(request);
    const cause = Object.assign(new Error(`spawn ${this.#code}`), { code: this.#code });
    throw new ManagerError('spawn-failed', `no room (${this.#code})`, { server: request.server, cause });
  }
}

test.each(['EAGAIN', 'EMFILE', 'ENFILE', 'ENOMEM'])(
  'a system without room (%s) holds every start up for a while, and costs the server no restart',
  async (code) => {
    const processes = new LimitedHost(code);
    const specs = [serverSpec('echo', [], { restart: { onFailure: false } }), serverSpec('slow')];
    await using all = supervise(specs, { processes });
    const [echo, slow] = all.servers.map(({ handle }) => handle);
    expect(await failureOf(echo?.start() as Promise<void>)).toMatchObject({
      code: 'start-failed',
      message: `no room (${code}). While the client manager is open, the server is tried again in a moment.`,
      cause: { code: 'spawn-failed' },
    });
    expect(echo?.lifecycle).toMatchObject({ failures: 0 });
    processes.isFull = false;
    const started = slow?.start();
    expect(slow?.phase).toBe('queued');
    expect(processes.asked).toEqual(['echo']);
    await Promise.all([started, echo?.callTool('echo', { text: 'x' })]);
    expect(echo?.lifecycle).toMatchObject({ phase: 'ready', failures: 0 });
    expect(processes.asked.toSorted()).toEqual(['echo', 'echo', 'slow']);
  },
);

test('the end of a process of ours ends the pause at once, for the server that failed and for those that wait', async () => {
  const processes = new LimitedHost('EMFILE');
  processes.isFull = false;
  await using all = supervise([serverSpec('structured'), serverSpec('echo'), serverSpec('slow')], { processes });
  const [other, echo, slow] = all.servers.map(({ handle }) => handle);
  await other?.start();
  processes.isFull = true;
  // Five refusals in a row: the pause is a minute by now.
  for (let round = 0; round < 5; round++) await failureOf(echo?.restart() as Promise<void>);
  const waiting = slow?.callTool('slow', {}, { timeoutMs: 20 });
  expect(await failureOf(waiting as Promise<unknown>)).toMatchObject({
    code: 'timed-out',
    message: expect.stringContaining('was not ready within 20 ms: no room (EMFILE).'),
  });
  processes.isFull = false;
  const both = [echo?.callTool('echo', { text: 'x' }), slow?.start()];
  await other?.stop();
  await Promise.all(both);
  expect(echo?.lifecycle).toMatchObject({ phase: 'ready', failures: 0 });
});

test('a server that no attempt can start fails at once, without affecting others', async () => {
  const specs = [serverSpec('echo'), { ...serverSpec('slow'), args: ['a\0b'] }];
  await using all = supervise(specs);
  const [echo, broken] = all.servers.map(({ handle }) => handle);
  await failureOf(broken?.start() as Promise<void>);
  expect(broken?.lifecycle).toMatchObject({ phase: 'stopping', next: { phase: 'failed', failures: 1 } });
  await echo?.start();
});

test('any other refusal of the system is a failure of the server', async () => {
  const processes = new LimitedHost('EINVAL');
  await using all = supervise([serverSpec('echo'), serverSpec('slow')], { processes });
  const [echo, slow] = all.servers.map(({ handle }) => handle);
  await failureOf(echo?.start() as Promise<void>);
  expect(echo?.lifecycle).toMatchObject({ phase: 'stopping', next: { phase: 'backoff', failures: 1 } });
  processes.isFull = false;
  await slow?.start();
});
