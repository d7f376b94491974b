// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such strings are what is tested
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isSecretName } from '../../src/checks/secret-shapes.js';
import { checkConfig, formatIssue } from '../../src/index.js';
import { checkText } from '../helpers/check-text.js';

const secretPaths = (entry: object, options = {}) =>
  checkText(JSON.stringify({ mcp_servers: { a: entry } }), 'mcp_servers.json', {
    variables: { TOKEN: 'value-of-token' },
    ...options,
  })
    .issues.filter(({ code }) => code === 'inline-secret')
    .map(({ path }) => path.slice(2).join('.'));

describe('a secret is found', () => {
  test.each([
    ['under a name that says so', { command: 'x', env: { GITHUB_TOKEN: 'hunter2hunter2' } }, 'env.GITHUB_TOKEN'],
    ['by its shape, under any name', { command: 'x', env: { X: `ghp_${'a1B2'.repeat(9)}` } }, 'env.X'],
    [
      'in a header',
      { url: 'https://x.example', headers: { Authorization: 'Bearer abcdef123' } },
      'headers.Authorization',
    ],
    ['in an option with "="', { command: 'x', args: ['--api-key=abcdef123'] }, 'args.0'],
    ['in the word after an option', { command: ['x', '--token', 'abcdef123'] }, 'command.2'],
    ['in a command line', { command: 'npx -y x --password abcdef123' }, 'command'],
    ['in an argument of any kind', { command: 'x', args: ['-k', `sk-${'a1b2'.repeat(8)}`] }, 'args.1'],
    ['before the host of a URL', { url: 'https://me:pw@x.example/mcp' }, 'url'],
    ['in a parameter of a URL', { url: 'https://x.example/mcp?apiKey=abcdef123' }, 'url'],
    ['as the default of a variable', { command: 'x', env: { API_KEY: '${TOKEN:-abcdef123}' } }, 'env.API_KEY'],
    ['as a private key', { command: 'x', env: { X: '-----BEGIN RSA PRIVATE KEY-----\nabc' } }, 'env.X'],
    [
      'as a web token',
      { command: 'x', env: { X: `eyJ${'a'.repeat(20)}.eyJ${'b'.repeat(20)}.${'c'.repeat(20)}` } },
      'env.X',
    ],
  ])('%s', (_where, entry, path) => {
    expect(secretPaths(entry)).toEqual([path]);
  });
});

describe('no secret is seen in', () => {
  test.each([
    ['a variable', { command: 'x', env: { TOKEN: '${TOKEN}', API_KEY: '{{env.TOKEN}}' } }],
    ['a variable after a word', { url: 'https://x.example', headers: { Authorization: 'Bearer ${TOKEN}' } }],
    ['a reference', { command: 'x', env: { TOKEN: { secret_ref: 'env:TOKEN' } } }],
    ['a path', { command: 'x', env: { CREDENTIALS: '/run/secrets/x', TOKEN: '~/token', SECRET: './secret' } }],
    ['a stand-in', { command: 'x', env: { TOKEN: '<your token>', API_KEY: 'your-key-here', SECRET: 'xxxxxxxx' } }],
    ['what is too short', { command: 'x', env: { TOKEN: 'a', PASSWORD: '' } }],
    ['other names', { command: 'x', env: { MAX_TOKENS: '100000000', TOKEN_FILE: 'abcdefgh', PUBLIC_KEY: 'abcdefgh' } }],
    ['ordinary arguments', { command: 'npx -y @example/token-server --token-limit 1000 --keyboard german' }],
    ['an option without a value', { command: 'x', args: ['--token', '--verbose'] }],
    ['an ordinary URL', { url: 'https://x.example:8080/mcp?session=1#token' }],
    ['a URL whose password is a variable', { url: 'https://me:${TOKEN}@x.example/mcp' }],
  ])('%s', (_where, entry) => {
    expect(secretPaths(entry)).toEqual([]);
  });
});

test('servers of host apps are looked at too', () => {
  const { issues } = checkText(
    '{ "mcpServers": { "a": { "command": "x", "env": { "API_KEY": "abcdef123" } } } }',
    'mcp.json',
  );
  expect(issues).toMatchObject([{ code: 'inline-secret', severity: 'warning', line: 1, column: 62 }]);
});

test('neither an issue nor what is printed of it repeats a value that is found', () => {
  const name = fc.constantFrom('API_KEY', 'GITHUB_TOKEN', 'password', 'clientSecret', 'X-Api-Key');
  const value = fc
    .stringMatching(/^[a-z][a-z0-9-]{9,40}$/)
    .filter(
      (text) =>
        !/^(your|enter|insert|replace|todo|changeme|example|dummy|placeholder)|(here|placeholder|example)$/.test(text),
    );
  const quote = fc.constantFrom('"', "'", '');
  fc.assert(
    fc.property(name, value, quote, (key, secret, mark) => {
      const inputs = [
        {
          file: 'a.yaml',
          text: `mcp_servers:\n  a:\n    command: x\n    env:\n      ${key}: ${mark}${secret}${mark}\n`,
        },
        { file: 'b.yaml', text: `mcp_servers:\n  b: { command: x, env: { ${key}: ${mark}${secret}${mark}, B: c } }\n` },
        { file: 'c.json', text: JSON.stringify({ mcpServers: { c: { command: 'x', env: { [key]: secret } } } }) },
        { file: 'd.yaml', text: `mcp_servers:\n  d:\n    command: x --${key} ${secret}\n` },
      ];
      const { issues } = checkConfig(inputs);
      expect(issues.map(({ code }) => code)).toEqual(inputs.map(() => 'inline-secret'));
      for (const issue of issues) {
        const text = inputs.find(({ file }) => file === issue.file)?.text;
        expect(JSON.stringify(issue) + formatIssue(issue, { text })).not.toContain(secret);
      }
    }),
  );
});

test.each([
  'GITHUB_TOKEN',
  'token',
  'apiKey',
  'API_KEY',
  'X-Api-Key',
  'accessToken',
  'GITHUB_PAT',
  'PGPASSWORD',
  'Authorization',
  'cookie',
  'AWS_SECRET_ACCESS_KEY',
  'db.password',
  'STRIPE_APIKEY',
  'clientSecret',
])('%s is the name of a secret', (name) => {
  expect(isSecretName(name)).toBe(true);
});

test.each([
  'PATH',
  'COMPAT',
  'MAX_TOKENS',
  'TOKEN_URL',
  'PUBLIC_KEY',
  'primaryKey',
  'KEY',
  'MONKEY',
  'keyboard',
  'AWS_ACCESS_KEY_ID',
])('%s is not', (name) => {
  expect(isSecretName(name)).toBe(false);
});
