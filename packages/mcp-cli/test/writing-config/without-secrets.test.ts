// biome-ignore-all lint/suspicious/noTemplateCurlyInString: such strings are what is tested
import { checkConfig } from '@x/mcp-config-schema';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ServerEntry } from '../../src/writing-config/host-entry.js';
import { withoutSecrets } from '../../src/writing-config/without-secrets.js';

const name = fc.constantFrom('API_KEY', 'github-token', 'Authorization', 'MODE', 'password', 'X-Api-Key');
const value = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9]{6,40}$/),
  fc.stringMatching(/^Bearer [a-z0-9]{10,30}$/),
  fc.stringMatching(/^ghp_[A-Za-z0-9]{36}$/),
  fc.constant('fast'),
  fc.constant('${SET}'),
);
const values = fc.dictionary(name, value, { maxKeys: 4 });
const entry: fc.Arbitrary<ServerEntry> = fc.oneof(
  fc.record({
    command: fc.constant('run'),
    args: fc.array(
      fc.oneof(
        value,
        fc.tuple(name, value).map(([key, text]) => `--${key}=${text}`),
      ),
      { maxLength: 4 },
    ),
    env: values,
  }),
  fc.record({ url: fc.constant('https://example.com/mcp'), headers: values }),
);

function secretsIn(servers: Readonly<Record<string, ServerEntry>>): readonly unknown[] {
  const { issues } = checkConfig({ text: JSON.stringify({ mcp_servers: servers }) }, { variables: 'keep' });
  return issues.filter(({ code }) => code === 'inline-secret');
}

test('removes every detectable secret and changes nothing else', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom('one', 'two', 'three'), entry), (servers) => {
      const clean = withoutSecrets(servers);
      expect(secretsIn(clean.servers)).toEqual([]);
      expect(clean.secrets.length).toBe(secretsIn(servers).length);
      if (clean.secrets.length === 0) expect(clean.servers).toEqual(servers);
    }),
  );
});

test('a bearer token of three letters is a secret', () => {
  const { servers, secrets } = withoutSecrets({
    web: { url: 'https://example.com/mcp', headers: { Authorization: 'Bearer abc' } },
  });
  expect(servers.web).toMatchObject({ headers: { Authorization: 'Bearer ${WEB_TOKEN}' } });
  expect(secrets).toEqual([{ server: 'web', variable: 'WEB_TOKEN', place: 'headers.Authorization' }]);
});

test('a variable has one value', () => {
  const { servers, secrets } = withoutSecrets({
    one: { command: 'run', env: { API_KEY: 'first-value' } },
    two: { command: 'run', env: { API_KEY: 'second-value' } },
    three: { command: 'run', env: { API_KEY: 'first-value' } },
  });
  expect(servers).toMatchObject({
    one: { env: { API_KEY: '${API_KEY}' } },
    two: { env: { API_KEY: '${TWO_API_KEY}' } },
    three: { env: { API_KEY: '${API_KEY}' } },
  });
  expect(secrets[1]).toEqual({ server: 'two', variable: 'TWO_API_KEY', place: 'env.API_KEY' });
});

test('the option before a secret names the variable', () => {
  const { servers } = withoutSecrets({ git: { command: 'run', args: ['--api-token', 'abcdef123456'] } });
  expect(servers.git?.args).toEqual(['--api-token', '${GIT_API_TOKEN}']);
});
