import { commandSecret } from './command-secret.js';
import { environmentSecret } from './environment-secret.js';
import { fileSecret } from './file-secret.js';
import { keychainSecret } from './keychain-secret.js';
import type { SecretResolver } from './secret-resolver.js';

export const builtinResolvers: Readonly<Record<string, SecretResolver>> = {
  env: environmentSecret,
  file: fileSecret,
  command: commandSecret,
  keychain: keychainSecret(),
};
