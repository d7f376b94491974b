import type { GatewayListing, MissingList } from '../gateway-core.js';
import type { UpstreamEntry } from '../upstream.js';
import { type PartKind, partRules } from './part-kinds.js';
import { partPageOf } from './part-pages.js';

/** In `_meta` of a list: the servers whose part is incomplete, each with a `reason`, such as `timed-out`. */
const INCOMPLETE_META_KEY = 'mcp-registry/incomplete';

/** One page of a list in the protocol's form. */
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

/** The list's note about those servers; empty if there are none. */
export function incompleteMeta(missing: readonly MissingList[]) {
  return missing.length > 0 ? { _meta: { [INCOMPLETE_META_KEY]: missing } } : {};
}

/**
 * One entry with an invalid annotation would cost clients the whole list, so it is shown without its optional parts.
 */
function toEntry(
  entry: UpstreamEntry,
  { name, isEntry, kind }: { name: string; isEntry: (entry: unknown) => boolean; kind: PartKind },
): readonly UpstreamEntry[] {
  if (isEntry(entry)) return [entry];
  const title = typeof entry.name === 'string' ? entry.name : name;
  const bare = { resources: { uri: name, name: title }, resourceTemplates: { uriTemplate: name, name: title } };
  return kind === 'prompts' ? [{ name }] : [bare[kind]];
}
