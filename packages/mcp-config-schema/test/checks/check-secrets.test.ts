// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the tests use such strings
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkConfig, formatIssue } from '../../src/index.js';
import { checkText } from '../helpers/check-text.js';

const secretPaths = (entry: object, options = {}) =>
  checkText(JSON.stringify({ mcp_servers: { a: entry } }), 'mcp_servers.json', {
    variables: { TOKEN: 'value-of-token' },
    ...options,
  })
    .issues.filter(({ code }) => code === 'inline-secret')
    .map(({ path }) => path.slice(2).join('.'));

describe('finds a secret', () => {
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
    [
      'in a header among the arguments',
      { command: 'x', args: ['--header', 'Authorization: Bearer abc123def456'] },
      'args.1',
    ],
    ['in a header without a space', { command: 'x', args: ['--header', 'X-Api-Key:abcdef123'] }, 'args.1'],
    [
      'in a header in one word',
      { command: 'x', args: ['-HX-Api-Key: abcdef123', '--header=Cookie: abcdef123'] },
      'args.0 args.1',
    ],
    [
      'in a variable among the arguments',
      { command: 'x', args: ['-e', 'API_KEY=abcdef123', '--env=DB_PASS=abcdef123'] },
      'args.1 args.2',
    ],
    ['in quotes of a command line', { command: 'x -H "X-Api-Key: abcdef 123"' }, 'command'],
    ['in an address of another kind', { command: 'x', env: { DB_URL: 'postgres://u:hunter22@h/db' } }, 'env.DB_URL'],
    ['in an address among the arguments', { command: 'x', args: ['--dsn=mysql://u:hunter22@h/db'] }, 'args.0'],
    ['in a connection string', { command: 'x', env: { DSN: 'Server=h;Password=hunter22' } }, 'env.DSN'],
    [
      'in JSON inside of a text',
      { command: 'x', env: { HEADERS: '{"Authorization":"Bearer abc123def456"}' } },
      'env.HEADERS',
    ],
    ['behind the word that announces it', { command: 'x', env: { LINE: 'Bearer abc123def456' } }, 'env.LINE'],
    [
      'under other names',
      { command: 'x', env: { OPENAI_KEY: 'abcdef123', PASS: 'abcdef123', AUTH: 'abcdef123' } },
      'env.OPENAI_KEY env.PASS env.AUTH',
    ],
    [
      'in each of several arguments',
      { command: 'x', args: ['--token', 'abcdef123', '--password', 'abcdef123'] },
      'args.1 args.3',
    ],
    ['of one letter in a header', { url: 'https://x.example', headers: { 'X-Api-Key': 'a' } }, 'headers.X-Api-Key'],
    [
      'of three letters behind its scheme',
      { url: 'https://x.example', headers: { Authorization: 'Bearer abc' } },
      'headers.Authorization',
    ],
    [
      'of three letters in a variable',
      { command: 'x', env: { DB_PASSWORD: 'abc', API_KEY: 'a1b' } },
      'env.DB_PASSWORD env.API_KEY',
    ],
    [
      'of three letters among the arguments',
      { command: 'x', args: ['--token', 'abc', '--api-key=abc', '-e', 'SECRET=abc', '-H', 'Authorization: Basic abc'] },
      'args.1 args.2 args.4 args.6',
    ],
    [
      'that only looks like a file, a variable or a number',
      {
        command: 'x',
        env: { A_TOKEN: 'abc.def', B_TOKEN: '$ecret12', C_TOKEN: '123456', D_TOKEN: 'a,b.json', E_SECRET: '$ABC def' },
      },
      'env.A_TOKEN env.B_TOKEN env.C_TOKEN env.D_TOKEN env.E_SECRET',
    ],
    ['of three letters in a parameter of a URL', { url: 'https://x.example/mcp?token=abc' }, 'url'],
    ['as a private key', { command: 'x', env: { X: '-----BEGIN RSA PRIVATE KEY-----\nabc' } }, 'env.X'],
    [
      'as a web token',
      { command: 'x', env: { X: `eyJ${'a'.repeat(20)}.eyJ${'b'.repeat(20)}.${'c'.repeat(20)}` } },
      'env.X',
    ],
  ])('%s', (_where, entry, path) => {
    expect(secretPaths(entry).join(' ')).toBe(path);
  });
});

describe('finds no secret in', () => {
  test.each([
    ['a variable', { command: 'x', env: { TOKEN: '${TOKEN}', API_KEY: '{{env.TOKEN}}' } }],
    ['a variable after a word', { url: 'https://x.example', headers: { Authorization: 'Bearer ${TOKEN}' } }],
    ['a reference', { command: 'x', env: { TOKEN: { secret_ref: 'env:TOKEN' } } }],
    ['a path', { command: 'x', env: { CREDENTIALS: '/run/secrets/x', TOKEN: '~/token', SECRET: './secret' } }],
    ['a stand-in', { command: 'x', env: { TOKEN: '<your token>', API_KEY: 'your-key-here', SECRET: 'xxxxxxxx' } }],
    ['what is too short', { command: 'x', env: { TOKEN: 'a', PASSWORD: '' } }],
    ['other names', { command: 'x', env: { MAX_TOKENS: '100000000', TOKEN_FILE: 'abcdefgh', PUBLIC_KEY: 'abcdefgh' } }],
    ['ordinary arguments', { command: 'npx -y @example/token-server --token-limit 1000 --keyboard german' }],
    [
      'a switch',
      { command: 'x --use-token=no --csrf-token off', env: { CSRF_TOKEN: 'yes', MASK_SECRET: 'on', CHECK_TOKEN: '1' } },
    ],
    ['a switch in a header', { url: 'https://x.example', headers: { 'X-Auth': 'off', 'X-Use-Token': '1' } }],
    [
      'a number of tokens',
      { command: 'x --max-token 4096', env: { MAX_TOKEN: '100000', MODEL_MAX_OUTPUT_TOKEN: '8000' } },
    ],
    [
      'the name of a file',
      {
        command: 'x --credentials creds.json',
        env: { SSH_KEY_SECRET: 'certs/client.pem', GOOGLE_CREDENTIALS: 'keys.json' },
      },
    ],
    [
      'a variable of a shell',
      { command: 'sh', args: ['-c', 'x --token "$TOKEN"', 'DB_PASSWORD=%DB_PW%', 'TOKEN=$env:TOKEN'] },
    ],
    ['an option without a value', { command: 'x', args: ['--token', '--verbose'] }],
    ['the name of an image', { command: 'docker', args: ['run', 'acme/token:latest', 'acme/secret:v1.2.3'] }],
    [
      'a header with a variable',
      { command: 'x', args: ['--header', 'Authorization: Bearer ${TOKEN}', '-HX-Api-Key:${TOKEN}'] },
    ],
    [
      'a way to sign in',
      { command: 'x --auth oauth2.1', env: { AUTH: 'required', SMTP_AUTH: 'disabled', X_AUTH: 'basic auth' } },
    ],
    [
      'a variable among the arguments',
      { command: 'docker', args: ['run', '-e', 'API_KEY', '--env', 'TOKEN=${TOKEN}'] },
    ],
    [
      'an address whose password is left open',
      { command: 'x', env: { DB: 'postgres://u:<password>@h/db', E: 'postgres://u@h/db' } },
    ],
    ['a parameter that is a variable', { url: 'https://x.example/mcp?token=${TOKEN}&page=abcdefgh' }],
    [
      'ordinary words',
      { command: 'x', env: { NOTE: 'basic authentication', CACHE_KEY: 'abcdefgh', SORT_KEY: 'abcdefgh' } },
    ],
    ['an ordinary URL', { url: 'https://x.example:8080/mcp?session=1#token' }],
    ['a URL whose password is a variable', { url: 'https://me:${TOKEN}@x.example/mcp' }],
  ])('%s', (_where, entry) => {
    expect(secretPaths(entry)).toEqual([]);
  });
});

test('long texts that start like a secret are checked quickly', () => {
  const pieces = [
    'token=/a ',
    '"token": "\\"',
    '://',
    '://a:b',
    '?a=b&',
    'bearer ',
    "token='",
    'a.b.',
    '--token ',
    '_key=x,',
  ];
  const args = pieces.map((piece) => piece.repeat(100_000 / piece.length));
  expect(() => secretPaths({ command: 'x', args })).not.toThrow();
});

test('checks servers of host apps, too', () => {
  const { issues } = checkText(
    '{ "mcpServers": { "a": { "command": "x", "env": { "API_KEY": "abcdef123" } } } }',
    'mcp.json',
  );
  expect(issues).toMatchObject([{ code: 'inline-secret', severity: 'warning', line: 1, column: 62 }]);
});

test('neither an issue nor its printed form contains a found value', () => {
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
