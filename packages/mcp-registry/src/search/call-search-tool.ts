import type { ToolArguments, ToolCallResult } from '@x/internal/contracts';
import { toErrorPayload, toPayloadResult } from '@x/internal/error-payloads';
import { SEARCH_TOOL_NAME } from '@x/internal/names';
import { quote } from '@x/internal/text';

import type { SearchRequest, SearchResult } from './search-request.js';
import { SEARCH_TOOL } from './search-tool.js';

/** Calls the search. Errors have their own payload, because an empty list would mean that no tools match. */
export async function callSearchTool(
  args: ToolArguments,
  search: (request: SearchRequest) => Promise<SearchResult>,
): Promise<ToolCallResult> {
  try {
    refuseUnknown(args);
    return toPayloadResult(await search({ query: '', ...withoutGaps(args) } as SearchRequest));
  } catch (error) {
    return toErrorPayload(error);
  }
}

const FIELDS = Object.keys(SEARCH_TOOL.definition.inputSchema.properties as object);

/** A misspelt option must not change the meaning of a search. */
function refuseUnknown(args: ToolArguments): void {
  const unknown = Object.keys(args).find((key) => !FIELDS.includes(key));
  if (unknown === undefined) return;
  throw new TypeError(`${SEARCH_TOOL_NAME} has no option ${quote(unknown)}; it takes ${FIELDS.join(', ')}`);
}

/** Models fill in values for options that they mean to omit. */
function withoutGaps(args: ToolArguments): ToolArguments {
  const isGap = ([key, value]: [string, unknown]) => value === null || (value === '' && key !== 'query');
  return Object.fromEntries(Object.entries(args).filter((entry) => !isGap(entry)));
}
