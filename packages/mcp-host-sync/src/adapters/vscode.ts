import {
  type EntryFormat,
  everywhere,
  type HostAdapter,
  inAppFolder,
  mcpServersMap,
  plainRemote,
  plainStdio,
  serversMap,
  type TimeoutField,
  typed,
} from './host-adapter.js';

const entry: EntryFormat = {
  stdio: { type: 'stdio', ...plainStdio, cwd: 'cwd' },
  http: typed('http'),
  sse: typed('sse'),
  variables: { syntax: 'env-prefix' },
  hostFields: ['oauth', 'sandbox', 'sandboxEnabled', 'dev'],
};

export const vscodeProject: HostAdapter = {
  id: 'vscode-project',
  family: 'vscode',
  name: 'VS Code (workspace)',
  scope: 'project',
  paths: everywhere('{project}/.vscode/mcp.json'),
  dialect: 'jsonc',
  layouts: serversMap,
  inputsKey: 'inputs',
  entry,
};

export const vscodeUser: HostAdapter = {
  id: 'vscode-user',
  family: 'vscode',
  name: 'VS Code (user profile)',
  scope: 'user',
  paths: inAppFolder('Code/User/mcp.json'),
  dialect: 'jsonc',
  layouts: serversMap,
  inputsKey: 'inputs',
  entry,
};

export const vscodeInsidersUser: HostAdapter = {
  ...vscodeUser,
  id: 'vscode-insiders-user',
  family: 'vscode-insiders',
  name: 'VS Code Insiders (user profile)',
  paths: inAppFolder('Code - Insiders/User/mcp.json'),
};

// The documentation confirms neither references to inputs nor environment variables.
const visualStudioEntry: EntryFormat = {
  stdio: { type: 'stdio', ...plainStdio },
  http: typed('http'),
  sse: typed('sse'),
  variables: { syntax: 'env-prefix', unverified: true },
  hostFields: [],
};

export const visualStudioSolution: HostAdapter = {
  id: 'visual-studio-solution',
  family: 'visual-studio',
  name: 'Visual Studio (solution)',
  scope: 'project',
  paths: { win32: ['{project}/.mcp.json', '{project}/.vs/mcp.json'] },
  dialect: 'json',
  layouts: serversMap,
  entry: visualStudioEntry,
};

export const visualStudioUser: HostAdapter = {
  id: 'visual-studio-user',
  family: 'visual-studio',
  name: 'Visual Studio (user)',
  scope: 'user',
  paths: { win32: ['{home}/.mcp.json'] },
  dialect: 'json',
  layouts: serversMap,
  entry: visualStudioEntry,
};

const cursorEntry: EntryFormat = {
  stdio: plainStdio,
  http: plainRemote,
  sse: plainRemote,
  variables: { syntax: 'env-prefix' },
  hostFields: ['auth'],
};

export const cursorProject: HostAdapter = {
  id: 'cursor-project',
  family: 'cursor',
  name: 'Cursor (project)',
  scope: 'project',
  paths: everywhere('{project}/.cursor/mcp.json'),
  // Existing comments are accepted, new ones are never written.
  dialect: 'json-comments',
  layouts: mcpServersMap,
  entry: cursorEntry,
};

export const cursorUser: HostAdapter = {
  ...cursorProject,
  id: 'cursor-user',
  name: 'Cursor (user)',
  scope: 'user',
  paths: everywhere('{home}/.cursor/mcp.json'),
};

const secondsPerCall: TimeoutField = { field: 'timeout', unit: 's', range: [1, 3600] };

const clineEntry: EntryFormat = {
  stdio: { type: 'stdio', ...plainStdio, cwd: 'cwd' },
  http: typed('streamableHttp'),
  sse: typed('sse'),
  untypedUrl: 'sse',
  toggle: { field: 'disabled', means: 'disabled', always: true },
  timeout: secondsPerCall,
  variables: { syntax: 'env-prefix' },
  hostFields: ['autoApprove', 'oauth', 'oauthClient', 'metadata', 'remoteConfigured'],
  // The host's command line writes the nested form, its editor the flat one.
  nested: { field: 'transport', fields: ['type', 'command', 'args', 'env', 'cwd', 'url', 'headers'] },
};

export const clineUser: HostAdapter = {
  id: 'cline-user',
  family: 'cline',
  name: 'Cline',
  scope: 'user',
  paths: everywhere('{home}/.cline/data/settings/cline_mcp_settings.json'),
  overrides: [
    { variable: 'CLINE_MCP_SETTINGS_PATH', path: '{value}' },
    { variable: 'CLINE_DATA_DIR', path: '{value}/settings/cline_mcp_settings.json' },
    { variable: 'CLINE_DIR', path: '{value}/data/settings/cline_mcp_settings.json' },
  ],
  dialect: 'json',
  layouts: mcpServersMap,
  entry: clineEntry,
};

export const clineLegacyUser: HostAdapter = {
  id: 'cline-legacy-user',
  family: 'cline-legacy',
  name: 'Cline (older VS Code extension)',
  scope: 'user',
  paths: inAppFolder('Code/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json'),
  replacedBy: 'cline-user',
  dialect: 'json',
  layouts: mcpServersMap,
  entry: clineEntry,
};

const rooEntry: EntryFormat = {
  stdio: { ...plainStdio, cwd: 'cwd' },
  http: typed('streamable-http'),
  sse: typed('sse'),
  untypedUrl: 'refused',
  toggle: { field: 'disabled', means: 'disabled' },
  timeout: secondsPerCall,
  tools: { denied: ['disabledTools'] },
  variables: { syntax: 'env-prefix' },
  hostFields: ['disabledTools', 'alwaysAllow'],
};

export const rooProject: HostAdapter = {
  id: 'roo-project',
  family: 'roo',
  name: 'Roo Code (project)',
  scope: 'project',
  paths: everywhere('{project}/.roo/mcp.json'),
  dialect: 'json',
  layouts: mcpServersMap,
  entry: rooEntry,
};

export const rooUser: HostAdapter = {
  ...rooProject,
  id: 'roo-user',
  name: 'Roo Code (user)',
  scope: 'user',
  paths: inAppFolder('Code/User/globalStorage/rooveterinaryinc.roo-cline/settings/mcp_settings.json'),
};

export const kiloLegacyProject: HostAdapter = {
  ...rooProject,
  id: 'kilo-legacy-project',
  family: 'kilo-legacy',
  name: 'Kilo Code (before version 7, project)',
  paths: everywhere('{project}/.kilocode/mcp.json'),
  replacedBy: 'kilo-project',
};
