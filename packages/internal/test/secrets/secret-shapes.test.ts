import { expect, test } from 'vitest';
import { isSecretName } from '../../src/secrets/secret-shapes.js';

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
  'OPENAI_KEY',
  'X-Auth-Key',
  'PASS',
  'DB_PASS',
  'smtpPass',
  'AUTH',
  'NPM_AUTH',
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
  'COMPASS',
  'BYPASS',
  'OAUTH',
  'SSH_AUTH_SOCK',
  'SSH_PUBLIC_KEY',
  'CACHE_KEY',
])('%s is not', (name) => {
  expect(isSecretName(name)).toBe(false);
});
