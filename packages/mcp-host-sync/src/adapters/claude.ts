import {
  type EntryFormat,
  everywhere,
  type HostAdapter,
  mcpServersMap,
  type OffSwitch,
  plainStdio,
  type TimeoutField,
  typed,
} from './host-adapter.js';

const remoteTimeout: TimeoutField = { field: 'timeout', unit: 'ms', remoteOnly: true };

const entry: EntryFormat = {
  stdio: { type: 'stdio', ...plainStdio },
  http: typed('http'),
  sse: typed('sse'),
  // The host takes an entry with `url` and without `type` for stdio, and fails.
  untypedUrl: 'refused',
  variables: { syntax: 'brace', defaults: true },
  hostFields: ['headersHelper', 'oauth'],
  serverName: { pattern: /^(?!workspace$)/, says: 'any name but "workspace", which is reserved' },
};

// The host documents variables for .mcp.json only, and replaces them in its own file, too.
const ownFileEntry: EntryFormat = { ...entry, timeout: remoteTimeout, windowsShims: 'cmd' };

/** The user switches servers off for one project at a time. */
const switches: readonly OffSwitch[] = [
  { beside: 'claude-code-local', keyPath: ['projects', '{repository}', 'disabledMcpServers'], lists: 'off' },
];

/** Servers of `.mcp.json` that the user has not approved. */
const rejected = { keyPath: ['disabledMcpjsonServers'], lists: 'off' } as const;

const configDirectory = { variable: 'CLAUDE_CONFIG_DIR', path: '{value}/.claude.json' };

export const claudeCodeProject: HostAdapter = {
  id: 'claude-code-project',
  family: 'claude-code',
  name: 'Claude Code (project)',
  scope: 'project',
  paths: everywhere('{project}/.mcp.json'),
  condition: {
    says: 'Claude Code starts a server of this file after each user has approved it',
    hint: 'start Claude Code in the project and approve the server; /mcp shows its state',
  },
  dialect: 'json',
  layouts: mcpServersMap,
  switches: [
    ...switches,
    { beside: 'claude-code-local', ...rejected, keyPath: ['projects', '{repository}', 'disabledMcpjsonServers'] },
    { beside: 'claude-code-user', file: '.claude/settings.json', ...rejected },
    { beside: 'claude-code-project', file: '.claude/settings.json', ...rejected },
    { beside: 'claude-code-project', file: '.claude/settings.local.json', ...rejected },
  ],
  entry: { ...entry, timeout: remoteTimeout },
};

export const claudeCodeUser: HostAdapter = {
  id: 'claude-code-user',
  family: 'claude-code',
  name: 'Claude Code (user)',
  scope: 'user',
  paths: everywhere('{home}/.claude.json'),
  overrides: [configDirectory],
  dialect: 'json',
  layouts: mcpServersMap,
  switches,
  entry: ownFileEntry,
};

export const claudeCodeLocal: HostAdapter = {
  id: 'claude-code-local',
  family: 'claude-code',
  name: 'Claude Code (one project, one user)',
  scope: 'local',
  paths: everywhere('{home}/.claude.json'),
  overrides: [configDirectory],
  dialect: 'json',
  layouts: [{ keyPath: ['projects', '{repository}', 'mcpServers'], collection: 'map' }],
  switches,
  entry: ownFileEntry,
};

export const xcodeClaudeAgent: HostAdapter = {
  id: 'xcode-claude-agent',
  family: 'xcode-claude-agent',
  name: 'Claude Agent in Xcode',
  scope: 'user',
  paths: { darwin: ['{home}/Library/Developer/Xcode/CodingAssistant/ClaudeAgentConfig/.claude.json'] },
  dialect: 'json',
  layouts: mcpServersMap,
  entry: { ...entry, variables: { syntax: 'brace', defaults: true, unverified: true } },
};

export const claudeDesktop: HostAdapter = {
  id: 'claude-desktop',
  family: 'claude-desktop',
  name: 'Claude Desktop',
  scope: 'user',
  paths: {
    darwin: ['{home}/Library/Application Support/Claude/claude_desktop_config.json'],
    linux: ['{home}/.config/Claude/claude_desktop_config.json'],
    // Packaged installs read only their package folder.
    win32: [
      '{localAppData}/Packages/Claude_*/LocalCache/Roaming/Claude/claude_desktop_config.json',
      '{appData}/Claude/claude_desktop_config.json',
    ],
  },
  dialect: 'json',
  layouts: mcpServersMap,
  byteOrderMark: 'drop',
  entry: { stdio: plainStdio, variables: {}, hostFields: [] },
};
