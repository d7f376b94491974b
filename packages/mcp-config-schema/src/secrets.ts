// Public API of "@x/mcp-config-schema/secrets". Loads neither the parsers nor zod.

export type { ConfigErrorCode } from './errors.js';
export { ConfigError, isConfigError } from './errors.js';
export type { Keyring } from './secrets/builtin-resolvers.js';
export { commandSecret, environmentSecret, fileSecret, keychainSecret } from './secrets/builtin-resolvers.js';
export type { SecretOptions } from './secrets/reference-lookup.js';
export type { SecretsCheck } from './secrets/resolve-secrets.js';
export { checkSecrets, resolveSecrets } from './secrets/resolve-secrets.js';
export type { SecretLookup, SecretToResolve } from './secrets/secret-lookup.js';
export { createSecretLookup } from './secrets/secret-lookup.js';
export type { SecretContext, SecretResolver } from './secrets/secret-resolver.js';
