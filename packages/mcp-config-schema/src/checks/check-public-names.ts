import { SOURCE_PREFIX, serverLabel } from '@x/internal/names';
import { quoted } from '@x/internal/text';
import type { SourcePosition } from '../config.js';
import type { ConfigFile } from '../config-file.js';

/** Warns about servers whose public names begin alike. A digest at the end keeps them unique. */
export function checkPublicNames(files: readonly ConfigFile[]): void {
  const byLabel = new Map<string, PlacedServer>();
  const byBeginning = new Map<string, PlacedServer>();
  for (const { kind, source, section } of files) {
    for (const server of kind === 'tools' ? [] : source.keys([section])) {
      if (server.length > 128) continue; // an invalid name, reported elsewhere
      const path = [section, server];
      const label = serverLabel(server);
      const beginnings = beginningsOf(label);
      const [earlier = byBeginning.get(label)] = [label, ...beginnings].flatMap((text) => byLabel.get(text) ?? []);
      const own = { server, place: source.position(path, { part: 'key' }) };
      if (!byLabel.has(label)) byLabel.set(label, own);
      for (const beginning of beginnings) if (!byBeginning.has(beginning)) byBeginning.set(beginning, own);
      if (earlier === undefined || earlier.server === server) continue;
      const [shared] = [label, serverLabel(earlier.server)].toSorted((one, other) => one.length - other.length);
      const message = `Tools of ${quoted(server)} and of ${quoted(earlier.server)} can get names that begin with ${SOURCE_PREFIX}${shared}__`;
      const hint = 'rename one of the two, best with letters, digits, "_" and "-" alone';
      const fault = { code: 'colliding-names', severity: 'warning', message, server, hint } as const;
      source.report({ ...fault, first: earlier.place }, path, { part: 'key' });
    }
  }
}

interface PlacedServer {
  readonly server: string;
  readonly place: SourcePosition;
}

/** Shorter labels that the name can be read as: `a__b` is also the tool `b` of a server `a`. */
function beginningsOf(label: string): readonly string[] {
  return Array.from(label.matchAll(/(?=__)/g), ({ index }) => label.slice(0, index));
}
