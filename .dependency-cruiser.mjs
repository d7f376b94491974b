// The import directions of the code base, as rules. `pnpm run lint:imports` checks them.
//
//   config-schema    client-manager    registry    gateway    fleet    host-sync    six libraries that do not know one another
//          └───────────────┼──────────────┴──────────┴──────────┴──────────┘
//                      mcp    mcp-cli                                     join them; examples may, too
//
//   internal: what the seven share; bundled into each of them, imports none of them
import { builtinModules } from 'node:module';

const configSchema = '^packages/mcp-config-schema/src/';
const clientManager = '^packages/mcp-client-manager/src/';
const registry = '^packages/mcp-registry/src/';
const gateway = '^packages/mcp-gateway/src/';
const fleet = '^packages/mcp-fleet/src/';

const nodeBuiltIns = `^(node:.+|(${builtinModules.join('|')}))$`;

const directions = [
  ...downwards('client-manager', clientManager, [
    'manager',
    'servers',
    'routing',
    'supervisor',
    'session',
    'transport',
    'process',
  ]),
  ...downwards('registry', registry, ['registry', 'views', 'calls', 'catalog']),
  ...['search', 'roles', 'pins'].map((part) => ({
    name: `registry-${part}-looks-down-only`,
    comment: `What ${part} needs of the tools is in catalog/; who asks for them is none of its business.`,
    severity: 'error',
    from: { path: `${registry}${part}(/|\\.ts$)` },
    to: { path: `${registry}(registry|views|calls)(/|\\.ts$)` },
  })),
  {
    name: 'registry-ways-out-are-on-top',
    comment: 'Views are formatted; nothing that makes them knows how.',
    severity: 'error',
    from: { path: registry, pathNot: `${registry}formats(/|\\.ts$)` },
    to: { path: `${registry}formats(/|\\.ts$)` },
  },
  {
    name: 'registry-lower-parts-know-no-search-or-roles',
    comment: 'catalog/ is what search/, roles/ and pins/ stand on.',
    severity: 'error',
    from: { path: `${registry}catalog/` },
    to: { path: `${registry}(search|roles|pins)(/|\\.ts$)` },
  },
];

const internal = [
  {
    name: 'internal-knows-no-library',
    comment: 'What the libraries share stands below all of them.',
    severity: 'error',
    from: { path: '^packages/internal/' },
    to: { path: '(^packages/|(^|/)@x/)(mcp-[^/]+|test-servers)(/|$)' },
  },
  {
    name: 'internal-runs-anywhere',
    comment: 'Root entries bundle it. What needs Node is behind the entries files and processes.',
    severity: 'error',
    from: { path: '^packages/internal/src/', pathNot: '^packages/internal/src/(files|processes)(/|\\.ts$)' },
    to: { path: [nodeBuiltIns, '^packages/internal/src/(files|processes)(/|\\.ts$)'] },
  },
  {
    name: 'internal-is-for-bundles',
    comment:
      'It is never installed, only bundled: into the libraries and the CLI. Examples use what the libraries make public.',
    severity: 'error',
    from: { path: '^examples/[^/]+/src/' },
    to: { path: '(^packages/|(^|/)@x/)internal(/|$)' },
  },
];

const libraries = [
  standsAlone('mcp-config-schema'),
  standsAlone('mcp-client-manager'),
  standsAlone('mcp-registry'),
  standsAlone('mcp-gateway', '/src'),
  // The tests of the gateway serve a real registry, as its users do.
  standsAlone('mcp-gateway', '/test', 'mcp-(gateway|registry)'),
  standsAlone('mcp-fleet'),
  standsAlone('mcp-host-sync'),
];

/** @type {import('dependency-cruiser').IConfiguration} */
export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Types count: what two modules share belongs into the lower one, or into a leaf that imports nothing.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-unresolvable',
      comment: 'The import leads nowhere.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    ...internal,
    ...libraries,
    ...directions,
    {
      name: 'protocol-sdk-in-few-places',
      comment:
        'Only session/, auth/, server/, gateway/ and sdk-v1/ know which protocol SDK is below; examples are hosts that have one.',
      severity: 'error',
      from: {
        path: '^packages/mcp-[^/]+/src/',
        pathNot: [`${clientManager}(session|auth)/`, `${gateway}(gateway|server|sdk-v1)/`],
      },
      to: { path: '(^|/)@modelcontextprotocol/' },
    },
    {
      name: 'root-entries-run-anywhere',
      comment: 'The root entries of these packages reach no Node built-in; files and sockets are behind a subpath.',
      severity: 'error',
      from: { path: [`${configSchema}index\\.ts$`, `${registry}index\\.ts$`, `${fleet}index\\.ts$`] },
      to: { path: nodeBuiltIns, reachable: true },
    },
    {
      name: 'no-tests-in-sources',
      comment: 'What is shipped imports neither tests nor the servers made for them.',
      severity: 'error',
      from: { path: '^(packages/mcp-[^/]+|examples/[^/]+)/src/' },
      to: { path: '(^|/)(test|test-servers)/' },
    },
    {
      name: 'no-way-around-an-entry',
      comment: 'One package uses another by its name, never by a path into its sources.',
      severity: 'error',
      from: { path: '^(?:packages|examples)/([^/]+)/' },
      to: { path: '^packages/[^/]+/(src|test)/', pathNot: '^packages/$1/' },
    },
  ],
  options: {
    doNotFollow: { path: ['(^|/)node_modules/', '(^|/)dist/'] },
    exclude: { path: '(^|/)(\\.wireit|coverage)/' },
    tsConfig: { fileName: 'tsconfig.json' },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['types', 'import', 'node', 'default'],
      cachedInputFileSystem: { cacheDuration: 600_000 }, // by default it asks for each file anew every four seconds
    },
  },
};

/** One rule for each part but the first: it imports no part that stands above it. */
function downwards(name, sources, parts) {
  return parts.slice(1).map((part, index) => ({
    name: `${name}-${part}-looks-down-only`,
    comment: `Imports go one way: ${parts.join(' → ')}.`,
    severity: 'error',
    from: { path: `${sources}${part}(/|\\.ts$)` },
    to: { path: `${sources}(${parts.slice(0, index + 1).join('|')})(/|\\.ts$)` },
  }));
}

/** What a library imports: nothing of another one. */
function standsAlone(library, folder = '', allowed = library) {
  return {
    name: `${library.replace('mcp-', '')}${folder.replace('/', '-')}-stands-alone`,
    comment: 'The libraries do not import one another; only mcp-cli and the examples join them.',
    severity: 'error',
    from: { path: `^packages/${library}${folder}/` },
    // Resolved in the workspace, and as written when it is not a dependency and cannot be resolved.
    to: {
      path: '(^packages/|(^|/)@x/)mcp-(config-schema|client-manager|registry|gateway|fleet|host-sync|cli)(/|$)',
      pathNot: `(^packages/|(^|/)@x/)${allowed}(/|$)`,
    },
  };
}
