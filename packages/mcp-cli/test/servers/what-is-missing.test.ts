import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectNoLeaks, testServer } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { createLocalControl } from '../../src/control/local-control.js';
import type { StartStep } from '../../src/control/reports.js';
import { daemonStage } from '../helpers/daemon-stage.js';
import { localStack } from '../helpers/local-stack.js';
import { project, type ServerEntry, serversFile } from '../helpers/project.js';
import { replaceFile } from '../helpers/replace-file.js';
import { runMcpx } from '../helpers/run-mcpx.js';
import { startCommand } from '../helpers/running-command.js';
import { ioIn } from '../helpers/serving.js';
import { onStage } from '../helpers/stage-commands.js';

afterEach(expectNoLeaks);

const gone = { name: 'gone', server: 'echo' as const, fields: { command: 'no-such-program-here', args: [] } };
const disabled = { ...gone, name: 'off', fields: { ...gone.fields, disabled: true } };

test.each(['without a daemon', 'with a daemon that starts none'])(
  'list and status say that the program of a server is missing, %s',
  async (where) => {
    await using stage = await daemonStage([{ ...gone, fields: { ...gone.fields, auto_start: false } }, disabled]);
    if (where !== 'without a daemon') expect(await onStage(stage, ['up'])).toMatchObject({ exitCode: exitCodes.ok });
    for (const command of ['list', 'status']) {
      const { stdout } = await onStage(stage, [command]);
      expect(stdout).toMatch(/^gone +! not set up .*needs the program no-such-program-here$/m);
      expect(stdout).toMatch(/^off +○ disabled /m);
      const [row] = JSON.parse((await onStage(stage, [command, '--json'])).stdout).servers;
      expect(row).toMatchObject({ state: 'stopped', needs: [{ kind: 'program', name: 'no-such-program-here' }] });
    }
    // Without consent, not even the path of a program is looked at.
    const { stdout } = await onStage(stage, ['list'], { env: { ...stage.io.env, MCPX_TRUST: '' } });
    if (where === 'without a daemon') expect(stdout).toMatch(/^gone +\? untrusted /m);
  },
);

/** A folder with an npx that downloads until `finish` is called, and the entry of a server that it starts. */
async function withNpx(files: Readonly<Record<string, string>> = {}) {
  const { command, args } = testServer('echo');
  const words = ['-y', '@example/not-downloaded@1.2.3', ...args];
  const program = `#!/bin/sh\nuntil [ -e "$0-done" ]; do sleep 0.02; done\nshift 2\nexec '${command}' "$@"\n`;
  const home = await project({ ...files, 'bin/npx': program });
  const npx = join(home.folder, 'bin/npx');
  await chmod(npx, 0o755);
  const far = { name: 'far', server: 'echo', fields: { command: npx, args: words } } as const;
  return { ...home, far, finish: () => writeFile(`${npx}-done`, '') };
}

test.skipIf(process.platform === 'win32')('a start says which package npx has to download first', async () => {
  await using home = await withNpx();
  await using here = await localStack([home.far], { env: { HOME: home.folder } });
  await using control = createLocalControl(here.stack);
  const steps: StartStep[] = [];
  await control.start({
    onStep: (step) => {
      steps.push(step);
      if (step.step === 'downloading') void home.finish();
    },
  });
  expect(steps.slice(0, 3)).toEqual([
    { server: 'far', step: 'spawned', pid: expect.any(Number) },
    { server: 'far', step: 'downloading', package: '@example/not-downloaded@1.2.3' },
    { server: 'far', step: 'handshake' },
  ]);
});

test.skipIf(process.platform === 'win32')(
  'serve says it of a server that an edit adds, and warns of nothing about the one that it removes',
  async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error) => void warnings.push(warning);
    process.on('warning', onWarning);
    try {
      await using here = await withNpx();
      const io = ioIn(here.folder);
      const configure = (server: ServerEntry) =>
        replaceFile(join(here.folder, 'mcp_servers.yaml'), serversFile([server]));
      await configure(here.far);
      await runMcpx(['trust', '--yes'], io); // what an edit adds needs it
      await configure({ name: 'near', server: 'echo' });
      await using serving = startCommand(['serve', '--own-servers'], io);
      await serving.seen(/near ready/);
      await configure(here.far);
      await serving.seen(/far downloads @example\/not-downloaded@1\.2\.3/);
      await here.finish();
      await serving.seen(/far ready/);
    } finally {
      process.off('warning', onWarning);
    }
    expect(warnings).toEqual([]);
  },
);
