import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import type { StdioServerSpec } from '../../src/spec.js';
import { temporaryDirectory } from '../helpers/processes.js';
import { failureOf, fixtureSpec, managerWith, stateOf, textOf } from '../helpers/servers.js';

afterEach(expectNoLeaks);

type Era = 'modern' | 'legacy' | 'legacy-silent' | 'legacy-leaves';

class EraServer {
  readonly #directory: string;
  readonly #extras: Partial<StdioServerSpec>;

  constructor(directory: string, extras: Partial<StdioServerSpec> = {}) {
    this.#directory = directory;
    this.#extras = extras;
  }

  /** What a host process asks the server from its start to its first call, and in which phases that went. */
  async run(era: Era): Promise<{ asked: readonly string[]; starts: number; failures: number }> {
    const [eraFile, logFile] = [join(this.#directory, 'era'), join(this.#directory, 'log')];
    await writeFile(eraFile, era);
    await writeFile(logFile, '');
    const spec = fixtureSpec('changes-era.mjs', [eraFile, logFile], this.#extras);
    await using manager = managerWith({ stateDirectory: join(this.#directory, 'state') }, spec);
    let starts = 0;
    manager.events.on('server-state', ({ state, previous }) => {
      if (state.phase === 'starting' && previous.phase !== 'starting') starts += 1;
    });
    expect(textOf(await manager.callTool('fixture', 'act'))).toBe('acted');
    const { failures } = manager.server('fixture').lifecycle;
    const asked = (await readFile(logFile, 'utf8')).trim().split('\n');
    return { asked: asked.slice(0, asked.indexOf('tools/list')), starts, failures };
  }
}

test('a modern server gets server/discover first from the second host process on', async () => {
  const server = new EraServer(await temporaryDirectory());
  expect(await server.run('modern')).toEqual({ asked: ['initialize', 'server/discover'], starts: 1, failures: 0 });
  expect(await server.run('modern')).toEqual({ asked: ['server/discover'], starts: 1, failures: 0 });
});

test.each<[what: string, era: Era, asked: readonly string[]]>([
  ['refuses the question', 'legacy', ['server/discover', 'initialize']],
  ['does not answer it', 'legacy-silent', ['server/discover', 'initialize']],
  ['leaves because of it', 'legacy-leaves', ['server/discover', 'initialize']],
])('a server that was exchanged for one of the earlier era that %s works in the same start', async (_, era, asked) => {
  const server = new EraServer(await temporaryDirectory());
  await server.run('modern');
  expect(await server.run(era)).toEqual({ asked, starts: 1, failures: 0 });
  expect(await server.run(era)).toEqual({ asked: ['initialize'], starts: 1, failures: 0 });
});

test('a server that exits on both handshakes has failed once and is not started a third time', async () => {
  const directory = await temporaryDirectory();
  await new EraServer(directory).run('modern');
  const asked = join(directory, 'log');
  await writeFile(join(directory, 'era'), 'leaves');
  await writeFile(asked, '');
  const spec = fixtureSpec('changes-era.mjs', [join(directory, 'era'), asked], { restart: { onFailure: false } });
  await using manager = managerWith({ stateDirectory: join(directory, 'state') }, spec);
  const server = manager.server('fixture');
  expect(await failureOf(server.start())).toMatchObject({ code: 'start-failed', cause: { code: 'exited-early' } });
  expect(await readFile(asked, 'utf8')).toBe('server/discover\ninitialize\n');
  expect(await stateOf(manager, 'fixture', 'failed')).toMatchObject({ failures: 1, generation: 1 });
});

test('remembered facts do not override the protocol of the spec', async () => {
  const directory = await temporaryDirectory();
  await new EraServer(directory).run('modern');
  expect(await new EraServer(directory, { protocol: 'legacy' }).run('legacy')).toMatchObject({ asked: ['initialize'] });
});
