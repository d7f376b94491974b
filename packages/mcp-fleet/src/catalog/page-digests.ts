import { type Definition, defineTool, utf8Length } from './definition.js';
import type { ToolDigest, ToolDigests } from './records.js';

/** Tools per record or page, so that records stay small. */
const MAX_PAGE_TOOLS = 250;
const MAX_PAGE_BYTES = 64 * 1024;

interface DigestPages {
  readonly listed: ToolDigests;
  readonly pages: readonly Definition[];
}

/** @param maxBytes - Longest page. A pair is always shorter than its definition. */
export function pageDigests(digests: readonly ToolDigest[], maxBytes: number): DigestPages {
  const groups = groupsOf(digests, Math.min(MAX_PAGE_BYTES, maxBytes));
  if (groups.length <= 1) return { listed: digests, pages: [] };
  const pages = groups.map((group) => defineTool(group));
  return { listed: { pages: pages.map(({ digest }) => digest), count: digests.length }, pages };
}

function groupsOf(digests: readonly ToolDigest[], maxBytes: number): readonly (readonly ToolDigest[])[] {
  if (digests.length <= MAX_PAGE_TOOLS && longest(digests) <= maxBytes) return [digests];
  const groups: ToolDigest[][] = [];
  let group: ToolDigest[] = [];
  let bytes = 0;
  for (const pair of digests) {
    const size = utf8Length(JSON.stringify(pair)) + 1;
    if (group.length === MAX_PAGE_TOOLS || (group.length > 0 && bytes + size > maxBytes)) {
      groups.push(group);
      group = [];
      bytes = 0;
    }
    group.push(pair);
    bytes += size;
  }
  return group.length > 0 ? [...groups, group] : groups;
}

/** Upper bound of the JSON length: six bytes per escaped character. */
function longest(digests: readonly ToolDigest[]): number {
  return digests.reduce((bytes, [name]) => bytes + 6 * name.length + 32, 0);
}
