import { createRedactor } from '@x/mcp-config-schema';
import { expect, test } from 'vitest';
import { argumentRedactor, redactMessage } from '../../src/recording/redact-message.js';

const redacted = (value: unknown) => redactMessage(value, createRedactor());
const token = `ghp_${'a1B2'.repeat(9)}`;
const inner = JSON.stringify({ password: 'hunter22', user: 'ann' });

test.each<[string, unknown, unknown]>([
  ['a key with the shape of a secret', { [token]: 1 }, { '***': 1 }],
  ['keys that become equal', { [token]: 1, [`${token}9`]: 2 }, { '***': 1, '*** (2)': 2 }],
  ['a key that assigns one', { nested: [{ 'password=hunter22': 1 }] }, { nested: [{ 'password=***': 1 }] }],
  ['JSON as a text', inner, '{"password":"***","user":"ann"}'],
  ['a number in it', '{"api_key":12345678}', '{"api_key":"***"}'],
  ['a short one in it', '[{"token":"1234"}]', '[{"token":"***"}]'],
  ['a list in it', '{"password":["one","two"]}', '{"password":["***","***"]}'],
  ['an object in it', '{"password":{"value":"hunter22"}}', '{"password":{"value":"***"}}'],
  ['a pair in it', '{"name":"API_KEY","value":"hunter2222"}', '{"name":"API_KEY","value":"***"}'],
  ['JSON with line ends', '{\n  "token": "abc",\n  "a": 1\n}', '{\n  "token": "***",\n  "a": 1\n}'],
  ['JSON in JSON', JSON.stringify({ text: inner }), JSON.stringify({ text: '{"password":"***","user":"ann"}' })],
  ['JSON in a JSON string', JSON.stringify(inner), JSON.stringify('{"password":"***","user":"ann"}')],
  [
    'escaped JSON in a text',
    `sent ${JSON.stringify(inner)} now`,
    'sent "{\\"password\\":\\"***\\",\\"user\\":\\"ann\\"}" now',
  ],
  [
    'escaped twice, with quotes in the secret',
    `sent ${JSON.stringify(JSON.stringify(JSON.stringify({ password: 'a"b\\c', x: 1 })))}`,
    `sent ${JSON.stringify(JSON.stringify(JSON.stringify({ password: '***', x: 1 })))}`,
  ],
  ['an escaped number', 'sent {\\"pin\\":1, \\"password\\": 123456}', 'sent {\\"pin\\":1, \\"password\\": ***}'],
  ['an option', 'mysql --password hunter22 -u root', 'mysql --password *** -u root'],
  ['an option with quotes', `run --token "abc def ghi" --api-key 'hunter 2222' x`, 'run --token *** --api-key *** x'],
  ['an option after another', 'run --token --password hunter22', 'run --token --password ***'],
  ['words of a command line', { args: ['--password', 'hunter22', 'x'] }, { args: ['--password', '***', 'x'] }],
])('hides %s', (_name, value, shown) => {
  expect(redacted(value)).toEqual(shown);
});

test.each([
  'use --password to set one, or --token <token>',
  'run --user hunter22 --password-file /run/secrets/db',
  '{ "a" : [1,2.50], "max_tokens": 12345678 }',
  'sent {\\"user\\":\\"ann\\"}',
  '["--user", "hunter22"]',
])('leaves a text without a secret as it is: %s', (text) => {
  expect(redacted(text)).toBe(text);
});

test('hides the option in a command that is one argument of a program', () => {
  const redactor = argumentRedactor(['-c', 'mysql --password hunter22 -u root']);
  expect(redactor.redact('denied for hunter22')).toBe('denied for ***');
});

test.each([
  ['backslashes', '\\'.repeat(200_000)],
  ['names without an end', '\\"password\\":\\"'.repeat(20_000)],
  ['quotes without an end', '--ab "'.repeat(50_000)],
  ['options', '--password '.repeat(30_000)],
  ['brackets', '['.repeat(200_000)],
])('takes linear time for many %s', (_name, text) => {
  const startedAt = performance.now();
  redacted(text);
  expect(performance.now() - startedAt).toBeLessThan(5_000);
});
