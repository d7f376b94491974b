import fs from 'node:fs';
import { readFile } from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import { parseRecording } from '@x/internal/recording';
import { createRedactor } from '@x/mcp-config-schema';
import fc from 'fast-check';
import { afterEach, expect, test, vi } from 'vitest';
import { Recorder } from '../../src/recording/recorder.js';
import { argumentRedactor, environmentRedactor, redactMessage } from '../../src/recording/redact-message.js';
import { project } from '../helpers/project.js';

const message = { jsonrpc: '2.0', method: 'notifications/message', params: { data: 'ü\n' } };

afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
});

test('messages are recorded whole from any pieces, and pass on unchanged', async () => {
  await using here = await project({});
  let count = 0;
  const bytes = Buffer.from(`noise\n${JSON.stringify(message)}\n\n${JSON.stringify(message)}\n`);
  await fc.assert(
    fc.asyncProperty(fc.array(fc.nat({ max: bytes.length })), async (cuts) => {
      count += 1;
      const path = join(here.folder, `${count}`);
      const passed: Buffer[] = [];
      {
        using recorder = new Recorder(path, { redactor: createRedactor(), onFull: () => undefined });
        const tap = recorder.tap('server').on('data', (chunk: Buffer) => passed.push(chunk));
        const places = [0, ...cuts.sort((a, b) => a - b), bytes.length];
        for (const [index, place] of places.entries()) tap.write(bytes.subarray(places[index - 1] ?? 0, place));
        tap.end();
        await new Promise((resolve) => tap.once('end', resolve));
      }
      expect(Buffer.concat(passed)).toEqual(bytes);
      const { messages } = parseRecording(await readFile(path, 'utf8'));
      expect(messages).toEqual([
        { from: 'server', message },
        { from: 'server', message },
      ]);
    }),
    { numRuns: 50 },
  );
});

test('a file that is full ends with that, once, and the traffic goes on', async () => {
  await using here = await project({});
  const path = join(here.folder, 'full');
  const reasons: string[] = [];
  {
    using recorder = new Recorder(path, { redactor: createRedactor(), onFull: (reason) => reasons.push(reason) });
    const tap = recorder.tap('server').resume();
    tap.write(`${JSON.stringify(message)}\n`);
    for (let each = 0; each < 3; each += 1) tap.write(Buffer.alloc(8 * 1_024 * 1_024, 'x'));
    tap.end(`\n${JSON.stringify(message)}\n`);
    await new Promise((resolve) => tap.once('end', resolve));
  }
  expect(reasons).toEqual([expect.stringContaining('a message has more than')]);
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ end: 'limit' });
});

test('secrets are hidden by value, by name and by shape, and members of the protocol stay', () => {
  const redactor = createRedactor(['known-value']);
  const params = {
    _meta: { progressToken: 'abcdefgh' },
    apiKey: 'hunter22x',
    text: 'with known-value',
    list: ['password=hunter22x'],
  };
  expect(redactMessage({ params }, redactor)).toEqual({
    params: { ...params, apiKey: '***', text: 'with ***', list: ['password=***'] },
  });
});

test('the value of a pair with the name of a secret is hidden, in every form of a list', () => {
  const redacted = (value: unknown) => redactMessage({ value }, createRedactor());
  expect(
    redacted([
      { name: 'API_KEY', value: 'hunter22x' },
      { key: 'Authorization', values: ['hunter22x', 7] },
      { header: 'X-Api-Key', value: { text: 'hunter22x' }, isSecret: true },
      { name: 'REGION', value: 'eu' },
      { name: 'get_token', description: 'Gets one' },
    ]),
  ).toEqual({
    value: [
      { name: 'API_KEY', value: '***' },
      { key: 'Authorization', values: ['***', '***'] },
      { header: 'X-Api-Key', value: { text: '***' }, isSecret: true },
      { name: 'REGION', value: 'eu' },
      { name: 'get_token', description: 'Gets one' },
    ],
  });
  const schema = { inputSchema: { properties: { name: { const: 'API_KEY' }, value: { type: 'string' } } } };
  expect(redactMessage(schema, createRedactor())).toEqual(schema);
});

test('under the name of a secret every text and number is hidden, also one like a path', () => {
  const arguments_ = {
    password: '/Xy12abcdef99',
    api_key: ['hunter22x', { of: 'b' }],
    credentials: { value: 'hunter22x', isSet: true, none: null },
    nested: { token: 1_234_567 },
  };
  expect(redactMessage({ params: { arguments: arguments_ } }, createRedactor())).toEqual({
    params: {
      arguments: {
        password: '***',
        api_key: ['***', { of: '***' }],
        credentials: { value: '***', isSet: true, none: null },
        nested: { token: '***' },
      },
    },
  });
});

test('a schema still says what a secret looks like, without one', () => {
  const password = { type: 'string', description: 'Yours.', minLength: 8, default: 'hunter22x', example: 'hunter22x' };
  const inputSchema = { type: 'object', properties: { password, user: { type: 'string', default: 'ann' } } };
  const hidden = { ...password, default: '***', example: '***' };
  expect(redactMessage({ result: { tools: [{ inputSchema }] } }, createRedactor())).toEqual({
    result: {
      tools: [{ inputSchema: { ...inputSchema, properties: { ...inputSchema.properties, password: hidden } } }],
    },
  });
});

test.each([
  ['an option', ['--api-key', 's3cr3t']],
  ['an option like a path', ['--api-key', '/s3cr3t']],
  ['an assigned option', ['--api-key=s3cr3t']],
  ['an assigned option like a path', ['--api-key=/s3cr3t']],
  ['a variable', ['env', 'SOME_TOKEN=s3cr3t', 'server']],
  ['a header', ['--header', 'Authorization: Bearer s3cr3t']],
])('the secret in the arguments of a program is hidden: %s', (_, words) => {
  expect(argumentRedactor(['server', ...words]).redact('It is /s3cr3t.')).toMatch(/^It is \/?\*\*\*\.$/);
});

test('the value of a secret variable is hidden although it looks like a path', () => {
  const env = { MY_SECRET_KEY: '/Abc123def', HOME: '/home/ann', MY_AUTH: 'disabled' };
  expect(environmentRedactor(env).redact('/Abc123def in /home/ann is disabled')).toBe('*** in /home/ann is disabled');
});

async function pass(path: string, lines: readonly string[]) {
  const reasons: string[] = [];
  const passed: Buffer[] = [];
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  {
    using recorder = new Recorder(path, { redactor: createRedactor(), onFull: (reason) => reasons.push(reason) });
    const tap = recorder.tap('server').on('data', (chunk: Buffer) => passed.push(chunk));
    tap.end(bytes);
    await new Promise((resolve, reject) => tap.once('end', resolve).once('error', reject));
  }
  expect(Buffer.concat(passed).equals(bytes)).toBe(true);
  return reasons;
}

test('a message that is nested too deeply ends the recording and not the connection', async () => {
  await using here = await project({});
  const path = join(here.folder, 'deep');
  const deep = `{"jsonrpc":"2.0","id":1,"result":${'['.repeat(200_000)}${']'.repeat(200_000)}}`;
  expect(await pass(path, [JSON.stringify(message), deep, JSON.stringify(message)])).toEqual([
    'a message is nested too deeply',
  ]);
  expect(parseRecording(await readFile(path, 'utf8')).messages).toEqual([{ from: 'server', message }]);
});

test('a full disk ends the recording and not the connection, and leaves no part of a message', async () => {
  await using here = await project({});
  const path = join(here.folder, 'disk');
  const { writeSync } = fs;
  let count = 0;
  // The header and one message fit, and some bytes of the next.
  const full = (file: number, bytes: Buffer): void => {
    count += 1;
    writeSync(file, count <= 2 ? bytes : bytes.subarray(0, 7));
    if (count > 2) throw Object.assign(new Error('no space'), { code: 'ENOSPC' });
  };
  vi.spyOn(fs, 'writeFileSync').mockImplementation(full as typeof fs.writeFileSync);
  syncBuiltinESMExports();
  const line = JSON.stringify(message);
  expect(await pass(path, [line, line, line])).toEqual(['the file cannot be written: ENOSPC']);
  const text = await readFile(path, 'utf8');
  expect(text.endsWith('}}}\n')).toBe(true);
  expect(parseRecording(text).messages).toEqual([{ from: 'server', message }]);
});
