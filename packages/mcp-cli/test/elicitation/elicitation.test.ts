import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { expectNoLeaks } from '@x/test-servers';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { exitCodes } from '../../src/command.js';
import { type DaemonStage, daemonStage, expectNoLeaksBeside } from '../helpers/daemon-stage.js';
import { project, serversFile } from '../helpers/project.js';
import { inTerminal, type PseudoTerminal } from '../helpers/pseudo-terminal.js';
import { runMcpx } from '../helpers/run-mcpx.js';
import { onStage, upOn } from '../helpers/stage-commands.js';
import { until } from '../helpers/until.js';

const ctrlC = '\u0003';
const ctrlD = '\u0004';
const down = '\u001b[B';
const up = '\u001b[A';
const enter = '\r';

const asks = [{ name: 'asks', server: 'asks-host' }] as const;

function ask(params: object): readonly string[] {
  return ['call', 'asks.ask', JSON.stringify({ method: 'elicitation/create', params })];
}

function form(
  properties: object,
  { required = [], message = 'Who are you?' }: { required?: string[]; message?: string } = {},
) {
  return ask({ message, requestedSchema: { type: 'object', properties, required } });
}

const pages = [fileURLToPath(new URL('../fixtures/needs-page.mjs', import.meta.url))];
const bank = { command: process.execPath, args: pages, auto_start: true };
const needsPage = JSON.stringify({ mcp_servers: { bank } });

let behindDaemon: DaemonStage;
beforeAll(async () => {
  behindDaemon = await daemonStage([
    ...asks,
    { name: 'modern', server: 'modern-input-required' },
    { name: 'bank', server: 'echo', fields: bank }, // requires its page once for its tool, once for its resource
  ]);
  await upOn(behindDaemon);
});
afterEach(() => expectNoLeaksBeside(behindDaemon));
afterAll(async () => {
  await behindDaemon[Symbol.asyncDispose]();
  await expectNoLeaks();
});

/** A project in a real terminal. `daemon`: the one whose daemon runs. */
async function stage(runs: 'daemon' | 'alone', files: string = serversFile(asks)) {
  const here = runs === 'alone' ? await project({ 'mcp_servers.yaml': files }) : undefined;
  const { folder } = here ?? behindDaemon;
  return {
    folder,
    open: (words: readonly string[], env: Record<string, string> = {}) => inTerminal(folder, words, { env }),
    [Symbol.asyncDispose]: async () => here?.[Symbol.asyncDispose](),
  };
}

async function answersIn(terminal: PseudoTerminal, steps: readonly (readonly [seen: string, keys: string])[]) {
  let after = 0;
  for (const [seen, keys] of steps) {
    await terminal.seen(seen, { after });
    after = terminal.text().length;
    terminal.press(keys);
  }
}

/** What the server got, as its tool prints it at the end. */
async function outcome(terminal: PseudoTerminal): Promise<{ exitCode: number | null; result: unknown; text: string }> {
  const { exitCode, text } = await terminal.ended();
  const plain = stripVTControlCharacters(text);
  const json = /^\{"(?:result|error)":.*\}\r?$/m.exec(plain)?.[0];
  if (json === undefined) throw new Error(`There is no result in:\n${plain}`);
  return { exitCode, text, result: JSON.parse(json) };
}

describe.runIf(process.platform === 'linux')('an elicitation request in a terminal', () => {
  test.each(['alone', 'daemon'] as const)('is asked field by field and sent after a review (%s)', async (runs) => {
    await using here = await stage(runs);
    await using terminal = await here.open(
      form(
        {
          name: { type: 'string', title: 'Your name', description: 'As on the door', minLength: 2 },
          age: { type: 'integer', minimum: 1, maximum: 150 },
          mail: { type: 'string', format: 'email' },
          city: { type: 'string', default: 'Oslo' },
          colour: {
            type: 'string',
            oneOf: [
              { const: 'r', title: 'Red' },
              { const: 'b', title: 'Blue' },
            ],
          },
          sure: { type: 'boolean', default: true },
          tools: { type: 'array', minItems: 1, items: { type: 'string', enum: ['saw', 'drill'] }, default: ['drill'] },
        },
        { required: ['name', 'colour'] },
      ),
    );
    await answersIn(terminal, [
      ['Answer "asks"?', enter],
      ['Your name (required', `A${enter}`],
      ['Type at least 2 characters; these are 1.', `nn${enter}`],
      ['age (optional, a whole number, at least 1, at most 150)', `200${enter}`],
      ['Type a number of at most 150.', `\u007f\u007f\u007f40${enter}`],
      ['mail (optional, email)', `nobody${enter}`],
      ['Type an email address', `@example.com${enter}`],
      ['city (optional)', enter],
      ['colour (required', `${down}${enter}`],
      ['sure (optional)', enter],
      ['tools (optional', enter],
      ['Send this to "asks"?', enter],
    ]);
    const { exitCode, result, text } = await outcome(terminal);
    expect(stripVTControlCharacters(text)).toContain('Server "asks" asks:\r\n  | Who are you?');
    expect(text).toContain('As on the door');
    expect(result).toEqual({
      result: {
        action: 'accept',
        content: {
          name: 'Ann',
          age: 40,
          mail: 'nobody@example.com',
          city: 'Oslo',
          colour: 'b',
          sure: true,
          tools: ['drill'],
        },
      },
    });
    expect(exitCode).toBe(exitCodes.ok);
  });

  test('is asked again from its answers when the user wants to change them', async () => {
    await using here = await stage('alone');
    await using terminal = await here.open(form({ name: { type: 'string' }, pet: { type: 'string' } }));
    await answersIn(terminal, [
      ['Answer "asks"?', enter],
      ['name (optional)', `Ann${enter}`],
      ['pet (optional)', `cat${enter}`],
      ['Send this to "asks"?', `${down}${enter}`],
      ['name (optional)', enter], // the earlier answer is the default
      ['pet (optional)', `dog${enter}`],
      ['Send this to "asks"?', enter],
    ]);
    const { result } = await outcome(terminal);
    expect(result).toEqual({ result: { action: 'accept', content: { name: 'Ann', pet: 'dog' } } });
  });

  test('with many fields is asked without a warning of Node.js, and says how many choices it takes', async () => {
    await using here = await stage('alone');
    const names = Array.from({ length: 10 }, (_, index) => `field${index}`);
    const fields = Object.fromEntries(names.map((name) => [name, { type: 'string', maxLength: 9 }]));
    const some = { type: 'array', items: { type: 'string', enum: ['saw', 'drill', 'axe'] }, minItems: 1, maxItems: 2 };
    await using terminal = await here.open(form({ ...fields, some }));
    await answersIn(terminal, [
      ['Answer "asks"?', enter],
      ...names.map((name) => [`${name} (optional, at most 9 characters)`, `x${enter}`] as const),
      ['some (optional, 1 to 2 of these)', ` ${enter}`],
      ['Send this to "asks"?', enter],
    ]);
    const { result, text } = await outcome(terminal);
    const content = { ...Object.fromEntries(names.map((name) => [name, 'x'])), some: ['saw'] };
    expect(result).toEqual({ result: { action: 'accept', content } });
    expect(text).not.toContain('warning');
  });

  test.each([
    ['Ctrl-C', ctrlC, { action: 'cancel' }],
    ['Ctrl-D', ctrlD, { action: 'cancel' }],
    ['an empty answer to a required field', `${enter}`, { action: 'cancel' }],
  ])('is cancelled by %s, and the call goes on', async (_, keys, answered) => {
    await using here = await stage('daemon');
    await using terminal = await here.open(form({ name: { type: 'string' } }, { required: ['name'] }));
    await answersIn(terminal, [
      ['Answer "asks"?', enter],
      ['name (required', keys],
    ]);
    const { result, exitCode, text } = await outcome(terminal);
    expect(result).toEqual({ result: answered });
    expect(text).toContain('The request of "asks" was cancelled.');
    expect(exitCode).toBe(exitCodes.ok);
  });

  test('can be declined', async () => {
    await using here = await stage('alone');
    await using terminal = await here.open(form({ name: { type: 'string' } }));
    await answersIn(terminal, [['Answer "asks"?', `${down}${enter}`]]);
    expect((await outcome(terminal)).result).toEqual({ result: { action: 'decline' } });
  });

  test('has no control over the terminal, and a form that wants a secret is warned of and declined by default', async () => {
    await using here = await stage('alone');
    const message = 'Sign in\u001b]0;title\u0007\u001b[2J\r\n\u202emcpx: done';
    await using terminal = await here.open(
      form({ api_key: { type: 'string', title: 'Key\u001b[31m', description: 'x\u001b[2Jy' } }, { message }),
    );
    await answersIn(terminal, [['Answer "asks"?', enter]]);
    const { result, text } = await outcome(terminal);
    expect(result).toEqual({ result: { action: 'decline' } });
    expect(text).not.toContain('\u001b[2J');
    expect(text).not.toContain('\u001b]0;');
    expect(stripVTControlCharacters(text)).toContain('  | Sign in\r\n  | mcpx: done');
    expect(text).toContain('warning: "api_key" looks like a secret.');
  });

  test('has no default that the terminal cannot show as it is', async () => {
    await using here = await stage('alone');
    const nick = { type: 'string', default: 'A\u001b]0;title\u0007\u001b[2J' };
    await using terminal = await here.open(form({ nick }));
    await answersIn(terminal, [
      ['Answer "asks"?', enter],
      ['nick (optional)', enter],
      ['Send this to "asks"?', enter],
    ]);
    const { result, text } = await outcome(terminal);
    expect(result).toEqual({ result: { action: 'accept', content: {} } });
    expect(text).not.toContain('\u001b[2J');
    expect(text).not.toContain('\u001b]0;');
  });

  test('has a mark on each row of a long message', async () => {
    await using here = await stage('alone');
    await using terminal = await here.open(form({}, { message: 'x'.repeat(300) }));
    await answersIn(terminal, [['Answer "asks"?', `${down}${enter}`]]);
    const { text } = await outcome(terminal);
    const rows = stripVTControlCharacters(text)
      .split(/\r?\n/)
      .filter((row) => row.includes('xxxx'));
    expect(rows.length).toBeGreaterThan(1);
    for (const row of rows) expect(row).toMatch(/^ {2}\| x+$/);
  });

  test('about a page shows its whole address and its host, and nothing is opened without a yes', async () => {
    await using here = await stage('daemon');
    const url = 'https://ann@xn--exmple-cua.com:8443/path?state=1&next=%2F#part';
    const page = ask({ mode: 'url', message: 'Please sign in', url, elicitationId: '1' });
    {
      await using terminal = await here.open(page);
      await answersIn(terminal, [['Open this page for "asks"?', enter]]); // no is the default
      const { result, text } = await outcome(terminal);
      expect(result).toEqual({ result: { action: 'decline' } });
      expect(text).toContain(`Page: ${url}`);
      expect(text).toContain('Host: xn--exmple-cua.com:8443');
      expect(text).toContain('may imitate another host');
      expect(text).toContain('The text before "@" is not the host.');
      expect(text).not.toContain('Open the page yourself');
    }
    {
      await using terminal = await here.open(page);
      await answersIn(terminal, [['Open this page for "asks"?', `${up}${enter}`]]);
      const { result, text } = await outcome(terminal);
      expect(result).toEqual({ result: { action: 'accept' } });
      expect(text).toContain('There is no browser here. Open the page yourself.');
    }
    const opened = join(here.folder, 'opened');
    const browser = join(here.folder, 'xdg-open');
    await writeFile(browser, `#!/bin/sh\nprintf %s "$1" > '${opened}.new' && mv '${opened}.new' '${opened}'\n`, {
      mode: 0o700,
    });
    await using terminal = await here.open(page, { DISPLAY: ':0', PATH: `${here.folder}:${process.env.PATH}` });
    await answersIn(terminal, [['Open this page for "asks"?', `${up}${enter}`]]);
    expect((await outcome(terminal)).result).toEqual({ result: { action: 'accept' } });
    await until(async () => (await readFile(opened, 'utf8').catch(() => '')) === url);
  });

  test('about an address that is no web page is declined', async () => {
    await using here = await stage('alone');
    await using terminal = await here.open(
      ask({ mode: 'url', message: 'Go', url: 'file:///etc/passwd', elicitationId: '1' }),
    );
    const { result, text } = await outcome(terminal);
    expect(result).toEqual({ result: { action: 'decline' } });
    expect(text).toContain('is not a web page');
  });

  test('of the protocol of 2026-07-28 is asked, too', async () => {
    await using here = await stage('daemon');
    await using terminal = await here.open(['call', 'modern.greet']);
    await answersIn(terminal, [
      ['Answer "modern"?', enter],
      ['name (required', `Ann${enter}`],
      ['Send this to "modern"?', enter],
    ]);
    const { text } = await terminal.ended();
    expect(stripVTControlCharacters(text)).toContain('{"who":{"action":"accept","content":{"name":"Ann"}}');
  });

  test('of the everything server gets its defaults', async () => {
    const main = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/dist/index.js');
    const everything = {
      mcp_servers: { everything: { command: process.execPath, args: [main, 'stdio'], auto_start: true } },
    };
    await using here = await stage('alone', JSON.stringify(everything));
    await using terminal = await here.open(['call', 'everything.trigger-elicitation-request']);
    await answersIn(terminal, [
      ['Answer "everything"?', enter],
      ['String (required', `Ann${enter}`],
      ['Boolean (optional)', enter],
      ['String with default (optional)', enter],
      ['String with email format (optional, email)', enter],
      ['String with uri format (optional, uri)', enter],
      ['String with date format (optional, date)', enter],
      ['Integer (optional', enter],
      ['Number in range 1-1000 (optional', enter],
      ['Untitled Single Select Enum (optional)', enter],
      ['Untitled Multiple Select Enum (optional', enter],
      ['Titled Single Select Enum (optional)', enter],
      ['Titled Multiple Select Enum (optional', enter],
      ['Legacy Titled Single Select Enum (optional)', enter],
      ['Send this to "everything"?', enter],
    ]);
    const { exitCode, text } = await terminal.ended();
    expect(exitCode).toBe(exitCodes.ok);
    const plain = stripVTControlCharacters(text).replaceAll('\r', '');
    const raw = JSON.parse(/Raw result: (\{.*\})/s.exec(plain)?.[1] ?? '');
    expect(raw).toEqual({
      action: 'accept',
      content: {
        name: 'Ann',
        firstLine: 'It was a dark and stormy night.',
        integer: 42,
        number: 3.14,
        untitledSingleSelectEnum: 'Monica',
        untitledMultipleSelectEnum: ['Guitar'],
        titledSingleSelectEnum: 'hero-1',
        titledMultipleSelectEnum: ['fish-1'],
        legacyTitledEnum: 'pet-1',
      },
    });
  });

  test('reaches the command whose call asked: where that is uncertain, no command is asked', async () => {
    await using here = await stage('daemon');
    await using first = await here.open(form({ name: { type: 'string' } }, { message: 'For the first' }));
    await first.seen('Answer "asks"?');
    await using second = await here.open(form({ name: { type: 'string' } }, { message: 'For the second' }));
    expect((await outcome(second)).result).toMatchObject({ error: { code: -32_094 } });
    first.press(`${down}${enter}`);
    const { result, text } = await outcome(first);
    expect(result).toEqual({ result: { action: 'decline' } });
    expect(text).not.toContain('For the second');
  });

  test('is refused if it has no form', async () => {
    await using here = await stage('daemon');
    await using terminal = await here.open(ask({ message: 'x', requestedSchema: { type: 'object' } }));
    const { result, text } = await outcome(terminal);
    expect(result).toMatchObject({ error: { code: -32_602, message: expect.stringContaining('no properties') } });
    expect(text).toContain('The request of "asks" cannot be asked');
  });
});

describe.runIf(process.platform === 'linux')('a server that requires a page first', () => {
  test.each([
    ['alone', ['call', 'bank.balance'], 'Balance: 12'],
    ['daemon', ['call', 'bank.balance'], 'Balance: 12'],
    ['daemon', ['resources', 'read', 'mine://page'], 'Contents: 12'],
  ] as const)('has its page shown, and gets the request again after a yes (%s, %j)', async (runs, words, answer) => {
    await using here = await stage(runs, needsPage);
    await using terminal = await here.open(words);
    await answersIn(terminal, [
      ['Open this page for "bank"?', `${up}${enter}`],
      ['Are you done on the page of "bank"?', enter],
    ]);
    const { exitCode, text } = await terminal.ended();
    const plain = stripVTControlCharacters(text);
    expect(plain).toContain('| Connect your account');
    expect(plain).toContain('Page: https://example.com/connect?id=7');
    expect(plain).toContain(answer);
    expect(exitCode).toBe(exitCodes.ok);
  });

  test.each([
    [[['Open this page for "bank"?', enter]]],
    [
      [
        ['Open this page for "bank"?', `${up}${enter}`],
        ['Are you done', `${down}${enter}`],
      ],
    ],
    [
      [
        ['Open this page for "bank"?', `${up}${enter}`],
        ['Are you done', ctrlC],
      ],
    ],
  ] as const)('gets no second request after a no', async (steps) => {
    await using here = await stage('alone', needsPage);
    await using terminal = await here.open(['call', 'bank.balance']);
    await answersIn(terminal, steps);
    const { exitCode, text } = await terminal.ended();
    expect(text).toContain('A page must be visited first');
    expect(exitCode).toBe(exitCodes.failed);
  });
});

describe.runIf(process.platform === 'linux')('a request during', () => {
  test.each([
    ['alone', ['resources', 'read', 'mine://form', '--server', 'bank'], 'Contents for Ann'],
    ['daemon', ['resources', 'read', 'mine://form', '--server', 'bank'], 'Contents for Ann'],
    ['daemon', ['prompts', 'get', 'bank', 'greet'], 'Greet Ann'],
  ] as const)('%s %j is asked at the terminal', async (runs, words, answer) => {
    await using here = await stage(runs, needsPage);
    await using terminal = await here.open(words);
    await answersIn(terminal, [
      ['Answer "bank"?', enter],
      ['name (required', `Ann${enter}`],
      ['Send this to "bank"?', enter],
    ]);
    const { exitCode, text } = await terminal.ended();
    expect(stripVTControlCharacters(text)).toContain(answer);
    expect(exitCode).toBe(exitCodes.ok);
  });
});

describe('without a terminal', () => {
  test('a page that is required first is shown, and nothing is repeated', async () => {
    await using here = await project({ 'mcp_servers.yaml': needsPage });
    const { exitCode, stderr } = await runMcpx(['call', 'bank.balance'], { cwd: here.folder });
    expect(stderr).toContain('Server "bank" asks: Connect your account https://example.com/connect?id=7');
    expect(stderr).toContain('A page must be visited first');
    expect(exitCode).toBe(exitCodes.failed);
  });

  test('a request is cancelled, and stderr has it', async () => {
    await using here = await project({ 'mcp_servers.yaml': serversFile(asks) });
    const { stdout, stderr, exitCode } = await runMcpx(form({ name: { type: 'string' } }), { cwd: here.folder });
    expect(JSON.parse(stdout)).toEqual({ result: { action: 'cancel' } });
    expect(stderr).toContain(
      'Server "asks" asks: Who are you?\nIt was cancelled, because there is no terminal to ask on.',
    );
    expect(exitCode).toBe(exitCodes.ok);
  });

  test('so is that of a server behind the daemon, with the address of its page', async () => {
    const page = ask({ mode: 'url', message: 'Sign in', url: 'https://example.com/x', elicitationId: '1' });
    const { stdout, stderr } = await onStage(behindDaemon, page);
    expect(JSON.parse(stdout)).toEqual({ result: { action: 'cancel' } });
    expect(stderr).toContain('Server "asks" asks: Sign in https://example.com/x');
  });
});
