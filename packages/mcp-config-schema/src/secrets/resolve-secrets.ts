import { refusePromise } from '@x/internal/options';
import { createRedactor, type Redactor } from '@x/internal/secrets';
import { printable, quoted } from '@x/internal/text';
import type { SecretReference, ServerConfig } from '../config.js';
import { invalidConfig } from '../errors.js';
import type { ConfigIssue } from '../issues.js';
import { ReferenceLookup, type SecretOptions, schemeOf, type Unavailable } from './reference-lookup.js';

/** Result of a secret lookup. */
export interface SecretsCheck<Server extends ServerConfig = ServerConfig> {
  /** One `unresolved-secret` per unresolved value. */
  readonly issues: readonly ConfigIssue[];
  /** Servers with resolved values; unresolved references stay in `secrets`. */
  readonly servers: readonly Server[];
  readonly redactor: Redactor;
}

/**
 * Resolves the secret references of servers into `env` and `headers`, each reference once.
 *
 * @throws {ConfigError} `invalid-config`, with an issue for each unresolved value.
 */
export async function resolveSecrets<Server extends ServerConfig>(
  servers: readonly Server[],
  options?: SecretOptions,
): Promise<Omit<SecretsCheck<Server>, 'issues'>> {
  const { issues, ...resolved } = await checkSecrets(servers, options);
  if (issues.length > 0) throw invalidConfig(issues);
  return resolved;
}

/** Like `resolveSecrets`, but returns the issues. Rejects only with the reason of `signal`. */
export async function checkSecrets<Server extends ServerConfig>(
  servers: readonly Server[],
  options: SecretOptions = {},
): Promise<SecretsCheck<Server>> {
  refusePromise('servers', servers);
  if (!Array.isArray(servers)) throw new TypeError('servers must be a list, as config.servers is');
  const lookup = new ReferenceLookup(options);
  const issues: ConfigIssue[] = [];
  const filled: Server[] = [];
  // Sequential, because password managers prompt the user.
  for (const server of servers) {
    const values: Record<string, string> = {};
    const missing: SecretReference[] = [];
    for (const secret of server.secrets ?? []) {
      const found = await lookup.find(secret, server.transport === 'http' ? 'header' : 'variable');
      if ('value' in found) values[secret.key] = found.value;
      else {
        missing.push(secret);
        issues.push(unresolved(secret, server.name, found));
      }
    }
    filled.push(withValues(server, values, missing));
  }
  return { issues, servers: filled, redactor: (options.redactor ?? createRedactor()).with(lookup.values) };
}

function unresolved(secret: SecretReference, server: string, { reason, hint }: Unavailable): ConfigIssue {
  const message = printable(`The secret ${secret.key} of server ${quoted(server)} cannot be resolved: ${reason}`);
  const scheme = schemeOf(secret.reference) ?? '';
  return { code: 'unresolved-secret', severity: 'error', message, scheme, hint, path: secret.path, ...secret.source };
}

function withValues<Server extends ServerConfig>(
  server: Server,
  values: Readonly<Record<string, string>>,
  missing: readonly SecretReference[],
): Server {
  const section = server.transport === 'http' ? 'headers' : 'env';
  const found = Object.keys(values).map((key) => [section, key]);
  const marks = {
    secrets: missing.length === 0 ? undefined : missing,
    ...(found.length === 0 ? {} : { sensitive: [...(server.sensitive ?? []), ...found] }),
  };
  if (server.transport === 'http') return { ...server, headers: { ...server.headers, ...values }, ...marks };
  return { ...server, env: { ...server.env, ...values }, ...marks };
}
