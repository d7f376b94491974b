import type { Config } from './config.js';
import type { ConfigFile } from './config-file.js';

/**
 * What is left of a configuration without the servers that have an error; `undefined` when an error is not about one
 * server alone. An error in rules is never left out: without the rule, more would be allowed than was meant.
 */
export function withoutFaultyServers(config: Config, files: readonly ConfigFile[]): Config | undefined {
  const faulty = new Set<string>();
  for (const { kind, source, section } of files) {
    for (const [first, name] of source.faultyEntries) {
      if (kind === 'tools' || first !== section || typeof name !== 'string') return undefined;
      faulty.add(identity(name, source.file));
    }
  }
  const servers = config.servers.filter(({ name, source }) => !faulty.has(identity(name, source.file)));
  return { ...config, servers };
}

function identity(server: string, file: string | undefined): string {
  return JSON.stringify([server, file]);
}
