import { type EntriesAt, type EntryFormat, everywhere, type HostAdapter } from './host-adapter.js';

const entry: EntryFormat = {
  stdio: { type: 'local', command: 'command', commandShape: 'list', args: 'args', env: 'environment' },
  http: { type: 'remote', url: 'url', headers: ['headers'] },
  sse: { type: 'remote', url: 'url', headers: ['headers'] },
  toggle: { field: 'enabled', means: 'enabled', always: true },
  timeout: { field: 'timeout', unit: 'ms' },
  variables: { syntax: 'single-brace' },
  hostFields: ['oauth'],
};

// The host still reads the older name, `tools`.
const toolRules = ['tools', 'permission'];

export const kiloProject: HostAdapter = {
  id: 'kilo-project',
  family: 'kilo',
  name: 'Kilo Code (project)',
  scope: 'project',
  paths: everywhere(
    '{project}/kilo.jsonc',
    '{project}/kilo.json',
    '{project}/.kilo/kilo.jsonc',
    '{project}/.kilo/kilo.json',
  ),
  dialect: 'jsonc',
  layouts: [{ keyPath: ['mcp'], collection: 'map' }],
  toolRules,
  // The host skips the whole file of a project with `{env:…}`, and so all of its servers.
  entry: { ...entry, variables: { ...entry.variables, unverified: true } },
};

export const kiloUser: HostAdapter = {
  ...kiloProject,
  id: 'kilo-user',
  name: 'Kilo Code (user)',
  scope: 'user',
  paths: everywhere('{home}/.config/kilo/kilo.jsonc', '{home}/.config/kilo/kilo.json'),
  entry: { ...entry, windowsShims: 'cmd' },
};

export const opencodeProject: HostAdapter = {
  id: 'opencode-project',
  family: 'opencode',
  name: 'OpenCode (project)',
  scope: 'project',
  paths: everywhere(
    '{project}/opencode.jsonc',
    '{project}/opencode.json',
    '{project}/.opencode/opencode.jsonc',
    '{project}/.opencode/opencode.json',
  ),
  dialect: 'jsonc',
  layouts: [
    { keyPath: ['mcp'], collection: 'map' },
    {
      keyPath: ['mcp', 'servers'],
      collection: 'map',
      toggle: { field: 'disabled', means: 'disabled' },
      // The host drops an entry with a number, without a message.
      timeout: { field: 'timeout', key: 'request', unit: 'ms' },
    },
  ],
  pickLayout: (entriesAt) => (isServerMap(entriesAt) ? 1 : 0),
  toolRules,
  entry: { ...entry, stdio: { ...entry.stdio, cwd: 'cwd' } },
};

export const opencodeUser: HostAdapter = {
  ...opencodeProject,
  id: 'opencode-user',
  name: 'OpenCode (user)',
  scope: 'user',
  paths: {
    darwin: ['{config}/opencode/opencode.jsonc', '{config}/opencode/opencode.json'],
    linux: ['{config}/opencode/opencode.jsonc', '{config}/opencode/opencode.json'],
    win32: ['{home}/.config/opencode/opencode.jsonc', '{home}/.config/opencode/opencode.json'],
  },
};

/** True if `mcp.servers` is the map of the newer layout. A server named "servers" has plain values there. */
function isServerMap(entriesAt: EntriesAt): boolean {
  const value = entriesAt(['mcp']).get('servers');
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.values(value).every((inner) => typeof inner === 'object' && inner !== null && !Array.isArray(inner));
}
