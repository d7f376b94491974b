import type { EntryFormat, HostAdapter } from './host-adapter.js';
import {
  everywhere,
  inAppFolder,
  mcpServersMap,
  plainRemote,
  plainStdio,
  serversMap,
  typed,
} from './shared-formats.js';

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
