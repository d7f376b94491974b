import {
  type EntryFormat,
  everywhere,
  type HostAdapter,
  inAppFolder,
  mcpServersMap,
  plainRemote,
  plainStdio,
  typed,
} from './host-adapter.js';

/** Command or url, without further fields. */
const plainEntry: EntryFormat = {
  stdio: plainStdio,
  http: plainRemote,
  sse: plainRemote,
  variables: {},
  hostFields: [],
};

const plainHost = { dialect: 'json', layouts: mcpServersMap, entry: plainEntry } as const;

export const junieProject: HostAdapter = {
  ...plainHost,
  id: 'junie-project',
  family: 'junie',
  name: 'JetBrains Junie (project)',
  scope: 'project',
  paths: everywhere('{project}/.junie/mcp/mcp.json'),
};

export const junieUser: HostAdapter = {
  ...plainHost,
  id: 'junie-user',
  family: 'junie',
  name: 'JetBrains Junie (user)',
  scope: 'user',
  paths: everywhere('{home}/.junie/mcp/mcp.json'),
};

export const jetbrainsAiAssistantProject: HostAdapter = {
  ...plainHost,
  id: 'jetbrains-ai-assistant-project',
  family: 'jetbrains-ai-assistant',
  name: 'JetBrains AI Assistant (project)',
  scope: 'project',
  paths: everywhere('{project}/.ai/mcp/mcp.json'),
};

export const jetbrainsAiAssistantUser: HostAdapter = {
  ...plainHost,
  id: 'jetbrains-ai-assistant-user',
  family: 'jetbrains-ai-assistant',
  name: 'JetBrains AI Assistant (user)',
  scope: 'user',
  paths: everywhere('{home}/.ai/mcp/mcp.json'),
};

const warpEntry: EntryFormat = { ...plainEntry, stdio: { ...plainStdio, cwd: 'working_directory' } };

export const warpProject: HostAdapter = {
  ...plainHost,
  id: 'warp-project',
  family: 'warp',
  name: 'Warp (project)',
  scope: 'project',
  paths: everywhere('{project}/.warp/.mcp.json'),
  entry: warpEntry,
};

export const warpUser: HostAdapter = {
  ...plainHost,
  id: 'warp-user',
  family: 'warp',
  name: 'Warp (user)',
  scope: 'user',
  paths: everywhere('{home}/.warp/.mcp.json'),
  entry: warpEntry,
};

export const lmstudioUser: HostAdapter = {
  ...plainHost,
  id: 'lmstudio-user',
  family: 'lmstudio',
  name: 'LM Studio',
  scope: 'user',
  // Old versions use the second path.
  paths: everywhere('{home}/.lmstudio/mcp.json', '{home}/.cache/lm-studio/mcp.json'),
};

/** @see https://github.com/Mintplex-Labs/anything-llm/blob/master/server/utils/MCP/hypervisor/index.js */
export const anythingllmUser: HostAdapter = {
  ...plainHost,
  id: 'anythingllm-user',
  family: 'anythingllm',
  name: 'AnythingLLM (desktop)',
  fromSource: ['stdio', 'args', 'env', 'http', 'sse', 'headers', 'off'],
  scope: 'user',
  paths: inAppFolder('anythingllm-desktop/storage/plugins/anythingllm_mcp_servers.json'),
  entry: {
    stdio: plainStdio,
    http: typed('streamable'),
    sse: typed('sse'),
    untypedUrl: 'sse',
    toggle: { field: 'anythingllm', key: 'autoStart', means: 'enabled', always: true },
    // In one object with the toggle.
    tools: { inside: 'anythingllm', denied: ['suppressedTools'], readOnly: true },
    variables: {},
    hostFields: ['anythingllm'],
  },
};

/** @see https://developer.android.com/studio/gemini/add-mcp-server */
export const androidStudioUser: HostAdapter = {
  ...plainHost,
  id: 'android-studio-user',
  family: 'android-studio',
  name: 'Android Studio',
  scope: 'user',
  paths: {
    darwin: ['{home}/Library/Application Support/Google/AndroidStudio{newest}/mcp.json'],
    linux: ['{config}/Google/AndroidStudio{newest}/mcp.json'],
    win32: ['{appData}/Google/AndroidStudio{newest}/mcp.json'],
  },
  condition: {
    says: 'Android Studio reads this file if MCP servers are enabled',
    hint: 'turn on Enable MCP Servers in Settings › Tools › AI › MCP Servers',
  },
  entry: {
    stdio: plainStdio,
    http: { url: 'httpUrl', headers: ['headers'] },
    variables: {},
    hostFields: [],
  },
};

const jansSettings = {
  darwin: '{home}/Library/Application Support/Jan/settings.json',
  linux: '{data}/Jan/settings.json',
  win32: '{appData}/Jan/settings.json',
};

/**
 * An entry for a remote server has a form of its own, which is not known well enough to write it.
 *
 * @see https://github.com/janhq/jan/tree/dev/src-tauri/src/core/mcp
 */
export const janUser: HostAdapter = {
  ...plainHost,
  id: 'jan-user',
  family: 'jan',
  name: 'Jan',
  fromSource: ['place', 'stdio', 'args', 'env', 'cwd', 'off'],
  scope: 'user',
  paths: {
    darwin: ['{home}/Library/Application Support/Jan/data/mcp_config.json'],
    linux: ['{data}/Jan/data/mcp_config.json'],
    win32: ['{appData}/Jan/data/mcp_config.json'],
  },
  movedBy: { file: jansSettings, key: 'data_folder', path: '{value}/mcp_config.json' },
  entry: {
    stdio: { ...plainStdio, argsRequired: true, cwd: 'cwd' },
    toggle: { field: 'active', means: 'enabled', always: true },
    variables: {},
    hostFields: ['capabilities', 'description', 'official'],
  },
};

/** @see https://abacus.ai/help/abacusai-desktop/mcp-configuration */
const abacusEntry: EntryFormat = {
  stdio: { ...plainStdio, argsRequired: true },
  http: plainRemote,
  variables: {},
  hostFields: [],
};

export const abacusProject: HostAdapter = {
  ...plainHost,
  id: 'abacusai-project',
  family: 'abacusai',
  name: 'Abacus AI (project)',
  scope: 'project',
  paths: everywhere('{project}/.abacusai/mcp.json'),
  entry: abacusEntry,
};

export const abacusUser: HostAdapter = {
  ...plainHost,
  id: 'abacusai-user',
  family: 'abacusai',
  name: 'Abacus AI (user)',
  scope: 'user',
  paths: everywhere('{home}/.abacusai/mcp.json'),
  entry: abacusEntry,
};

// The host may replace workspace folder variables; this is not confirmed.
const traeEntry: EntryFormat = {
  ...plainEntry,
  variables: { syntax: 'brace', unverified: true },
  hostFields: ['fromGalleryId'],
  commandWithoutSpaces: true,
};

export const traeProject: HostAdapter = {
  ...plainHost,
  id: 'trae-project',
  family: 'trae',
  name: 'Trae (project)',
  scope: 'project',
  paths: everywhere('{project}/.trae/mcp.json'),
  entry: traeEntry,
};

export const traeUser: HostAdapter = {
  ...plainHost,
  id: 'trae-user',
  family: 'trae',
  name: 'Trae (user)',
  scope: 'user',
  paths: inAppFolder('Trae/User/mcp.json'),
  entry: traeEntry,
};

const kiroEntry: EntryFormat = {
  ...plainEntry,
  toggle: { field: 'disabled', means: 'disabled' },
  timeout: { field: 'timeout', unit: 'ms' },
  tools: { denied: ['disabledTools'] },
  variables: { syntax: 'brace' },
  hostFields: ['disabledTools', 'autoApprove'],
};

export const kiroProject: HostAdapter = {
  ...plainHost,
  id: 'kiro-project',
  family: 'kiro',
  name: 'Kiro (workspace)',
  scope: 'project',
  paths: everywhere('{project}/.kiro/settings/mcp.json'),
  entry: kiroEntry,
};

export const kiroUser: HostAdapter = {
  ...plainHost,
  id: 'kiro-user',
  family: 'kiro',
  name: 'Kiro (user)',
  scope: 'user',
  paths: everywhere('{home}/.kiro/settings/mcp.json'),
  entry: kiroEntry,
};

const factoryEntry: EntryFormat = {
  stdio: { type: 'stdio', ...plainStdio },
  http: typed('http'),
  sse: typed('sse'),
  toggle: { field: 'disabled', means: 'disabled', always: true },
  timeout: { field: 'timeout', unit: 'ms', range: [1, 2_147_483_647] },
  tools: { allowed: ['enabledTools'], denied: ['disabledTools'] },
  variables: { syntax: 'brace', defaults: true, fields: ['env', 'headers'] },
  hostFields: ['oauth', 'enabledTools', 'disabledTools', 'connectTimeout'],
  serverName: {
    // It changes other names, and starts one of those that become equal.
    pattern: /^(?!-)(?!.*--)[A-Za-z0-9_-]{1,32}(?<!-)$/,
    says: 'up to 32 letters, digits and "_", with single "-" between them,',
  },
};

export const factoryProject: HostAdapter = {
  ...plainHost,
  id: 'factory-project',
  family: 'factory',
  name: 'Factory droid (project)',
  scope: 'project',
  paths: everywhere('{project}/.factory/mcp.json'),
  entry: factoryEntry,
};

export const factoryUser: HostAdapter = {
  ...plainHost,
  id: 'factory-user',
  family: 'factory',
  name: 'Factory droid (user)',
  scope: 'user',
  paths: everywhere('{home}/.factory/mcp.json'),
  entry: factoryEntry,
};

const amazonqEntry: EntryFormat = {
  stdio: { type: 'stdio', ...plainStdio },
  http: typed('http'),
  toggle: { field: 'disabled', means: 'disabled' },
  timeout: { field: 'timeout', unit: 'ms' },
  variables: { syntax: 'env-prefix', fields: ['env', 'headers'] },
  hostFields: ['oauth', 'oauthScopes'],
};

export const amazonqCliProject: HostAdapter = {
  ...plainHost,
  id: 'amazonq-cli-project',
  family: 'amazonq-cli',
  name: 'Amazon Q Developer CLI (project)',
  scope: 'project',
  paths: everywhere('{project}/.amazonq/mcp.json'),
  replacedBy: 'kiro-project',
  entry: amazonqEntry,
};

export const amazonqCliUser: HostAdapter = {
  ...plainHost,
  id: 'amazonq-cli-user',
  family: 'amazonq-cli',
  name: 'Amazon Q Developer CLI (user)',
  scope: 'user',
  paths: everywhere('{home}/.aws/amazonq/mcp.json'),
  replacedBy: 'kiro-user',
  entry: amazonqEntry,
};
