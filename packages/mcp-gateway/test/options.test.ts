import { PassThrough } from 'node:stream';
import { createRegistry } from '@x/mcp-registry';
import { describe, expect, test } from 'vitest';
import { createJwtVerifier, createTokenVerifier, type JwtVerifierOptions } from '../src/identity.js';
import {
  createGateway,
  createHttpServer,
  createRegistryHandler,
  type GatewayOptions,
  type RegistryHandlerOptions,
  serveRegistry,
  toNodeListener,
} from '../src/index.js';
import { mountRegistry } from '../src/sdk-v1.js';
import { silentUpstreams } from './gateway/helpers/plain-upstream.js';

const registry = createRegistry({ roles: [{ role: 'review', allowedTools: [] }] });
const handler = { fetch: async () => new Response() };
const token = 'the-token-of-alice';
const gatewayWith = (options: object) =>
  createGateway({ registry, upstreams: silentUpstreams(), ...options } as GatewayOptions);
const streams = () => ({ stdin: new PassThrough(), stdout: new PassThrough() });

/** Each function of the package that has options, and what of them it refuses. */
const entries: Readonly<Record<string, { given(options: object): unknown; refused: readonly [object, string][] }>> = {
  createGateway: {
    given: gatewayWith,
    refused: [
      [{ rateLimit: {} }, 'rateLimit is not an option; did you mean rateLimits?'],
      [{ registry: undefined }, 'registry must be what createRegistry gave'],
      [{ upstreams: [] }, 'upstreams must be an object with servers() and events, such as a client manager'],
      [{ name: 5 }, 'name must be a text that is not empty, got number'],
      [{ instructions: 5 }, 'instructions must be a text'],
      [{ names: 'numbered' }, 'names must be one of "prefixed", "as-is", "nested", got numbered'],
      [{ surface: 'some' }, 'surface must be one of "full", "search", "auto", got some'],
      [{ maxListedTools: -1 }, 'maxListedTools must be a whole number of tools from 0 on, got -1'],
      [{ pageSize: 0 }, 'pageSize must be a whole number of tools from 1 on, got 0'],
      [{ listTtlMs: 0.5 }, 'listTtlMs must be a whole number of milliseconds from 0 on, got 0.5'],
      [{ listTimeoutMs: 0 }, 'listTimeoutMs must be a whole number of milliseconds from 1 to 2147483647, got 0'],
      [{ inputTimeoutMs: 2 ** 31 }, 'inputTimeoutMs must be a whole number of milliseconds from 1 to 2147483647, got'],
      [{ maxHeldCalls: 0 }, 'maxHeldCalls must be a whole number of calls from 1 to 2147483647, got 0'],
      [{ maxHeldCallsPerClient: '9' }, 'maxHeldCallsPerClient must be a whole number of calls from 1 to'],
      [{ onProblem: 'log' }, 'onProblem must be a function, got string'],
      [{ onError: 'log' }, 'onError must be a function, got string'],
      [{ rateLimits: [] }, 'rateLimits must be an object'],
      [{ rateLimits: { perRoles: {} } }, 'rateLimits.perRoles is not an option; did you mean rateLimits.perRole?'],
      [
        { rateLimits: { perServer: { git: { requests: 1, perMs: 1, bursts: 1 } } } },
        'rateLimits.perServer.git.bursts is not an option; did you mean rateLimits.perServer.git.burst?',
      ],
    ],
  },
  'gateway.serve': {
    given: (options) => gatewayWith({}).serve({ ...streams(), ...options }),
    refused: [
      [{ rol: 'review' }, 'rol is not an option; did you mean role?'],
      [{ role: undefined }, 'role must be a text, got undefined'],
      [{ stdin: 0 }, 'stdin must be an object'],
      [{ transport: 'stdio' }, 'transport must be an object'],
      [{ maxStallMs: 0 }, 'maxStallMs must be a whole number of milliseconds from 1 to 2147483647, got 0'],
    ],
  },
  'gateway.handler': {
    given: (options) => gatewayWith({}).handler({ token, ...options }),
    refused: [
      [{ allowedHost: [] }, 'allowedHost is not an option; did you mean allowedHosts?'],
      [{ name: 'mcpx' }, 'name is not an option; the options are token, verifyToken, '],
      [{ token: 'short' }, 'token must be a text of at least 16 characters'],
      [{ maxSessions: 0 }, 'maxSessions must be a whole number from 1 on, got 0'],
    ],
  },
  createRegistryHandler: {
    given: (options) => createRegistryHandler(registry, { token, ...options } as RegistryHandlerOptions),
    refused: [
      [{ allowedOrigin: [] }, 'allowedOrigin is not an option; did you mean allowedOrigins?'],
      [{ token: undefined, verifyTokens: () => undefined }, 'verifyTokens is not an option; did you mean verifyToken?'],
      [{ token: undefined, verifyToken: token }, 'verifyToken must be a function, got string'],
      [{ tokenCheckMs: 0 }, 'tokenCheckMs must be a whole number of milliseconds from 1 to 2147483647, got 0'],
      [{ allowedHosts: 'example.com' }, 'allowedHosts must be a list of names as the Host header has them'],
      [{ allowedHosts: ['a/b'] }, 'allowedHosts must be names as the Host header has them, got "a/b"'],
      [{ allowedOrigins: [5] }, 'allowedOrigins must be origins such as https://app.example.com, with no path, got 5'],
      [{ healthPath: 'healthz' }, 'healthPath must be a path as requests have it'],
      [{ resourceMetadata: 5 }, 'resourceMetadata must be an object'],
      [
        {
          resourceMetadata: { resource: 'https://a.example', authorizationServers: ['https://b.example'], scopes: [] },
        },
        'resourceMetadata.scopes is not an option; the options are resource, authorizationServers, scopesSupported',
      ],
      [{ resourceMetadata: { resource: 'https://a.example' } }, 'resourceMetadata.authorizationServers must be a list'],
      ...['maxBodyBytes', 'maxQueuedBytes', 'maxWaitingBytes', 'maxWaitingBytesPerCaller'].map(
        (name) => [{ [name]: 0 }, `${name} must be a whole number of bytes from 1 on, got 0`] as [object, string],
      ),
      ...['maxSubscriptions', 'maxSessionsPerCaller', 'maxStreamsPerCaller', 'maxRequestsPerCaller'].map(
        (name) => [{ [name]: 1.5 }, `${name} must be a whole number from 1 on, got 1.5`] as [object, string],
      ),
      ...['bodyTimeoutMs', 'sessionIdleMs', 'keepAliveMs', 'maxStallMs'].map(
        (name) => [{ [name]: 2 ** 31 }, `${name} must be a whole number of milliseconds from 1 to`] as [object, string],
      ),
    ],
  },
  serveRegistry: {
    given: (options) => serveRegistry(registry, { ...streams(), ...options }),
    refused: [
      [{ instruction: 'Search first' }, 'instruction is not an option; did you mean instructions?'],
      [{ stdout: 1 }, 'stdout must be an object'],
      [{ maxQueuedBytes: 0 }, 'maxQueuedBytes must be a whole number of bytes from 1 on, got 0'],
    ],
  },
  createHttpServer: {
    given: (options) => createHttpServer(handler, options),
    refused: [
      [{ maxConnection: 1 }, 'maxConnection is not an option; did you mean maxConnections?'],
      [{ tls: true }, 'tls must be an object'],
      [{ headersTimeoutMs: 0 }, 'headersTimeoutMs must be a whole number of milliseconds from 1 to 2147483647, got 0'],
      [{ maxStallMs: 0 }, 'maxStallMs must be a whole number of milliseconds from 1 to 2147483647, got 0'],
    ],
  },
  toNodeListener: {
    given: (options) => toNodeListener(handler, options),
    refused: [
      [{ maxStall: 1 }, 'maxStall is not an option; did you mean maxStallMs?'],
      [{ maxStallMs: '1' }, 'maxStallMs must be a whole number of milliseconds'],
      [{ maxStallMs: 0 }, 'maxStallMs must be a whole number of milliseconds from 1 to 2147483647, got 0'],
    ],
  },
  mountRegistry: {
    given: (options) => mountRegistry({} as Parameters<typeof mountRegistry>[0], registry, options),
    refused: [
      [{ pageSizes: 1 }, 'pageSizes is not an option; did you mean pageSize?'],
      [{ onError: 'log' }, 'onError must be a function, got string'],
      [{ pageSize: 0 }, 'pageSize must be a whole number of tools from 1 on, got 0'],
    ],
  },
  createTokenVerifier: {
    given: (options) => createTokenVerifier([{ id: 'alice', token }], options),
    refused: [
      [{ role: 'required' }, 'role is not an option; did you mean roles?'],
      [{ roles: true }, 'roles must be one of "optional", "required", got true'],
    ],
  },
  createJwtVerifier: {
    given: (options) =>
      createJwtVerifier({ issuer: 'a', audience: 'b', jwks: { keys: [] }, ...options } as JwtVerifierOptions),
    refused: [
      [{ roleClaims: 'role' }, 'roleClaims is not an option; did you mean roleClaim?'],
      [{ audience: 5 }, 'audience must be a list of at least one text'],
      [{ issuer: undefined }, 'issuer must be a text that is not empty, got undefined'],
      [{ clockToleranceSeconds: 301 }, 'clockToleranceSeconds must be 0 to 300 seconds, got 301'],
    ],
  },
};

describe.each(Object.entries(entries))('%s', (_, { given, refused }) => {
  test.each(refused)('refuses %o', (options, message) => {
    expect(() => given(options)).toThrow(TypeError);
    expect(() => given(options)).toThrow(message);
  });
});

test('an option that is undefined counts as omitted', () => {
  const toUndefined = (options: object) =>
    Object.fromEntries(Object.keys(options).map((name) => [name, undefined])) as object;
  for (const name of ['createRegistryHandler', 'createHttpServer', 'toNodeListener', 'createTokenVerifier']) {
    const entry = entries[name];
    const spelt = entry?.refused.filter(([, message]) => !message.includes('is not an option')) ?? [];
    const names = Object.assign({}, ...spelt.map(([options]) => options)) as object;
    expect(() => entry?.given({ ...toUndefined(names), ...('token' in names && { token }) }), name).not.toThrow();
  }
});
