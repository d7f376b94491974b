import {
  type EntryFormat,
  everywhere,
  type HostAdapter,
  mcpServersMap,
  plainRemote,
  plainStdio,
  type RemoteFormat,
} from './host-adapter.js';

export const mcpHub: HostAdapter = {
  id: 'mcp-hub',
  family: 'mcp-hub',
  name: 'mcp-hub',
  scope: 'user',
  paths: everywhere('{home}/.config/mcphub/servers.json'),
  dialect: 'json5',
  layouts: [
    { keyPath: ['mcpServers'], collection: 'map' },
    { keyPath: ['servers'], collection: 'map' },
  ],
  pickLayout: (entriesAt) => (entriesAt(['mcpServers']).size === 0 && entriesAt(['servers']).size > 0 ? 1 : 0),
  entry: {
    stdio: { ...plainStdio, cwd: 'cwd', emptyEnv: 'inherited' },
    http: plainRemote,
    sse: plainRemote,
    toggle: { field: 'disabled', means: 'disabled' },
    tools: { denied: ['disabled_tools'] },
    // An argument such as `$(id)` stops the server: the host finds no variable of that name.
    variables: { syntax: 'brace', bareName: ['args'] },
    hostFields: ['dev', 'disabled_tools'],
  },
};

const baseUrl: RemoteFormat = {
  url: 'baseUrl',
  urlAlternatives: ['base_url', 'url', 'serverUrl', 'server_url'],
  headers: ['headers'],
};

const mcporterEntry: EntryFormat = {
  // Versions before 0.12 ignore `cwd`.
  stdio: { ...plainStdio, splitsText: 'alone', cwd: 'cwd', emptyEnv: 'dropped' },
  http: baseUrl,
  sse: baseUrl,
  tools: { allowed: ['allowedTools', 'allowed_tools'], denied: ['blockedTools', 'blocked_tools'] },
  variables: { syntax: 'brace-or-env', defaults: true, fromStart: ['env'] },
  authorizationFrom: ['bearerTokenEnv', 'bearer_token_env'],
  hostFields: ['bearerTokenEnv', 'bearer_token_env', 'allowedTools', 'allowed_tools', 'blockedTools', 'blocked_tools'],
};

export const mcporterUser: HostAdapter = {
  id: 'mcporter-user',
  family: 'mcporter',
  name: 'MCPorter (user)',
  scope: 'user',
  paths: {
    darwin: ['{home}/.mcporter/mcporter.json', '{home}/.mcporter/mcporter.jsonc'],
    linux: ['{home}/.mcporter/mcporter.json', '{home}/.mcporter/mcporter.jsonc'],
    win32: ['{home}/.mcporter/mcporter.json'],
  },
  dialect: 'jsonc',
  layouts: mcpServersMap,
  entry: mcporterEntry,
};

export const mcporterProject: HostAdapter = {
  ...mcporterUser,
  id: 'mcporter-project',
  name: 'MCPorter (project)',
  scope: 'project',
  paths: everywhere('{project}/config/mcporter.json'),
};
