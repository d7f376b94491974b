// Which unit suites run with Node for Windows, and which of their tests fail under Wine for a reason of Wine.

/**
 * `programs` are what tests start, in their `programsFolder`.
 *
 * @type {{ name: string, include: string[], programs?: string[] }[]}
 */
export const suites = [
  { name: 'internal', include: ['packages/internal/test/**/*.test.ts'] },
  { name: 'mcp-config-schema', include: ['packages/mcp-config-schema/test/**/*.test.ts'] },
  {
    name: 'mcp-host-sync',
    include: ['packages/mcp-host-sync/test/**/*.test.ts'],
    programs: ['packages/mcp-host-sync/test/programs/sync-once.ts'],
  },
  { name: 'mcp-registry', include: ['packages/mcp-registry/test/**/*.test.ts'] },
  {
    name: 'mcp-client-manager',
    include: [
      'packages/mcp-client-manager/test/*.test.ts',
      'packages/mcp-client-manager/test/{auth,catalog-cache,launch,process,routing,servers,session,transport}/**/*.test.ts',
      'packages/mcp-client-manager/test/supervisor/{state,tools}/*.test.ts',
    ],
    programs: ['host', 'process-owner'].map((name) => `packages/mcp-client-manager/test/fixtures/${name}.ts`),
  },
  {
    name: 'mcp-gateway',
    include: ['packages/mcp-gateway/test/**/*.test.ts'],
    programs: ['packages/mcp-gateway/test/fixtures/serve-native.ts'],
  },
  { name: 'mcp-fleet', include: ['packages/mcp-fleet/test/**/*.test.ts'] },
  { name: 'mcp', include: ['packages/mcp/test/**/*.test.ts'] },
  {
    name: 'mcp-cli',
    include: [
      'packages/mcp-cli/test/{call-words,command-line,config,output/live,servers,writing-config}/**/*.test.ts',
      'packages/mcp-cli/test/output/{command-words,fit,fleet-table,print,result-text,server-table,table}.test.ts',
      'packages/mcp-cli/test/adding/server-json.test.ts',
      'packages/mcp-cli/test/consent/show-launches.test.ts',
      'packages/mcp-cli/test/daemon/{instance-lock,locate-daemon,private-directory,runtime-paths,service-file,state-file,system-process}.test.ts',
      'packages/mcp-cli/test/doctor/check-system.test.ts',
      'packages/mcp-cli/test/host-apps/launcher.test.ts',
      'packages/mcp-cli/test/signing-in/open-page.test.ts',
    ],
    programs: ['bin', 'daemon-parent', 'daemon-worker'].map((name) => `packages/mcp-cli/src/${name}.ts`),
  },
];

/** Reasons of Wine 8, which has none on Windows itself. */
const wine = {
  links: 'Wine 8 creates no symbolic links',
  modules: 'Node for Windows does not follow the links of pnpm to modules under Wine 8',
  bindings: 'the native binding of @napi-rs/keyring for Windows is not installed on Linux',
  closing: 'Wine 8 tells Node late that the other end has closed a connection',
  watching: 'Wine 8 does not close watchers of folders in time',
  time: 'it limits the time of work, which takes longer under Wine',
};

/** Reasons that hold on Windows itself. */
const windows = {
  modes: 'files have no modes, owners and pipes as on Unix',
  times: 'a process is known by its number alone',
  folders: 'a watched folder that is removed stays until its watcher is closed',
};

/** Reasons of the bundles, in which all files of a suite share a process. */
const bundle = {
  late: 'it needs modules that no other test has loaded',
  compiler: 'it loads the compiler of TypeScript, which does not run bundled',
};

/** Tests that fail: those of a file whose names contain a text. */
const limits = [
  { file: 'mcp-config-schema/test/consent/consent-rules.test.ts', name: 'link', why: wine.links },
  { file: 'mcp-config-schema/test/load/watch-config.test.ts', name: 'periodic checks', why: wine.links },
  { file: 'mcp-config-schema/test/load/watch-config.test.ts', name: '› comes ', why: wine.watching },
  { file: 'mcp-config-schema/test/load/watch-config.test.ts', name: 'delete, then create', why: wine.time },
  {
    file: 'mcp-config-schema/test/load/watch-config.test.ts',
    name: 'recreated before its removal',
    why: windows.folders,
  },
  { file: 'mcp-config-schema/test/secrets/resolve-secrets.test.ts', name: 'of this system', why: wine.bindings },
  { file: 'mcp-host-sync/test/files/file-owner.test.ts', name: 'keeps the owner', why: windows.modes },
  { file: 'mcp-host-sync/test/files/file-owner.test.ts', name: 'keeps the group', why: windows.modes },
  { file: 'mcp-host-sync/test/files/file-owner.test.ts', name: 'its directory is writable', why: windows.modes },
  ...among('mcp-host-sync/test/sync/apply-sync.test.ts', windows.modes, [
    'keeps its mode',
    'is created with mode 0600',
    'byte for byte, with mode 0600',
    'the record has mode 0600',
    'a pipe, without waiting',
  ]),
  ...among('mcp-host-sync/test/sync/apply-sync.test.ts', wine.links, [
    'link',
    'a directory on the path that leads elsewhere',
    'a place with the same prefix',
    'accepts an allowed place',
  ]),
  { file: 'mcp-host-sync/test/files/repository-root.test.ts', name: 'a linked folder', why: wine.links },
  { file: 'mcp-host-sync/test/files/write-text.test.ts', name: 'through a link', why: wine.links },
  ...among('mcp-host-sync/test/sync/processes.test.ts', windows.modes, [
    'a size limit of the system',
    'directory that is not writable',
    'a file that is not readable',
  ]),
  { file: 'mcp-registry/test/audit/audit-log.test.ts', name: 'symbolic link', why: wine.links },
  { file: 'mcp-registry/test/audit/audit-log.test.ts', name: 'several processes', why: wine.modules },
  { file: 'mcp-registry/test/code/code-runner.test.ts', name: 'cost the host much', why: wine.time },
  { file: 'mcp-registry/test/code/escapes.test.ts', name: 'by a flood of arguments', why: wine.time },
  { file: 'mcp-registry/test/findings/honest-tools.test.ts', name: 'well-known servers', why: wine.modules },
  { file: 'mcp-registry/test/formats/real-tools.test.ts', name: 'tools of published servers', why: wine.modules },
  { file: 'mcp-registry/test/interceptors/result-limits/limit-results.test.ts', name: 'bounded time', why: wine.time },
  { file: 'mcp-registry/test/pins/pin-file.test.ts', name: 'several processes', why: wine.modules },
  { file: 'mcp-registry/test/typescript/to-typescript.test.ts', name: 'the file is loaded', why: bundle.compiler },
  ...among('mcp-registry/test/late-code.test.ts', bundle.late, [
    'while code is loaded',
    'needs no load after preload',
    'no promise is forgotten', // of the tests above
  ]),
  { file: 'mcp-client-manager/test/real-servers.test.ts', name: '', why: wine.modules },
  { file: 'mcp-client-manager/test/server-everything.test.ts', name: 'server-everything', why: wine.modules },
  {
    file: 'mcp-client-manager/test/session/http/http-session.test.ts',
    name: 'why it does not return',
    why: wine.closing,
  },
  {
    file: 'mcp-client-manager/test/session/notifications/tools-changed.test.ts',
    name: 'of revision',
    why: wine.modules,
  },
  { file: 'mcp-fleet/test/principal/principals.test.ts', name: 'without Ed25519', why: wine.modules },
  ...among('mcp-cli/test/config/live-config.test.ts', wine.time, [
    'also while the calls of an earlier edit finish',
    'no promise is forgotten', // of the same test
  ]),
  { file: 'mcp-cli/test/config/trust-file.test.ts', name: 'several writers at the same moment', why: wine.time },
  { file: 'mcp-cli/test/daemon/instance-lock.test.ts', name: 'whose pid was reused', why: windows.times },
  { file: 'mcp-cli/test/daemon/locate-daemon.test.ts', name: 'link', why: wine.links },
  { file: 'mcp-cli/test/daemon/private-directory.test.ts', name: 'that is a link', why: wine.links },
  ...among('mcp-cli/test/daemon/private-directory.test.ts', windows.modes, [
    'with mode',
    'everybody can write',
    'that cannot be checked',
  ]),
  { file: 'mcp-cli/test/daemon/state-file.test.ts', name: 'is private to its user', why: windows.modes },
  { file: 'mcp-cli/test/daemon/state-file.test.ts', name: 'that others can read', why: windows.modes },
  { file: 'mcp-cli/test/output/result-text.test.ts', name: 'files or links', why: wine.links },
];

function among(file, why, names) {
  return names.map((name) => ({ file, name, why }));
}

/** Why a test may fail here; `undefined` if it may not. */
export function limitOf(file, test, { isWine }) {
  const limit = limits.find((each) => covers(each, file, test));
  return isWine || !Object.values(wine).includes(limit?.why) ? limit?.why : undefined;
}

function covers(limit, file, test) {
  return file.endsWith(limit.file) && test.includes(limit.name);
}

/** Limits of these files that excuse no failure. Under Wine each should; on Windows itself none has been counted. */
export function idleLimits(results, { isWine }) {
  return limits.filter((limit) => {
    const result = results.find(({ file }) => file.endsWith(limit.file));
    const mayPass = !isWine || [wine.time, wine.watching, wine.closing].includes(limit.why);
    return result !== undefined && !mayPass && !result.failed.some(({ name }) => covers(limit, result.file, name));
  });
}
