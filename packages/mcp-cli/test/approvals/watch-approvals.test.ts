// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the config uses such strings
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { expectNoLeaks } from '@x/test-servers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { type Answers, type ClientKind, connectAnswering, httpTransport } from '../helpers/answering-client.js';
import { type DaemonStage, daemonStage, expectNoLeaksBeside } from '../helpers/daemon-stage.js';
import { project, type ServerEntry } from '../helpers/project.js';
import { inTerminal, type PseudoTerminal } from '../helpers/pseudo-terminal.js';
import type { RunningCommand } from '../helpers/running-command.js';
import { callText, clientOn, serveOn } from '../helpers/served-client.js';
import { onStage, upOn } from '../helpers/stage-commands.js';
import { until } from '../helpers/until.js';

const enter = '\r';
const up = '\u001b[A';
const down = '\u001b[B';
const needsPage = fileURLToPath(new URL('../fixtures/needs-page.mjs', import.meta.url));
const requestedSchema = { type: 'object', properties: { name: { type: 'string' } }, required: ['name'] };
const form = { method: 'elicitation/create', params: { message: 'Who?', requestedSchema } };

/** A terminal of the daemon's machine, which is asked from then on. */
async function attend(stage: DaemonStage): Promise<PseudoTerminal> {
  const terminal = await inTerminal(stage.folder, ['approvals', 'watch']);
  await terminal.seen('appear here.');
  return terminal;
}

const eras = ['legacy', '2026-07-28'] as const;
const negotiation = (era: (typeof eras)[number]) => ({ mode: era === 'legacy' ? ('legacy' as const) : { pin: era } });
const secret = 's3cret-of-the-counter';
const role_restrictions = {
  careful: { allowed_tools: ['counter', 'guarded'], ask_before: ['counter.effect', 'guarded.effect'] },
  free: { allowed_tools: ['counter'] },
};
/** Requires its page once. */
const bankOf = (era: (typeof eras)[number]) => `bank-${eras.indexOf(era)}`;

let elsewhere: Awaited<ReturnType<typeof project>>;
let stage: DaemonStage;
beforeAll(async () => {
  elsewhere = await project({});
  const args = ['--file', join(elsewhere.folder, 'effects')];
  const bank = { command: process.execPath, args: [needsPage] };
  const servers: ServerEntry[] = [
    { name: 'asks', server: 'asks-host' },
    ...eras.map((era) => ({ name: bankOf(era), server: 'echo', fields: bank }) as const),
    { name: 'counter', server: 'records-effects', args },
    { name: 'guarded', server: 'records-effects', args, fields: { env: { COUNTER_TOKEN: '${COUNTER_TOKEN}' } } },
  ];
  stage = await daemonStage(servers, { env: { COUNTER_TOKEN: secret } });
  await writeFile(join(stage.folder, 'tools.yaml'), JSON.stringify({ tools: { app: { role_restrictions } } }));
  await upOn(stage);
});
afterEach(() => expectNoLeaksBeside(stage));
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await elsewhere[Symbol.asyncDispose]();
  await expectNoLeaks();
});

describe.runIf(process.platform === 'linux')('mcpx approvals watch', () => {
  test.each(eras)('is asked what a server asks during the call of a client that cannot answer (%s)', async (era) => {
    const versionNegotiation = negotiation(era);
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
  });

  test.each(eras)('is asked to visit the page that a server requires, if the client shows none (%s)', async (era) => {
    const bank = bankOf(era);
    const versionNegotiation = negotiation(era);
    await using served = await clientOn(stage, [], { name: 'an-editor', versionNegotiation });
    await using terminal = await attend(stage);
    const balance = callText(served.client, `mcp__${bank}__balance`, {});
    await terminal.seen(`Open this page for "${bank}"?`);
    const shown = stripVTControlCharacters(terminal.text());
    expect(shown).toContain(`Server "${bank}" asks you to open a page, for a call of an-editor:`);
    expect(shown).toContain('Page: https://example.com/connect?id=7');
    terminal.press(`${up}${enter}`);
    await terminal.seen(`Are you done on the page of "${bank}"?`);
    terminal.press(enter);
    expect(await balance).toBe('Balance: 12');

    const uri = `mcp+${bank}:mine://page`;
    const declined = served.client.readResource({ uri }).catch((error: unknown) => error);
    await terminal.seen(`Open this page for "${bank}"?`, { after: terminal.text().indexOf('Are you done') });
    terminal.press(enter);
    expect(await declined).toMatchObject({ message: expect.stringContaining('visit') });
  });

  test('leaves a client that can answer alone', async () => {
    await using served = await clientOn(stage, [], { capabilities: { elicitation: { form: {} } } });
    served.client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'own' } }));
    await using terminal = await attend(stage);
    expect(await callText(served.client, 'mcp__asks__ask', form)).toContain('own');
    expect(terminal.text()).not.toContain('Who?');
  });

  test('is asked about calls that wait for an approval, and no longer once another has answered', async () => {
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

/** Served over HTTP to alice, whose role asks, and to bob, of whom --ask-before asks. */
async function serveOverHttp() {
  const tokens = [
    { token: 'alices-own-token-of-http', id: 'alice', role: 'careful' },
    { token: 'bobs-own-token-of-http', id: 'bob', role: 'free' },
  ];
  await writeFile(join(stage.folder, 'tokens.yaml'), JSON.stringify({ tokens }), { mode: 0o600 });
  const http = ['--http', '--port', '0', '--tokens-file', 'tokens.yaml'];
  const commands = [serveOn(stage, http), serveOn(stage, [...http, '--ask-before', 'counter.effect'])] as const;
  const urlOf = async ({ seen }: RunningCommand) => (await seen(/Serving \d servers at (\S+)\n/))[1] ?? '';
  const [ofRole, ofOption] = [await urlOf(commands[0]), await urlOf(commands[1])];
  return {
    waiting: async () => JSON.parse((await onStage(stage, ['approvals', '--json'])).stdout).calls,
    connect: (by: 'ask_before' | '--ask-before', kind: ClientKind, answers: Answers = {}) => {
      const [url, token] = by === 'ask_before' ? [ofRole, tokens[0]?.token] : [ofOption, tokens[1]?.token];
      return connectAnswering(httpTransport(kind, new URL(url), token ?? ''), kind, answers);
    },
    [Symbol.asyncDispose]: async () => {
      for (const command of commands) await command[Symbol.asyncDispose]();
    },
  };
}

const rules = (['ask_before', '--ask-before'] as const).flatMap((by) =>
  (['modern', 'v1'] as const).map((kind) => ({ by, kind })),
);

describe.runIf(process.platform === 'linux').each(rules)('a call over HTTP that $by names ($kind)', ({ by, kind }) => {
  test('is answered at the watch if its client cannot ask, and only then', async () => {
    await using served = await serveOverHttp();
    await using silent = await served.connect(by, kind);
    const effect = (id: string) => silent.call('mcp__counter__effect', { id });
    await using terminal = await attend(stage);
    const approved = effect('first');
    await terminal.seen('Approve this call?');
    const who = by === 'ask_before' ? 'role "careful", principal "alice"' : 'role "free", principal "bob"';
    const shown = stripVTControlCharacters(terminal.text());
    expect(shown).toContain(`Caller: ${who}`);
    expect(shown).not.toContain('asks, for a call of'); // it is no question of the server
    terminal.press('y');
    expect(await approved).toMatchObject({ content: [{ text: expect.stringContaining('first') }] });

    const after = terminal.text().length;
    const denied = effect('second');
    await terminal.seen('Approve this call?', { after });
    terminal.press('n');
    expect(await denied).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('was denied. It was not run') }],
    });

    const shownBefore = terminal.text().length;
    const elicitation = () => ({ action: 'accept', content: { decision: 'approve' } });
    await using asked = await served.connect(by, kind, { elicitation });
    expect((await asked.call('mcp__counter__effect', { id: 'third' })).isError).not.toBe(true);
    expect(terminal.text().slice(shownBefore)).not.toContain('third');
  });

  test('waits without a watch, is answered by a command, and no longer waits once its client cancels it', async () => {
    await using served = await serveOverHttp();
    await using silent = await served.connect(by, kind);
    const first = silent.call('mcp__counter__effect', { id: 'first' });
    const [{ id }] = await until(async () => {
      const calls = await served.waiting();
      return calls.length === 1 && calls;
    });
    await onStage(stage, ['approvals', 'deny', id, '--reason', 'not on Fridays']);
    expect(await first).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('was denied: not on Fridays. It was not run') }],
    });
    const cancel = new AbortController();
    const second = silent.call('mcp__counter__effect', { id: 'second' }, { signal: cancel.signal });
    await until(async () => (await served.waiting()).length === 1);
    cancel.abort();
    await expect(second).rejects.toThrow();
    await until(async () => (await served.waiting()).length === 0);
  });
});

describe.runIf(process.platform === 'linux')('the question about a call', () => {
  test('hides secrets of servers, at the watch and in the terminal of the call', async () => {
    await using watch = await attend(stage);
    const call = ['call', 'guarded.effect', `id=${secret}`, '--role', 'careful'];
    const held = onStage(stage, call);
    await watch.seen('Approve this call?');
    watch.press('n');
    await held;
    await using own = await inTerminal(stage.folder, call, { env: { COUNTER_TOKEN: secret } });
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
  const { exitCode, stderr } = await onStage(stage, ['approvals', 'watch']);
  expect(exitCode).toBe(exitCodes.usage);
  expect(stderr).toContain('mcpx approvals approve');
});
