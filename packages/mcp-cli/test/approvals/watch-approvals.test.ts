// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the config uses such strings
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { expectNoLeaks } from '@x/test-servers';
import { afterEach, describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { type DaemonStage, daemonStage } from '../helpers/daemon-stage.js';
import { project } from '../helpers/project.js';
import { inTerminal, type PseudoTerminal } from '../helpers/pseudo-terminal.js';
import { callText, clientOn } from '../helpers/served-client.js';
import { onStage, upOn } from '../helpers/stage-commands.js';
import { until } from '../helpers/until.js';

afterEach(expectNoLeaks);

const enter = '\r';
const down = '\u001b[B';
const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const form = { method: 'elicitation/create', params: { message: 'Who?', requestedSchema } };

/** A terminal of the daemon's machine, which is asked from then on. */
async function attend(stage: DaemonStage): Promise<PseudoTerminal> {
  const terminal = await inTerminal(stage.folder, ['approvals', 'watch'], { env: { MCPX_TEST: stage.mark } });
  await terminal.seen('appear here.');
  return terminal;
}

describe.runIf(process.platform === 'linux')('mcpx approvals watch', () => {
  test.each(['legacy', '2026-07-28'] as const)(
    'is asked what a server asks during the call of a client that cannot answer (%s)',
    async (era) => {
      await using stage = await daemonStage([{ name: 'asks', server: 'asks-host' }]);
      const versionNegotiation = { mode: era === 'legacy' ? ('legacy' as const) : { pin: era } };
      await using served = await clientOn(stage, [], { name: 'an-editor', versionNegotiation });
      const ask = () => callText(served.client, 'mcp__asks__ask', form);
      expect(JSON.parse(await ask())).toMatchObject({ error: { code: -32_601 } }); // no person is there

      await using terminal = await attend(stage);
      const first = ask();
      await terminal.seen('Answer "asks"?');
      expect(stripVTControlCharacters(terminal.text())).toContain('Server "asks" asks, for a call of an-editor:');
      terminal.press(enter);
      await terminal.seen('name (required');
      terminal.press(`Ann${enter}`);
      await terminal.seen('Send this to "asks"?');
      terminal.press(enter);
      expect(JSON.parse(await first)).toEqual({ result: { action: 'accept', content: { name: 'Ann' } } });

      const after = terminal.text().length;
      const second = ask();
      await terminal.seen('Answer "asks"?', { after });
      terminal.press(`${down}${enter}`);
      expect(JSON.parse(await second)).toEqual({ result: { action: 'decline' } });

      terminal.press('\u0003');
      expect((await terminal.ended()).exitCode).toBe(exitCodes.interrupted);
      await until(async () => (await ask()).includes('-32601'));
    },
  );

  test('leaves a client that can answer alone', async () => {
    await using stage = await daemonStage([{ name: 'asks', server: 'asks-host' }]);
    await using served = await clientOn(stage, [], { capabilities: { elicitation: { form: {} } } });
    served.client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'own' } }));
    await using terminal = await attend(stage);
    expect(await callText(served.client, 'mcp__asks__ask', form)).toContain('own');
    expect(terminal.text()).not.toContain('Who?');
  });

  test('is asked about calls that wait for an approval, and no longer once another has answered', async () => {
    await using elsewhere = await project({});
    const file = join(elsewhere.folder, 'effects');
    await using stage = await daemonStage([{ name: 'counter', server: 'records-effects', args: ['--file', file] }]);
    const role_restrictions = { careful: { allowed_tools: ['counter'], ask_before: ['counter.effect'] } };
    await writeFile(join(stage.folder, 'tools.yaml'), JSON.stringify({ tools: { app: { role_restrictions } } }));
    await upOn(stage);
    const call = (id: string) => onStage(stage, ['call', 'counter.effect', `id=${id}`, '--role', 'careful']);
    await using terminal = await attend(stage);
    const approved = call('first');
    await terminal.seen('Approve this call?');
    expect(terminal.text()).toContain('"first"');
    terminal.press('y');
    expect((await approved).exitCode).toBe(exitCodes.ok);

    const after = terminal.text().length;
    const elsewhereAnswered = call('second');
    await terminal.seen('Approve this call?', { after });
    const [waiting] = JSON.parse((await onStage(stage, ['approvals', '--json'])).stdout).calls;
    await onStage(stage, ['approvals', 'deny', waiting.id]);
    expect((await elsewhereAnswered).exitCode).toBe(exitCodes.notFound);

    const third = call('third');
    await terminal.seen('"third"');
    await terminal.seen('Approve this call?', { after: terminal.text().indexOf('"third"') });
    terminal.press('n');
    expect((await third).exitCode).toBe(exitCodes.notFound);
  });
});

describe.runIf(process.platform === 'linux')('the question about a call', () => {
  test('hides secrets of servers, at the watch and in the terminal of the call', async () => {
    await using elsewhere = await project({});
    const args = ['--file', join(elsewhere.folder, 'effects')];
    const secret = 's3cret-of-the-counter';
    const fields = { env: { COUNTER_TOKEN: '${COUNTER_TOKEN}' } };
    const env = { COUNTER_TOKEN: secret };
    await using stage = await daemonStage([{ name: 'counter', server: 'records-effects', args, fields }], { env });
    const role_restrictions = { careful: { allowed_tools: ['counter'], ask_before: ['counter.effect'] } };
    await writeFile(join(stage.folder, 'tools.yaml'), JSON.stringify({ tools: { app: { role_restrictions } } }));
    await upOn(stage);
    await using watch = await attend(stage);
    const call = ['call', 'counter.effect', `id=${secret}`, '--role', 'careful'];
    const held = onStage(stage, call);
    await watch.seen('Approve this call?');
    watch.press('n');
    await held;
    await using own = await inTerminal(stage.folder, call, { env: { ...env, MCPX_TEST: stage.mark } });
    await own.seen('Approve this call?');
    own.press('n');
    await own.ended();
    for (const terminal of [watch, own]) expect(terminal.text()).toContain('"id": "***"');
    expect(watch.text()).not.toContain(secret);
    // The words of the command itself are not shown again.
    expect(own.text()).not.toContain(secret);
  });
});

test('without a terminal, mcpx approvals watch says what a script uses', async () => {
  await using stage = await daemonStage([]);
  const { exitCode, stderr } = await onStage(stage, ['approvals', 'watch']);
  expect(exitCode).toBe(exitCodes.usage);
  expect(stderr).toContain('mcpx approvals approve');
});
