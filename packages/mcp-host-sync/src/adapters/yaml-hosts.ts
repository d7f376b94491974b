import { everywhere, type HostAdapter, mcpServersMap, plainRemote, plainStdio, typed } from './host-adapter.js';

export const continueUser: HostAdapter = {
  id: 'continue-user',
  family: 'continue',
  name: 'Continue (user)',
  scope: 'user',
  paths: everywhere('{home}/.continue/config.yaml'),
  dialect: 'yaml',
  layouts: [{ keyPath: ['mcpServers'], collection: 'sequence-by-name' }],
  entry: {
    nameField: 'name',
    stdio: { type: 'stdio', ...plainStdio, cwd: 'cwd' },
    http: { type: 'streamable-http', url: 'url', headers: ['requestOptions', 'headers'] },
    sse: { type: 'sse', url: 'url', headers: ['requestOptions', 'headers'] },
    variables: { syntax: 'secrets' },
    hostFields: ['apiKey', 'connectionTimeout'],
  },
};

/** A separate file in a folder from which the host reads all files. */
export const continueProject: HostAdapter = {
  id: 'continue-project',
  family: 'continue',
  name: 'Continue (project, in editors)',
  scope: 'project',
  paths: everywhere('{project}/.continue/mcpServers/mcpx.json'),
  condition: {
    says: 'Continue reads this file in editors; its command line "cn" does not',
    hint: 'for "cn", write the file of the user: continue-user',
  },
  dialect: 'jsonc',
  layouts: mcpServersMap,
  entry: {
    stdio: { type: 'stdio', ...plainStdio, cwd: 'cwd' },
    http: typed('http'),
    sse: typed('sse'),
    variables: { syntax: 'brace' },
    hostFields: ['apiKey', 'connectionTimeout'],
  },
};

const ignoredEnv = [
  ...['PATH', 'PATHEXT', 'SystemRoot', 'windir', 'ComSpec', 'TEMP', 'TMP', 'SESSIONNAME', 'APPINIT_DLLS'],
  ...['LOCALAPPDATA', 'USERPROFILE', 'HOMEDRIVE', 'HOMEPATH'],
  ...['LD_LIBRARY_PATH', 'LD_PRELOAD', 'LD_AUDIT', 'LD_DEBUG', 'LD_BIND_NOW', 'LD_ASSUME_KERNEL'],
  ...['DYLD_LIBRARY_PATH', 'DYLD_INSERT_LIBRARIES', 'DYLD_FRAMEWORK_PATH'],
  ...[
    'PYTHONPATH',
    'PYTHONHOME',
    'NODE_OPTIONS',
    'RUBYOPT',
    'GEM_PATH',
    'GEM_HOME',
    'CLASSPATH',
    'GO111MODULE',
    'GOROOT',
  ],
];

export const gooseUser: HostAdapter = {
  id: 'goose-user',
  family: 'goose',
  name: 'Goose',
  fromSource: ['stdio', 'args', 'env', 'cwd', 'http', 'headers', 'variables', 'timeout', 'tools'],
  scope: 'user',
  paths: {
    darwin: ['{config}/goose/config.yaml'],
    linux: ['{config}/goose/config.yaml'],
    win32: ['{appData}/Block/goose/config/config.yaml'],
  },
  dialect: 'yaml',
  layouts: [{ keyPath: ['extensions'], collection: 'map' }],
  entry: {
    nameField: 'name',
    // SSE is deprecated in this host, and its headers field is unknown.
    stdio: { type: 'stdio', command: 'cmd', args: 'args', argsRequired: true, env: 'envs', cwd: 'cwd', ignoredEnv },
    http: { type: 'streamable_http', url: 'uri', headers: ['headers'] },
    toggle: { field: 'enabled', means: 'enabled', always: true },
    timeout: { field: 'timeout', unit: 's' },
    tools: { allowed: ['available_tools'], emptyAllowsAll: true },
    variables: { syntax: 'shell', fields: ['url', 'headers'], onlyOwn: true },
    byName: { env: 'env_keys', from: 'keyring' },
    hostFields: [
      'available_tools',
      'bundled',
      'description',
      'display_name',
      'client_id',
      'client_secret_key',
      'scopes',
      'socket',
    ],
  },
};

/** @see https://hermes-agent.nousresearch.com/docs/reference/mcp-config-reference */
export const hermesUser: HostAdapter = {
  id: 'hermes-user',
  family: 'hermes',
  name: 'Hermes Agent',
  scope: 'user',
  // The documentation has no path for Windows.
  paths: { darwin: ['{home}/.hermes/config.yaml'], linux: ['{home}/.hermes/config.yaml'] },
  dialect: 'yaml',
  layouts: [{ keyPath: ['mcp_servers'], collection: 'map' }],
  entry: {
    stdio: plainStdio,
    http: plainRemote,
    sse: { type: 'sse', ...plainRemote },
    typeField: 'transport',
    toggle: { field: 'enabled', means: 'enabled' },
    timeout: { field: 'timeout', unit: 's' },
    tools: { inside: 'tools', allowed: ['include'], denied: ['exclude'], star: 'any-text' },
    variables: { syntax: 'brace' },
    hostFields: [
      ...['tools', 'trust', 'auth', 'oauth', 'sampling', 'elicitation', 'protocol', 'connect_timeout'],
      ...['ssl_verify', 'client_cert', 'client_key', 'supports_parallel_tool_calls', 'skip_preflight'],
      ...['keepalive_interval', 'idle_timeout_seconds', 'max_lifetime_seconds', 'lifecycle'],
    ],
  },
};

/** @see https://www.librechat.ai/docs/configuration/librechat_yaml/object_structure/mcp_servers */
export const librechatProject: HostAdapter = {
  id: 'librechat-project',
  family: 'librechat',
  name: 'LibreChat (folder of the installation)',
  scope: 'project',
  paths: everywhere('{project}/librechat.yaml'),
  dialect: 'yaml',
  layouts: [{ keyPath: ['mcpServers'], collection: 'map' }],
  entry: {
    stdio: { type: 'stdio', ...plainStdio, argsRequired: true },
    http: typed('streamable-http'),
    sse: typed('sse'),
    untypedUrl: 'sse',
    timeout: { field: 'timeout', unit: 'ms' },
    variables: { syntax: 'brace', fields: ['env', 'url', 'headers'] },
    hostFields: [
      ...['title', 'description', 'iconPath', 'chatMenu', 'startup', 'initTimeout', 'sseReadTimeout', 'proxy'],
      ...['serverInstructions', 'requiresOAuth', 'oauth', 'apiKey', 'customUserVars'],
    ],
  },
};
