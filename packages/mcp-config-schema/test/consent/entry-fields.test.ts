import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { shownText, shownWord } from '../../src/consent/entry-fields.js';
import { type LaunchToConfirm, launchesToConfirm } from '../../src/consent/launches.js';
import { loadConfig } from '../../src/load.js';
import { mcpServersFileSchema } from '../../src/schema/server-files.js';
import type { ServerEntry } from '../../src/written-launch.js';

let folder: string;
beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'fields-')));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function launchOf(entry: Readonly<Record<string, unknown>>): Promise<LaunchToConfirm> {
  const file = join(folder, 'mcp_servers.yaml');
  await writeFile(file, JSON.stringify({ mcp_servers: { s: entry } }));
  const config = await loadConfig({ files: [file], env: {} });
  const [launch] = launchesToConfirm(config, { cwd: folder, userDirectory: undefined }).values();
  if (launch === undefined) throw new Error('nothing needs consent');
  return launch;
}

const program = { command: 'node', args: ['x.js'] };
const address = { url: 'https://example.com/mcp' };
const toolCall = { method: 'tool_call', tool: 'probe' };

/** An entry with another value of each field, and what is shown of it. `free`: no consent depends on the field. */
const others: Readonly<Record<keyof ServerEntry, readonly [object, object, string]>> = {
  command: [program, { ...program, command: 'deno' }, 'runs     deno x.js'],
  args: [program, { ...program, args: ['y.js'] }, 'runs     node y.js'],
  cwd: [program, { ...program, cwd: '/srv' }, `in       ${resolve(tmpdir(), '/srv')}`],
  env: [program, { ...program, env: { A: { secret_ref: 'env:X' } } }, 'secret   A from env:X'],
  url: [address, { url: 'https://example.com/other' }, 'connects https://example.com/other'],
  headers: [address, { ...address, headers: { A: 'b' } }, 'header   A=b'],
  auth: [
    address,
    { ...address, auth: { provider: 'oauth', scopes: ['repo', 'a b'] } },
    'sign-in  oauth with repo "a b"',
  ],
  health_check: [
    program,
    { ...program, health_check: { ...toolCall, args: { path: '/x', text: 'a"b' } } },
    'calls    probe with {"path":"/x","text":"a\\"b"} repeatedly, as a health check',
  ],
  allowed_tools: [program, { ...program, allowed_tools: ['read_*'] }, 'offers   read_*'],
  denied_tools: [program, { ...program, denied_tools: ['write'] }, 'without  write'],
  tools: [
    program,
    { ...program, tools: { drop: { description: 'Drops "all"' }, log: {} } },
    'says     drop description: "Drops \\"all\\""',
  ],
  trusted: [program, { ...program, trusted: true }, 'repeats  calls of tools that it declares as safe to repeat'],
  fleet: [program, { ...program, fleet: { placement: 'replicated' } }, 'fleet    replicated'],
  package: [program, { ...program, package: 'some-server' }, 'free'],
  protocol: [program, { ...program, protocol: 'legacy' }, 'free'],
  auto_start: [program, { ...program, auto_start: true }, 'free'],
  eager: [program, { ...program, eager: true }, 'free'],
  disabled: [program, { ...program, disabled: true }, 'free'],
  restart_on_failure: [program, { ...program, restart_on_failure: false }, 'free'],
  max_restart_attempts: [program, { ...program, max_restart_attempts: 9 }, 'free'],
  health_check_interval_seconds: [program, { ...program, health_check_interval_seconds: 10 }, 'free'],
  startup_timeout_seconds: [program, { ...program, startup_timeout_seconds: 60 }, 'free'],
  shutdown_timeout_seconds: [program, { ...program, shutdown_timeout_seconds: 30 }, 'free'],
  first_run_timeout_seconds: [program, { ...program, first_run_timeout_seconds: 30 }, 'free'],
  idle_stop_seconds: [program, { ...program, idle_stop_seconds: 30 }, 'free'],
  memory_limit_mb: [program, { ...program, memory_limit_mb: 300 }, 'free'],
  max_concurrent_calls: [program, { ...program, max_concurrent_calls: 3 }, 'free'],
  max_queued_calls: [program, { ...program, max_queued_calls: 3 }, 'free'],
  queue_timeout_seconds: [program, { ...program, queue_timeout_seconds: 3 }, 'free'],
  connections: [program, { ...program, connections: 'per-caller' }, 'free'],
  max_tools: [program, { ...program, max_tools: 3 }, 'free'],
  priority: [program, { ...program, priority: 3 }, 'free'],
  tags: [program, { ...program, tags: ['x'] }, 'free'],
  type: [address, { ...address, type: 'sse' }, 'free'],
};

test('every field of an entry is classified', () => {
  const { valueType } = mcpServersFileSchema.shape.mcp_servers;
  expect(Object.keys(others).toSorted()).toEqual(Object.keys(valueType.shape).toSorted());
});

describe.each(Object.entries(others))('%s', (_field, [one, other, shown]) => {
  test(shown === 'free' ? 'may change without a question' : 'is shown, and another value asks again', async () => {
    const [before, after] = [await launchOf({ ...one }), await launchOf({ ...other })];
    expect(after.digest === before.digest).toBe(shown === 'free');
    if (shown === 'free') expect(after.lines).toEqual(before.lines);
    else expect(after.lines).toContain(shown);
  });
});

test.each([
  [{ health_check: { method: 'ping', timeout_seconds: 9 } }],
  [{ denied_tools: [] }],
  [{ trusted: false }],
  [{ fleet: {} }],
  [{ fleet: { placement: 'pinned' } }],
])('%j says what holds anyway', async (field) => {
  expect(await launchOf({ ...program, ...field })).toMatchObject(await launchOf(program));
});

test.each([
  [{ ...address, auth: { provider: 'oauth' } }, 'sign-in  oauth'],
  [{ ...program, health_check: toolCall }, 'calls    probe repeatedly, as a health check'],
])('%j is shown without what it does not say', async (entry, line) => {
  expect((await launchOf(entry)).lines).toContain(line);
});

test('an empty list of tools differs from no list', async () => {
  expect((await launchOf({ ...program, allowed_tools: [] })).lines).toContain('offers   nothing');
});

test('the time limit of a health check is free, its tool and its arguments are not', async () => {
  const digestOf = async (check: object) =>
    (await launchOf({ ...program, health_check: { ...toolCall, ...check } })).digest;
  const digest = await digestOf({});
  expect(await digestOf({ timeout_seconds: 9 })).toBe(digest);
  expect(await digestOf({ tool: 'other' })).not.toBe(digest);
  expect(await digestOf({ args: { a: 1 } })).not.toBe(digest);
});

test.each([
  ['server.js', 'server.js'],
  ['--path=/a/b', '--path=/a/b'],
  ['C:\\work\\my-app', 'C:\\work\\my-app'],
  ['C:\\my app', '"C:\\\\my app"'],
  ['two words', '"two words"'],
  ['', '""'],
  ['say "hi"', '"say \\"hi\\""'],
  ['a\\b', '"a\\\\b"'],
  ['$(id); rm -rf /', '"$(id); rm -rf /"'],
  ['\u001b[8mhidden', '"\\u{1b}[8mhidden"'],
  ['line\nbreak', '"line\\nbreak"'],
  ['a\ttab', '"a\\ttab"'],
  ['a\rreturn', '"a\\rreturn"'],
  ['x'.repeat(4_000), 'x'.repeat(4_000)],
  ['right\u202eleft', '"right\\u{202e}left"'],
  ['zero\u200bwidth', '"zero\\u{200b}width"'],
  ['tag\u{e0041}', '"tag\\u{e0041}"'],
  ['no\u00a0break', '"no\\u{a0}break"'],
  ['variation\ufe0f', '"variation\\u{fe0f}"'],
  ['größe', '"größe"'],
])('%j is shown as %s', (word, shown) => {
  expect(shownWord(word)).toBe(shown);
});

test('no word contains control or invisible characters', () => {
  const word = fc.string({ unit: 'binary' });
  fc.assert(
    fc.property(word, (text) => !/(?! )[\p{C}\p{Z}]/u.test(shownWord(text))),
    { numRuns: 2_000 },
  );
});

test('two words are never shown alike', () => {
  const word = fc.string({ unit: fc.constantFrom('a', ' ', '"', '\\', 'n', '\n', 'u', '{', '1', 'b', '}', '\u001b') });
  fc.assert(
    fc.property(word, word, (one, other) => one === other || shownWord(one) !== shownWord(other)),
    { numRuns: 5_000 },
  );
});

test('a word of any length is shown whole', () => {
  const word = `start${'x'.repeat(1_000_000)}end`;
  expect(shownWord(word)).toBe(word);
});

test('blanks that would fill a row are escaped, fewer are not', () => {
  expect(shownWord(`a${' '.repeat(23)}b`)).toBe(`"a${' '.repeat(23)}b"`);
  expect(shownWord(`a${' '.repeat(24)}b`)).toBe(`"a${'\\u{20}'.repeat(24)}b"`);
});

test('text that is quoted already keeps its quotes', () => {
  expect(shownText('{"a":"b\u202e"}')).toBe('{"a":"b\\u{202e}"}');
});
