import { expectNoLeaks, testServer } from '@x/test-servers';
import { afterEach, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { daemonStage } from '../helpers/daemon-stage.js';
import { onStage, upOn } from '../helpers/stage-commands.js';

afterEach(expectNoLeaks);

test('a running daemon reads what add, remove and undo have written', async () => {
  await using stage = await daemonStage([{ name: 'echo', server: 'echo' }]);
  await upOn(stage);
  const { command, args } = testServer('echo');
  const words = ['add', 'more', '--env', `MCPX_TEST=${stage.mark}`, '--', command, ...args];
  const added = await onStage(stage, words);
  expect(added).toMatchObject({ exitCode: exitCodes.ok, stdout: expect.stringContaining('daemon has read it') });
  expect(await onStage(stage, ['call', 'more.echo', 'text=hi'])).toMatchObject({ exitCode: exitCodes.ok });
  const removed = await onStage(stage, ['remove', 'more', '--json']);
  expect(JSON.parse(removed.stdout)).toMatchObject({ daemon: 'reloaded', reload: { removed: ['more'] } });
  expect(await onStage(stage, ['call', 'more.echo', 'text=hi'])).toMatchObject({ exitCode: exitCodes.notFound });
  const undone = await onStage(stage, ['config', 'undo', '--json']);
  expect(JSON.parse(undone.stdout)).toMatchObject({ daemon: 'reloaded', reload: { added: ['more'] } });
});
