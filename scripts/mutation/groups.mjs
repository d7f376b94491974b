const registry = 'packages/mcp-registry';
const gateway = 'packages/mcp-gateway';
const manager = 'packages/mcp-client-manager';

/**
 * What decides, in groups that are tried one at a time. `mutate` are the sources that are changed, `tests` those that have to
 * notice, and `atLeast` is the share of the changes that they have to notice, in percent;
 * `env` makes tests shorter that try many cases.
 */
export const groups = {
  roles: {
    mutate: [`${registry}/src/roles/*.ts`],
    tests: [`${registry}/test/roles/*.test.ts`, `${registry}/test/views/visible-tools.test.ts`],
    atLeast: 95,
  },
  names: {
    // Hints of nearest names stand in the same folder and decide nothing.
    mutate: ['public-name', 'written-name'].map((name) => `packages/internal/src/names/${name}.ts`),
    tests: ['packages/internal/test/names/{public-name,written-name}.test.ts'],
    env: { NAME_CASES: '500' },
    atLeast: 95,
  },
  trust: {
    mutate: [
      'trust-policy',
      'check-pins',
      'operators/similar-pins',
      'operators/tool-diff',
      'redaction/exact-redaction',
      'redaction/redacted-diagnostics',
    ].map((name) => `${registry}/src/pins/${name}.ts`),
    tests: [
      `${registry}/test/pins/{check-pins,judge-tool,trust-policy}.test.ts`,
      `${registry}/test/pins/operators/{similar-pins,tool-diff}.test.ts`,
      `${registry}/test/pins/redaction/{exact-redaction,redacted-diagnostics}.test.ts`,
    ],
    env: { PIN_RUNS: '100' },
    atLeast: 95,
  },
  consent: {
    mutate: ['packages/mcp-config-schema/src/consent/*.ts', 'packages/mcp-cli/src/consent/show-launches.ts'],
    tests: ['packages/mcp-config-schema/test/consent/*.test.ts', 'packages/mcp-cli/test/consent/show-launches.test.ts'],
    atLeast: 95,
  },
  identity: {
    mutate: [`${gateway}/src/identity/*.ts`, `${gateway}/src/server/requests/caller.ts`],
    tests: [`${gateway}/test/identity/*.test.ts`, `${gateway}/test/server/requests/*.test.ts`],
    atLeast: 95,
  },
  redaction: {
    mutate: ['redactor', 'secret-forms', 'form-index', 'readings'].map(
      (name) => `packages/internal/src/secrets/${name}.ts`,
    ),
    tests: ['packages/internal/test/secrets/{readings,redactor}.test.ts'],
    atLeast: 95,
  },
  retryability: {
    mutate: [`${manager}/src/routing/request-failures.ts`, `${manager}/src/errors.ts`],
    tests: [
      `${manager}/test/errors.test.ts`,
      `${manager}/test/routing/{request-failures,request-router,call-tool,limits}.test.ts`,
    ],
    atLeast: 95,
  },
  'next-state': {
    mutate: ['next-state', 'after-loss', 'backoff', 'condition'].map(
      (name) => `${manager}/src/supervisor/state/${name}.ts`,
    ),
    tests: [`${manager}/test/supervisor/state/{next-state,transitions,backoff,condition}.test.ts`],
    atLeast: 92,
  },
  health: {
    mutate: [`${manager}/src/supervisor/health/health-monitor.ts`],
    tests: [`${manager}/test/supervisor/health/health-monitor.test.ts`],
    atLeast: 92,
  },
  router: {
    mutate: ['circuit-breaker', 'fair-queue', 'deadline'].map((name) => `${manager}/src/routing/${name}.ts`),
    tests: [`${manager}/test/routing/{circuit-breaker,fair-queue,deadline}.test.ts`],
    atLeast: 92,
  },
};
