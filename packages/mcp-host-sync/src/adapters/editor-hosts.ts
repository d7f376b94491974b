import {
  type EntryFormat,
  everywhere,
  type HostAdapter,
  mcpServersMap,
  plainRemote,
  plainStdio,
  type RemoteFormat,
} from './host-adapter.js';

const serverUrl: RemoteFormat = { url: 'serverUrl', urlAlternatives: ['url'], headers: ['headers'] };
const eitherUrl: RemoteFormat = { ...plainRemote, urlAlternatives: ['serverUrl'] };

const windsurfEntry: EntryFormat = {
  stdio: plainStdio,
  http: serverUrl,
  sse: serverUrl,
  toggle: { field: 'disabled', means: 'disabled' },
  tools: { denied: ['disabledTools'] },
  variables: { syntax: 'env-prefix' },
  hostFields: ['disabledTools'],
};

export const windsurfUser: HostAdapter = {
  id: 'windsurf-user',
  family: 'windsurf',
  name: 'Windsurf (before it became Devin Desktop)',
  scope: 'user',
  paths: everywhere('{home}/.codeium/windsurf/mcp_config.json'),
  replacedBy: 'devin-desktop-user',
  dialect: 'json',
  layouts: mcpServersMap,
  byteOrderMark: 'drop',
  entry: windsurfEntry,
};

export const devinDesktopUser: HostAdapter = {
  id: 'devin-desktop-user',
  family: 'devin-desktop',
  name: 'Devin Desktop (user)',
  scope: 'user',
  paths: {
    darwin: ['{home}/.config/devin/mcp_config.json'],
    linux: ['{home}/.config/devin/mcp_config.json'],
    win32: ['{appData}/devin/mcp_config.json'],
  },
  dialect: 'json',
  layouts: mcpServersMap,
  entry: { ...windsurfEntry, http: eitherUrl, sse: eitherUrl },
};

export const devinProject: HostAdapter = {
  ...devinDesktopUser,
  id: 'devin-project',
  name: 'Devin Desktop (project)',
  scope: 'project',
  paths: everywhere('{project}/.devin/mcp_config.json'),
};

export const antigravityUser: HostAdapter = {
  id: 'antigravity-user',
  family: 'antigravity',
  name: 'Google Antigravity (user)',
  scope: 'user',
  // Version 1 uses the second path.
  paths: everywhere('{home}/.gemini/config/mcp_config.json', '{home}/.gemini/antigravity/mcp_config.json'),
  dialect: 'json',
  layouts: mcpServersMap,
  byteOrderMark: 'drop',
  entry: { ...windsurfEntry, variables: {} },
};

export const antigravityProject: HostAdapter = {
  ...antigravityUser,
  id: 'antigravity-project',
  name: 'Google Antigravity (project)',
  scope: 'project',
  paths: everywhere('{project}/.agents/mcp_config.json'),
};

export const zedUser: HostAdapter = {
  id: 'zed-user',
  family: 'zed',
  name: 'Zed (user settings)',
  fromSource: ['stdio', 'args', 'env', 'http', 'headers', 'timeout'],
  scope: 'user',
  paths: {
    darwin: ['{home}/.config/zed/settings.json'],
    linux: ['{config}/zed/settings.json'],
    win32: ['{appData}/Zed/settings.json'],
  },
  overrides: [{ variable: 'FLATPAK_XDG_CONFIG_HOME', path: '{value}/zed/settings.json', platform: 'linux' }],
  dialect: 'jsonc',
  layouts: [{ keyPath: ['context_servers'], collection: 'map' }],
  entry: {
    stdio: { ...plainStdio, argsRequired: true },
    http: plainRemote,
    toggle: { field: 'enabled', means: 'enabled' },
    timeout: { field: 'timeout', unit: 's' },
    variables: {},
    hostFields: ['oauth', 'source', 'remote', 'settings'],
  },
};

export const zedProject: HostAdapter = {
  ...zedUser,
  id: 'zed-project',
  name: 'Zed (project)',
  scope: 'project',
  paths: everywhere('{project}/.zed/settings.json'),
  overrides: [],
};
