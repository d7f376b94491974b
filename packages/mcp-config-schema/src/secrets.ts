// Public API of "@x/mcp-config-schema/secrets".
export { commandSecret } from './secrets/command-secret.js';
export { environmentSecret } from './secrets/environment-secret.js';
export { fileSecret } from './secrets/file-secret.js';
export type { Keyring } from './secrets/keychain-secret.js';
export { keychainSecret } from './secrets/keychain-secret.js';
export type { SecretLookup, SecretOptions, SecretsCheck, SecretToResolve } from './secrets/resolve-secrets.js';
export { checkSecrets, createSecretLookup, resolveSecrets } from './secrets/resolve-secrets.js';
export type { SecretContext, SecretResolver } from './secrets/secret-resolver.js';
