import type { EntryFormat, HostAdapter } from './host-adapter.js';
import { everywhere, plainStdio } from './shared-formats.js';

const entry: EntryFormat = {
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
  entry,
};

export const codexProject: HostAdapter = {
  ...codexUser,
  id: 'codex-project',
  name: 'OpenAI Codex (project)',
  scope: 'project',
  paths: everywhere('{project}/.codex/config.toml'),
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
