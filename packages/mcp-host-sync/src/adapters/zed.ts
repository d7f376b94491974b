import type { HostAdapter } from './host-adapter.js';
import { everywhere, plainRemote, plainStdio } from './shared-formats.js';

export const zedUser: HostAdapter = {
  id: 'zed-user',
  family: 'zed',
  name: 'Zed (user settings)',
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
