import type { GatewayListing, MissingList } from '../gateway-core.js';
import type { UpstreamEntry } from '../upstream.js';
import { type PartKind, partRules } from './part-kinds.js';
import { partPageOf } from './part-pages.js';

/** Key in `_meta` of a list: the servers with an incomplete list, each with a `reason` such as `timed-out`. */
const INCOMPLETE_META_KEY = 'mcp-registry/incomplete';

export function answerList(
  kind: PartKind,
  { parts, missing }: GatewayListing,
  { pageSize, cursor }: { readonly pageSize: number; readonly cursor: string | undefined },
): Readonly<Record<string, unknown>> {
  const { isEntry, rename } = partRules[kind];
  const { parts: page, ...next } = partPageOf(parts, pageSize, cursor);
  const entries = page.flatMap(({ entry, name }) => toEntry(rename(entry, name), { name, isEntry, kind }));
  return { [kind]: entries, ...next, ...incompleteMeta(missing) };
}

export function incompleteMeta(missing: readonly MissingList[]) {
  return missing.length > 0 ? { _meta: { [INCOMPLETE_META_KEY]: missing } } : {};
}

/** An invalid annotation would cost clients the whole list, so such an entry loses its optional fields. */
function toEntry(
  entry: UpstreamEntry,
  { name, isEntry, kind }: { name: string; isEntry: (entry: unknown) => boolean; kind: PartKind },
): readonly UpstreamEntry[] {
  if (isEntry(entry)) return [entry];
  const title = typeof entry.name === 'string' ? entry.name : name;
  const bare = { resources: { uri: name, name: title }, resourceTemplates: { uriTemplate: name, name: title } };
  return kind === 'prompts' ? [{ name }] : [bare[kind]];
}
