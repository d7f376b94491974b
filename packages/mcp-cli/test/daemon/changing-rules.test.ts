import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { daemonStage } from '../helpers/daemon-stage.js';
import { project } from '../helpers/project.js';
import { replaceFile } from '../helpers/replace-file.js';
import { onStage, upOn } from '../helpers/stage-commands.js';
import { until } from '../helpers/until.js';

afterEach(expectNoLeaks);

const toolsFile = (...allowed: string[]) =>
  JSON.stringify({ tools: { app: { role_restrictions: { review: { allowed_tools: allowed } } } } });

test('a running daemon refuses a tool as soon as tools.yaml removes it from a role', async () => {
  await using elsewhere = await project({});
  const file = join(elsewhere.folder, 'effects');
  const effects = async () => (await readFile(file, 'utf8').catch(() => '')).split('\n').length - 1;
  await using stage = await daemonStage([{ name: 'counter', server: 'records-effects', args: ['--file', file] }]);
  const allow = (...allowed: string[]) => replaceFile(join(stage.folder, 'tools.yaml'), toolsFile(...allowed));
  const changesLogged = async () =>
    (await readFile(stage.place.paths.logFile, 'utf8')).split('role "review"').length - 1;
  const call = () => onStage(stage, ['call', 'counter.effect', 'id=x', '--role', 'review']);
  await allow('counter');
  await upOn(stage);
  expect((await call()).exitCode).toBe(exitCodes.ok);
  expect(await effects()).toBe(1);

  await allow('counter.other');
  await until(async () => (await changesLogged()) === 1);
  const refused = await call();
  expect(refused.exitCode).toBe(exitCodes.notFound);
  expect(await effects()).toBe(1);

  await allow('counter/effect');
  await until(async () => (await changesLogged()) === 2);
  expect((await call()).exitCode).toBe(exitCodes.ok);
  expect(await effects()).toBe(2);

  const reload = () => onStage(stage, ['daemon', 'reload']);
  expect(await reload()).toMatchObject({ exitCode: exitCodes.ok, stdout: 'role      review\n' });
  expect(await reload()).toMatchObject({ stdout: 'Nothing has changed since the last reload.\n' });
});
