import { existsSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import { Document, isScalar, type Pair, type Scalar, type YAMLMap } from 'yaml';
import packageJson from '../../package.json' with { type: 'json' };
import { printableLine } from '../output/print.js';
import type { ServerEntry } from './host-entry.js';
import type { RemovedSecret } from './without-secrets.js';

interface ConfigParts {
  readonly servers: Readonly<Record<string, object>>;
  /** Source file of each imported server. */
  readonly origins?: Readonly<Record<string, string>>;
  readonly secrets?: readonly RemovedSecret[];
  /** URL or path of the JSON schema, for editors. */
  readonly schema: string;
}

export function configText({ servers, origins = {}, secrets = [], schema }: ConfigParts): string {
  const document = new Document({ mcp_servers: servers });
  const map = document.get('mcp_servers') as YAMLMap<Scalar<string>>;
  map.flow = false;
  for (const pair of map.items as Pair<Scalar<string>>[]) {
    const name = isScalar(pair.key) ? String(pair.key.value) : '';
    const comments = [
      ...(origins[name] === undefined ? [] : [` from ${printableLine(origins[name], 500)}`]),
      ...secrets
        .filter(({ server }) => server === name)
        .map(({ variable, place, input }) => {
          const why = input === undefined ? 'was inline there' : `the app asks for as "${printableLine(input, 100)}"`;
          return ` ${place}: set ${variable}, which ${why}`;
        }),
    ];
    if (comments.length > 0) pair.key.commentBefore = comments.join('\n');
  }
  const body = document.toString({ lineWidth: 0 });
  return `# yaml-language-server: $schema=${schema}\n${head}${body}${foot}`;
}

const head = `# MCP servers of this project. "mcpx validate" checks this file, "mcpx status" shows what runs.
# Values may be variables: \${NAME}, or \${NAME:-default}. Use them for secrets, or a reference:
#   env:
#     TOKEN: { secret_ref: "keychain:github/ada" }

`;

const foot = `
mcp_settings:
  auto_start_default: true # without it, servers start only by name
  # startup_timeout_seconds: 10
  # health_check_interval_seconds: 30
`;

/** A server that runs anywhere, for a first config. */
export const exampleServers: Readonly<Record<string, ServerEntry>> = {
  everything: { command: 'npx -y @modelcontextprotocol/server-everything' },
};

/** The schema of the installed package if there is one, so that versions match. */
export function schemaFor(directory: string): string {
  const inPackage = 'dist/schemas/mcp-servers.schema.json';
  const installed = join(directory, 'node_modules', '@x', 'mcp-config-schema', ...inPackage.split('/'));
  if (existsSync(installed)) return `./${relative(directory, installed).split(sep).join(posix.sep)}`;
  return `https://unpkg.com/@x/mcp-config-schema@${packageJson.version}/${inPackage}`;
}
