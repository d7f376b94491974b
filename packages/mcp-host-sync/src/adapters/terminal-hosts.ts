import {
  type EntryFormat,
  everywhere,
  type HostAdapter,
  mcpServersMap,
  type OffSwitch,
  plainRemote,
  plainStdio,
  typed,
} from './host-adapter.js';

const codexEntry: EntryFormat = {
  stdio: { ...plainStdio, cwd: 'cwd' },
  http: { url: 'url', headers: ['http_headers'] },
  toggle: { field: 'enabled', means: 'enabled' },
  timeout: { field: 'tool_timeout_sec', unit: 's-fractions' },
  tools: { allowed: ['enabled_tools'], denied: ['disabled_tools'] },
  variables: {},
  byName: { env: 'env_vars', from: 'environment', headers: 'env_http_headers', bearer: 'bearer_token_env_var' },
  hostFields: [
    'tools',
    'enabled_tools',
    'disabled_tools',
    'default_tools_approval_mode',
    'scopes',
    'oauth',
    'oauth_resource',
    'http_headers_helper',
  ],
  serverName: { pattern: /^[A-Za-z0-9_-]+$/, says: 'letters, digits, "_" and "-"' },
};

export const codexUser: HostAdapter = {
  id: 'codex-user',
  family: 'codex',
  name: 'OpenAI Codex (user)',
  scope: 'user',
  paths: everywhere('{home}/.codex/config.toml'),
  overrides: [{ variable: 'CODEX_HOME', path: '{value}/config.toml' }],
  dialect: 'toml',
  layouts: [{ keyPath: ['mcp_servers'], collection: 'map' }],
  entry: codexEntry,
};

export const codexProject: HostAdapter = {
  ...codexUser,
  id: 'codex-project',
  name: 'OpenAI Codex (project)',
  scope: 'project',
  paths: everywhere('{project}/.codex/config.toml'),
  condition: {
    says: 'Codex reads this file in trusted projects only',
    hint: 'start Codex in the project and trust it, which sets trust_level in ~/.codex/config.toml',
  },
  overrides: [],
};

export const xcodeCodex: HostAdapter = {
  ...codexUser,
  id: 'xcode-codex',
  family: 'xcode-codex',
  name: 'Codex in Xcode',
  paths: { darwin: ['{home}/Library/Developer/Xcode/CodingAssistant/codex/config.toml'] },
  overrides: [],
};

const geminiEntry: EntryFormat = {
  stdio: { ...plainStdio, cwd: 'cwd' },
  http: { type: 'http', typePosition: 'after-url', url: 'url', urlAlternatives: ['httpUrl'], headers: ['headers'] },
  sse: { type: 'sse', typePosition: 'after-url', url: 'url', headers: ['headers'] },
  timeout: { field: 'timeout', unit: 'ms' },
  tools: { allowed: ['includeTools'], denied: ['excludeTools'] },
  variables: { syntax: 'shell', defaults: true },
  hostFields: ['includeTools', 'excludeTools', 'trust', 'oauth', 'authProviderType'],
};

/** Lists in the settings of the user and of the project, which hold for the servers of both. */
function settingsLists(host: 'gemini-cli' | 'qwen-code'): readonly OffSwitch[] {
  return [`${host}-user`, `${host}-project`].flatMap((beside) => [
    { beside, keyPath: ['mcp', 'excluded'], lists: 'off' as const },
    { beside, keyPath: ['mcp', 'allowed'], lists: 'on' as const },
  ]);
}

export const geminiCliUser: HostAdapter = {
  id: 'gemini-cli-user',
  family: 'gemini-cli',
  name: 'Gemini CLI (user)',
  scope: 'user',
  paths: everywhere('{home}/.gemini/settings.json'),
  overrides: [{ variable: 'GEMINI_CLI_HOME', path: '{value}/.gemini/settings.json' }],
  dialect: 'json-comments',
  layouts: mcpServersMap,
  switches: [
    ...settingsLists('gemini-cli'),
    { beside: 'gemini-cli-user', file: 'mcp-server-enablement.json', keyPath: [], lists: 'states' },
  ],
  entry: geminiEntry,
};

export const geminiCliProject: HostAdapter = {
  ...geminiCliUser,
  id: 'gemini-cli-project',
  name: 'Gemini CLI (project)',
  scope: 'project',
  paths: everywhere('{project}/.gemini/settings.json'),
  condition: {
    says: "Gemini CLI reads this file in trusted folders only; in others, the user's own servers are off, too",
    hint: 'start Gemini CLI in the project and trust it, or use /permissions',
  },
  overrides: [],
};

const qwenEntry: EntryFormat = {
  stdio: { ...plainStdio, cwd: 'cwd' },
  // Unlike in most hosts, `url` means SSE.
  http: { url: 'httpUrl', headers: ['headers'] },
  sse: { url: 'url', headers: ['headers'] },
  timeout: { field: 'timeout', unit: 'ms' },
  tools: { allowed: ['includeTools'], denied: ['excludeTools'] },
  variables: { syntax: 'shell' },
  hostFields: ['includeTools', 'excludeTools', 'trust', 'versionNegotiation'],
};

export const qwenCodeUser: HostAdapter = {
  id: 'qwen-code-user',
  family: 'qwen-code',
  name: 'Qwen Code (user)',
  scope: 'user',
  paths: everywhere('{home}/.qwen/settings.json'),
  dialect: 'json-comments',
  layouts: mcpServersMap,
  switches: settingsLists('qwen-code'),
  entry: qwenEntry,
};

export const qwenCodeProject: HostAdapter = {
  ...qwenCodeUser,
  id: 'qwen-code-project',
  name: 'Qwen Code (project)',
  scope: 'project',
  paths: everywhere('{project}/.qwen/settings.json'),
  condition: {
    says: 'Qwen Code 0.24 and newer start a server of this file after each user has approved it',
    hint: 'run "qwen mcp approve --all" in the project; "qwen mcp list" shows the state',
  },
};

const copilotEntry: EntryFormat = {
  stdio: { type: 'stdio', ...plainStdio, cwd: 'cwd' },
  http: typed('http'),
  sse: typed('sse'),
  timeout: { field: 'timeout', unit: 'ms', range: [1, 4_294_967_295] },
  tools: { allowed: ['tools'], star: 'all' },
  variables: { syntax: 'shell', fields: ['env', 'headers'] },
  hostFields: ['tools', 'deferTools', 'oauthClientId', 'auth'],
  initial: { tools: ['*'] },
};

export const copilotCliUser: HostAdapter = {
  id: 'copilot-cli-user',
  family: 'copilot-cli',
  name: 'GitHub Copilot CLI (user)',
  scope: 'user',
  paths: everywhere('{home}/.copilot/mcp-config.json'),
  overrides: [{ variable: 'COPILOT_HOME', path: '{value}/mcp-config.json' }],
  dialect: 'json',
  layouts: mcpServersMap,
  switches: [{ beside: 'copilot-cli-user', file: 'settings.json', keyPath: ['disabledMcpServers'], lists: 'off' }],
  entry: copilotEntry,
};

export const copilotCliProject: HostAdapter = {
  ...copilotCliUser,
  id: 'copilot-cli-project',
  name: 'GitHub Copilot CLI (project)',
  scope: 'project',
  paths: everywhere('{project}/.mcp.json', '{project}/.github/mcp.json'),
  condition: {
    says: 'Copilot CLI reads this file in trusted folders only',
    hint: 'start Copilot CLI in the project and trust it',
  },
  overrides: [],
};

const crushEntry: EntryFormat = {
  stdio: { type: 'stdio', ...plainStdio },
  http: typed('http'),
  sse: typed('sse'),
  toggle: { field: 'disabled', means: 'disabled' },
  timeout: { field: 'timeout', unit: 's' },
  tools: { allowed: ['enabled_tools'], denied: ['disabled_tools'] },
  variables: { syntax: 'shell', noLiteralDollar: true },
  hostFields: [
    'enabled_tools',
    'disabled_tools',
    'oauth',
    'oauth_client_id',
    'oauth_client_secret',
    'oauth_callback_port',
  ],
};

export const crushProject: HostAdapter = {
  id: 'crush-project',
  family: 'crush',
  name: 'Crush (project)',
  // The newer crushrc is a program, and wins over this file.
  fromSource: ['place', 'stdio', 'args', 'env', 'http', 'sse', 'headers', 'variables', 'off', 'timeout', 'tools'],
  scope: 'project',
  paths: everywhere('{project}/.crush.json', '{project}/crush.json'),
  dialect: 'json',
  layouts: [{ keyPath: ['mcp'], collection: 'map' }],
  entry: crushEntry,
};

export const crushUser: HostAdapter = {
  ...crushProject,
  id: 'crush-user',
  name: 'Crush (user)',
  scope: 'user',
  paths: {
    darwin: ['{config}/crush/crush.json'],
    linux: ['{config}/crush/crush.json'],
    win32: ['{home}/.config/crush/crush.json'],
  },
  overrides: [{ variable: 'CRUSH_GLOBAL_CONFIG', path: '{value}/crush.json' }],
};

// The variable syntax of this host is not confirmed.
const ampEntry: EntryFormat = {
  stdio: plainStdio,
  http: plainRemote,
  sse: plainRemote,
  toggle: { field: 'disabled', means: 'disabled' },
  tools: { allowed: ['includeTools'], star: 'any-text' },
  variables: { syntax: 'brace', unverified: true },
  hostFields: ['includeTools'],
};

export const ampUser: HostAdapter = {
  id: 'amp-user',
  family: 'amp',
  name: 'Amp (user)',
  scope: 'user',
  paths: {
    darwin: ['{home}/.config/amp/settings.jsonc', '{home}/.config/amp/settings.json'],
    linux: ['{home}/.config/amp/settings.jsonc', '{home}/.config/amp/settings.json'],
    win32: ['{appData}/amp/settings.json'],
  },
  createAt: 'settings.json',
  dialect: 'jsonc',
  layouts: [{ keyPath: ['amp.mcpServers'], collection: 'map' }],
  entry: ampEntry,
};

export const ampProject: HostAdapter = {
  ...ampUser,
  id: 'amp-project',
  name: 'Amp (workspace)',
  scope: 'project',
  paths: everywhere('{project}/.amp/settings.jsonc', '{project}/.amp/settings.json'),
};

const augmentEntry: EntryFormat = {
  // The host ignores `useShellInterpolation` and always runs a shell.
  stdio: { type: 'stdio', ...plainStdio, cwd: 'cwd', runsInShell: true },
  http: typed('http'),
  sse: typed('sse'),
  toggle: { field: 'disabled', means: 'disabled' },
  timeout: { field: 'timeoutMs', unit: 'ms' },
  variables: {
    syntax: 'brace',
    defaults: true,
    fields: ['command', 'args', 'env', 'cwd', 'url'],
    inShell: ['command', 'args'],
  },
  hostFields: ['useShellInterpolation'],
};

export const augmentCliUser: HostAdapter = {
  id: 'augment-cli-user',
  family: 'augment-cli',
  name: 'Augment CLI (user)',
  fromSource: ['timeout'],
  scope: 'user',
  paths: everywhere('{home}/.augment/settings.json'),
  dialect: 'jsonc',
  layouts: mcpServersMap,
  entry: augmentEntry,
};

export const augmentCliProject: HostAdapter = {
  ...augmentCliUser,
  id: 'augment-cli-project',
  name: 'Augment CLI (workspace)',
  scope: 'project',
  // settings.local.json in the same folder is personal.
  paths: everywhere('{project}/.augment/settings.json'),
};

/** @see https://github.com/MoonshotAI/kimi-code/blob/main/packages/agent-core-v2/src/mcpCore/config-schema.ts */
const kimiEntry: EntryFormat = {
  stdio: { ...plainStdio, cwd: 'cwd' },
  http: plainRemote,
  sse: { type: 'sse', ...plainRemote },
  typeField: 'transport',
  toggle: { field: 'enabled', means: 'enabled' },
  timeout: { field: 'toolTimeoutMs', unit: 'ms', range: [1, 2_147_483_647] },
  tools: { allowed: ['enabledTools'], denied: ['disabledTools'] },
  variables: {},
  byName: { from: 'environment', bearer: 'bearerTokenEnvVar' },
  hostFields: ['enabledTools', 'disabledTools', 'startupTimeoutMs', 'auth', 'executor', 'runtime_id'],
};

export const kimiCodeUser: HostAdapter = {
  id: 'kimi-code-user',
  family: 'kimi-code',
  name: 'Kimi Code (user)',
  fromSource: ['place', 'stdio', 'args', 'env', 'cwd', 'http', 'sse', 'headers', 'off', 'timeout', 'tools'],
  scope: 'user',
  paths: everywhere('{home}/.kimi-code/mcp.json'),
  overrides: [{ variable: 'KIMI_CODE_HOME', path: '{value}/mcp.json' }],
  dialect: 'json',
  layouts: mcpServersMap,
  entry: kimiEntry,
};

export const kimiCodeProject: HostAdapter = {
  ...kimiCodeUser,
  id: 'kimi-code-project',
  name: 'Kimi Code (project)',
  scope: 'project',
  paths: everywhere('{project}/.kimi-code/mcp.json'),
  condition: {
    says: 'Kimi Code starts the servers of this file in trusted folders only',
    hint: 'start Kimi Code in the project and trust it',
  },
  overrides: [],
};

/** @see https://github.com/mistralai/mistral-vibe/blob/main/vibe/core/config/models.py */
const vibeEntry: EntryFormat = {
  nameField: 'name',
  stdio: { type: 'stdio', ...plainStdio, splitsText: 'always', cwd: 'cwd' },
  http: typed('streamable-http'),
  typeField: 'transport',
  toggle: { field: 'disabled', means: 'disabled' },
  timeout: { field: 'tool_timeout_sec', unit: 's-fractions' },
  tools: { denied: ['disabled_tools'] },
  variables: {},
  byName: {
    from: 'environment',
    bearer: 'api_key_env',
    bearerPlace: { header: 'api_key_header', format: 'api_key_format' },
  },
  hostFields: ['disabled_tools', 'prompt', 'startup_timeout_sec', 'sampling_enabled'],
  // Its own command writes the nested form. Both forms in one entry are an error of the whole file.
  nested: {
    field: 'auth',
    fields: ['headers', 'api_key_env', 'api_key_header', 'api_key_format'],
    type: 'static',
  },
  serverName: {
    // It changes other names, and rejects a file in which two become equal.
    pattern: /^[A-Za-z0-9](?:[A-Za-z0-9_-]{0,254}[A-Za-z0-9])?$/,
    says: 'letters and digits, with "_" and "-" between them,',
  },
};

export const mistralVibeUser: HostAdapter = {
  id: 'mistral-vibe-user',
  family: 'mistral-vibe',
  name: 'Mistral Vibe (user)',
  fromSource: ['place', 'stdio', 'args', 'env', 'cwd', 'http', 'headers', 'off', 'timeout', 'tools'],
  scope: 'user',
  paths: everywhere('{home}/.vibe/config.toml'),
  overrides: [{ variable: 'VIBE_HOME', path: '{value}/config.toml' }],
  dialect: 'toml',
  layouts: [{ keyPath: ['mcp_servers'], collection: 'sequence-by-name' }],
  entry: vibeEntry,
};

export const mistralVibeProject: HostAdapter = {
  ...mistralVibeUser,
  id: 'mistral-vibe-project',
  name: 'Mistral Vibe (project)',
  scope: 'project',
  paths: everywhere('{project}/.vibe/config.toml'),
  condition: {
    says: 'Vibe reads this file in trusted folders only, and there some versions ignore ~/.vibe/config.toml',
    hint: 'trust the folder in Vibe; to keep the settings of ~/.vibe/config.toml, write that file instead: mistral-vibe-user',
  },
  overrides: [],
};
