import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createRedactor } from '@x/mcp-config-schema';
import { expectNoLeaks } from '@x/test-servers';
import fc from 'fast-check';
import { afterEach, expect, test } from 'vitest';
import { printable, printableLine } from '../src/output/print.js';
import { type DaemonStage, daemonStage } from './helpers/daemon-stage.js';
import { startServing } from './helpers/serving.js';
import { onStage, upOn } from './helpers/stage-commands.js';
import { until } from './helpers/until.js';

afterEach(expectNoLeaks);

const secret = 'sentinel/value+7f3a';
const args = [fileURLToPath(new URL('fixtures/repeats-secret.mjs', import.meta.url))];

function repeats(name: string, mode: string) {
  const env = { TOKEN: '{{ env.TOKEN }}', MODE: mode };
  return { name, server: 'echo' as const, fields: { args, env, restart_on_failure: false } };
}

/** The text as a terminal, or a person who reads an escape sequence over, sees it. */
function visible(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal does not show
      .replaceAll(/(?:\\x1b|\\x9b|\u001b|\u009b)(?:\[[\d;]*m|\]0;title(?:\\x07|\u0007)|[\d;]*m)/g, '')
      .replaceAll(/\\x[\da-f]{2}|\\u[\da-f]{4}/g, '')
      .replaceAll(/[^\n -~]/g, '')
  );
}

function hasNone(text: string): void {
  const hex = Buffer.from(secret).toString('hex');
  for (const form of [secret, hex, hex.replaceAll(/../g, '%$&')]) {
    expect(text.toLowerCase()).not.toContain(form);
    expect(visible(text).toLowerCase()).not.toContain(form);
  }
}

/** Empty for a file that was renamed or removed after it was listed. */
function textOf(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
}

async function filesHaveNone({ folder }: DaemonStage): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) hasNone(await textOf(join(entry.parentPath, entry.name)));
}

test('prints and stores no secret that a server splits with invisible characters', async () => {
  await using stage = await daemonStage([repeats('dies', 'dies')], { env: { TOKEN: secret } });
  const up = await onStage(stage, ['up']);
  expect(up.stderr).toContain('fatal: bad credential ***');
  hasNone(up.stdout + up.stderr);
  const logs = await onStage(stage, ['logs', 'dies']);
  expect(logs.stdout.match(/cut \*\*\*$/gm)).toHaveLength(10);
  expect(logs.stdout).toContain('encoded *** *** ***');
  hasNone(logs.stdout + logs.stderr);
  const status = await onStage(stage, ['status', '--json']);
  expect(status.stdout).toContain('fatal: bad credential ***');
  hasNone(status.stdout);
  await filesHaveNone(stage);
});

test('a gateway writes no such secret to its stderr', async () => {
  await using stage = await daemonStage([repeats('dies', 'dies')], { env: { TOKEN: secret } });
  const env = { TOKEN: secret, XDG_RUNTIME_DIR: join(stage.folder, 'run') };
  await using serving = await startServing(stage.folder, ['--verbose'], env);
  await serving.seen(/bad credential/);
  hasNone(serving.stderr() + serving.stdout());
});

test('no command or file contains a secret that a server repeats in its lists', async () => {
  await using stage = await daemonStage([repeats('tells', 'serves')], { env: { TOKEN: secret } });
  await upOn(stage);
  const commands = [
    ['discover', 'tells'],
    ['describe', 'mcp__tells__plain'],
    ['describe', 'mcp__tells__typed'],
    ['capabilities', 'tells'],
    ['search', 'said'],
    ['prompts', 'tells'],
    ['resources', 'tells'],
    ['status', '--verbose'],
    ['requirements'],
    ['pins'],
    ['pins', 'diff', 'mcp__tells__long'],
    ['pins', 'diff', 'mcp__tells__plain'],
    ['pins', 'diff', 'mcp__tells__typed'],
    ['logs', 'tells'],
  ];
  for (const words of commands)
    for (const json of [[], ['--json']]) {
      const { stdout, stderr } = await onStage(stage, [...words, ...json]);
      hasNone(stdout + stderr);
      // A line that is folded may have cut it.
      expect(stdout).not.toContain(secret.slice(0, 5));
    }
  const described = await onStage(stage, ['describe', 'mcp__tells__plain']);
  expect(described.stdout).toContain('said *** and ***');
  const capabilities = await onStage(stage, ['capabilities', 'tells', '--json']);
  expect(JSON.parse(capabilities.stdout)).toMatchObject({ instructions: 'said *** and ***' });
  const catalogs = join(stage.folder, 'state', 'catalogs');
  const kept = await until(async () => {
    const files = (await readdir(catalogs).catch(() => [])).filter((file) => file.endsWith('.json')); // whole ones
    const texts = await Promise.all(files.map((file) => readFile(join(catalogs, file), 'utf8')));
    return texts.some((text) => text.includes('plain') && text.includes('prompts/list')) && texts.join('\n');
  });
  expect(kept).toContain('said *** and ***');
  await filesHaveNone(stage);
});

test('an approval stores no secret that its server repeats, and holds after a restart', async () => {
  await using stage = await daemonStage([repeats('tells', 'serves')], { env: { TOKEN: secret } });
  await onStage(stage, ['pins', 'mode', 'approve']);
  await upOn(stage);
  const approved = await onStage(stage, ['pins', 'approve', '--server', 'tells']);
  expect(approved.exitCode, approved.stderr).toBe(0);
  expect(await readFile(join(stage.folder, 'state', 'trust', 'pins.json'), 'utf8')).toContain('said *** and ***');
  await filesHaveNone(stage);
  expect((await onStage(stage, ['down'])).exitCode).toBe(0);
  await upOn(stage);
  const listed = JSON.parse((await onStage(stage, ['pins', '--json'])).stdout);
  const tools: readonly { readonly tool: string; readonly trust: string; readonly unapprovable?: string }[] =
    listed.tools;
  const trust = Object.fromEntries(tools.map((each) => [each.tool, each.trust]));
  // An escape sequence inside of a secret could be replaced by any other text.
  expect(trust).toEqual({ '': 'pending', exact: 'trusted', long: 'trusted', plain: 'pending', typed: 'pending' });
  for (const { trust, unapprovable } of tools)
    expect(unapprovable ?? '').toMatch(trust === 'pending' ? /has hidden text that is more than a secret/ : /^$/);
});

test('no printed text contains a secret with any characters inserted', () => {
  const visibleSecret = fc.stringMatching(/^[!-)+-~éЖ漢]{4,20}$/);
  const noise = fc.oneof(
    fc.constantFrom(
      '\u001b[0m',
      '\u001b[38;5;1m',
      '\u001b]0;t\u0007',
      '\u001b(B',
      '\u001b',
      '\u009b',
      '\u009d',
      '\u0090',
    ),
    fc.constantFrom('\r', '\0', '\u200b', '\u2028', '\u202e', '\ufeff', '\u{e0001}', '\u00ad', '['),
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the beginning of escape sequences
    fc.stringMatching(/^[\u001b\u009b][ -/0-?]{0,3}[@-~]?$/),
    fc.constant(''),
  );
  fc.assert(
    fc.property(visibleSecret, fc.array(noise, { minLength: 3, maxLength: 20 }), (value, between) => {
      const text = Array.from(value, (character, at) => character + (between[at % between.length] ?? '')).join('');
      const redactor = createRedactor([value]);
      expect(printable(redactor.redact(text))).not.toContain(value);
      expect(printableLine(redactor.redact(text), 10_000)).not.toContain(value);
      expect(redactor.redact(printable(text))).not.toContain(value);
    }),
    { numRuns: 5_000 },
  );
});
