import { expect, test } from 'vitest';
import { UsageError } from '../../src/command.js';
import { planHttp } from '../../src/serving/http-plan.js';
import type { HttpOptions } from '../../src/serving/serve-options.js';

test('without options only this machine is served, with the token of the config', () => {
  expect(planHttp({})).toEqual({
    host: '127.0.0.1',
    port: 6279,
    path: '/mcp',
    allowedHosts: ['localhost', '127.0.0.1', '[::1]'],
    allowedOrigins: [],
    tls: undefined,
    publicUrl: undefined,
    access: { kind: 'token', file: undefined },
    warnings: [],
  });
});

function refusal(options: HttpOptions): UsageError {
  try {
    planHttp(options);
  } catch (error) {
    if (error instanceof UsageError) return error;
  }
  throw new Error('It was not refused');
}

test.each(['0.0.0.0', '::', '192.168.1.5', 'tools.example.com'])(
  '%s without a token is refused with a remedy',
  (host) => {
    const { message, hint } = refusal({ host, token: false });
    expect(message).toContain(host);
    expect(hint).toContain('--no-token');
    expect(hint).toContain('--tokens-file');
    expect(hint).toContain('--unsafe-remote-without-token');
    expect(planHttp({ host, token: false, unsafeRemoteWithoutToken: true }).warnings[0]).toContain('every served tool');
  },
);

test('without a token only this machine is served, with a warning', () => {
  const { access, warnings } = planHttp({ token: false });
  expect(access).toEqual({ kind: 'open' });
  expect(warnings).toEqual([expect.stringContaining('every program and user of this machine')]);
});

test('other machines are served with a token, with a warning about plain HTTP', () => {
  const { allowedHosts, access, warnings } = planHttp({ host: '192.168.1.5' });
  expect(access.kind).toBe('token');
  expect(allowedHosts).toContain('192.168.1.5');
  expect(warnings).toEqual([expect.stringContaining('plain HTTP')]);
  expect(planHttp({ host: '192.168.1.5', tlsCert: 'a', tlsKey: 'b' }).warnings).toEqual([]);
});

test('an unspecified address is no host name, so that names of clients must be allowed', () => {
  const { allowedHosts, warnings } = planHttp({ host: '0.0.0.0', tlsCert: 'a', tlsKey: 'b' });
  expect(allowedHosts).not.toContain('0.0.0.0');
  expect(warnings).toEqual([expect.stringContaining('--allowed-host')]);
  const named = planHttp({ host: '::', tlsCert: 'a', tlsKey: 'b', allowedHost: ['tools.example.com'] });
  expect(named.allowedHosts).toContain('tools.example.com');
  expect(named.warnings).toEqual([]);
});

test('names of hosts are compared without their case, the path of nothing that is served is free', () => {
  const { allowedHosts } = planHttp({ host: 'Tools.Example.com', allowedHost: ['Other.Example.COM'] });
  expect(allowedHosts).toEqual(expect.arrayContaining(['tools.example.com', 'other.example.com']));
  expect(planHttp({ readyPath: '/metrics', healthPath: metadataPath })).toMatchObject({ readyPath: '/metrics' });
});

const metadataPath = '/.well-known/oauth-protected-resource';
const signedTokens = { jwtIssuer: 'https://a', jwtAudience: ['b'], jwksUrl: 'https://a/keys' };

test.each<[HttpOptions, string]>([
  [{ path: 'mcp' }, 'not a valid URL path'],
  [{ path: '/a?b' }, 'not a valid URL path'],
  [{ path: '/a/../b' }, 'not a valid URL path'],
  [{ path: '/metrics', metricsTokenFile: 'a' }, '--path /metrics is the path of the metrics.'],
  [{ healthPath: '/metrics', metricsTokenFile: 'a' }, '--health-path /metrics is the path of the metrics.'],
  [{ readyPath: '/metrics', metricsTokenFile: 'a' }, '--ready-path /metrics is the path of the metrics.'],
  [
    { ...signedTokens, readyPath: metadataPath },
    '--ready-path /.well-known/oauth-protected-resource is the path of the OAuth metadata.',
  ],
  [{ ...signedTokens, healthPath: `${metadataPath}/mcp` }, 'is the path of the OAuth metadata.'],
  [
    { ...signedTokens, publicUrl: 'https://a/tools', healthPath: `${metadataPath}/tools` },
    'is the path of the OAuth metadata.',
  ],
  [{ tlsCert: 'a' }, '--tls-key is missing'],
  [{ tlsKey: 'a' }, '--tls-cert is missing'],
  [{ token: false, tokenFile: 'a' }, '--no-token and --token-file'],
  [{ tokenFile: 'a', tokensFile: 'b' }, '--token-file and --tokens-file'],
  [
    { token: false, jwtIssuer: 'https://a', jwtAudience: ['b'], jwksUrl: 'https://a/keys' },
    '--no-token and --jwt-issuer',
  ],
  [{ jwtAudience: ['b'] }, '--jwt-issuer'],
  [{ jwksUrl: 'https://a' }, '--jwt-issuer'],
  [{ jwtIssuer: 'https://a' }, '--jwt-audience'],
  [{ jwtIssuer: 'https://a', jwtAudience: ['b'] }, '--jwks-url'],
  [{ jwtIssuer: 'login', jwtAudience: ['b'], jwksUrl: 'https://a/keys' }, 'must be an https: URL'],
  [{ jwtIssuer: 'https://a', jwtAudience: ['b'], jwksUrl: 'http://a/keys' }, 'must be an https: URL'],
  [{ publicUrl: 'ftp://a' }, 'must be an https: URL'],
  [{ publicUrl: 'https://user:word@a/mcp' }, '--public-url must have no user'],
  [{ publicUrl: 'https://a/mcp#part' }, '--public-url must have no user'],
  [{ host: '' }, '--host "" is not a valid address'],
  [{ host: 'a b' }, '--host "a b" is not a valid address'],
  [{ host: '0.0.0.0', jwtIssuer: 'https://a', jwtAudience: ['b'], jwksUrl: 'https://a/keys' }, 'require --public-url'],
  [{ unsafeRemoteWithoutToken: true }, '--no-token'],
])('%j is refused', (options, reason) => expect(refusal(options).message).toContain(reason));

test('tokens of a file and signed tokens can be combined', () => {
  const { access } = planHttp({
    tokensFile: 'a',
    jwtIssuer: 'https://a',
    jwtAudience: ['b', 'c'],
    jwksUrl: 'http://127.0.0.1:8080/keys',
  });
  expect(access).toEqual({
    kind: 'identity',
    tokensFile: 'a',
    jwt: { issuer: 'https://a', audience: ['b', 'c'], jwksUrl: 'http://127.0.0.1:8080/keys', roleClaim: 'role' },
  });
});
