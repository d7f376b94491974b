import { type FetchPage, type ListKind, listPages } from './list-pages.js';
import { isRecord } from './request-lane.js';
import type { ServerTool, ToolListing } from './session.js';

export type { FetchPage } from './list-pages.js';

/** Reads every page of `tools/list`; see `listPages` for the limits. */
export async function listTools(fetchPage: FetchPage, { signal }: { signal: AbortSignal }): Promise<ToolListing> {
  const { items: tools, completeness, problems } = await listPages(fetchPage, { kind: toolKind, signal });
  return { tools, completeness, problems };
}

const toolKind: ListKind<ServerTool> = {
  key: 'tools',
  isEntry: (value): value is ServerTool =>
    isRecord(value) && typeof value.name === 'string' && value.name !== '' && isRecord(value.inputSchema),
  nameOf: ({ name }) => name,
  invalid: 'an entry without a name or an object as input schema was left out',
};
