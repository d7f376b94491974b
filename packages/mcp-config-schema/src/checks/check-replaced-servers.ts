import { quoted } from '@x/internal/text';
import type { ConfigFile } from '../config-file.js';

/**
 * Warns about servers that replace a server of the user: rules about the name then apply to another program.
 *
 * @param files - Strongest layer first.
 */
export function checkReplacedServers(files: readonly ConfigFile[]): void {
  const users = new Map(
    files.flatMap((file) =>
      file.layer === 'user' && file.kind !== 'tools'
        ? file.source.keys([file.section]).map((name) => [name, file] as const)
        : [],
    ),
  );
  if (users.size === 0) return;
  for (const { kind, layer, source, section } of files) {
    if (layer === 'user' || kind === 'tools') continue;
    for (const name of source.keys([section])) {
      const user = users.get(name);
      if (user === undefined) continue;
      const replaced = user.source.position([user.section, name], { part: 'key' });
      const message = `Server ${quoted(name)} replaces the user's server of the same name in ${replaced.file ?? 'another text'}, line ${replaced.line}`;
      const hint = "rename this one if it is another server, or remove it to use the user's server";
      const fault = { code: 'replaced-server', severity: 'warning', message, hint, server: name, replaced } as const;
      source.report(fault, [section, name], { part: 'key' });
    }
  }
}
