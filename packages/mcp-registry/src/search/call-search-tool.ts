import type { ToolArguments, ToolCallResult } from '@x/internal/contracts';
import { toErrorPayload } from '@x/internal/error-payloads';
import { SEARCH_TOOL_NAME } from '@x/internal/names';
import { quote } from '@x/internal/text';

import { toModelAnswer } from './answer/model-answer.js';
import { type SearchRequest, type SearchResult, TOOL_DETAILS, TOOL_LIMIT } from './search-request.js';
import { SEARCH_TOOL } from './search-tool.js';

/**
 * Calls the search. Errors have their own payload, because an empty list would mean that no tools match.
 *
 * @param search - Searches by `request`, and records `asked`.
 */
export async function callSearchTool(
  args: ToolArguments,
  search: (request: SearchRequest, asked: ToolArguments) => Promise<SearchResult>,
): Promise<ToolCallResult> {
  try {
    refuseUnknown(args);
    const asked = withoutGaps(args);
    const detail = detailOf(asked);
    const limit = detail === 'full' ? 1 : TOOL_LIMIT;
    const request = { query: '', limit, ...asked, detail: detail === 'evidence' ? 'summary' : 'full' };
    return toModelAnswer(await search(request as SearchRequest, asked), detail);
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

function detailOf({ detail = 'summary' }: ToolArguments): (typeof TOOL_DETAILS)[number] {
  const known = TOOL_DETAILS.find((word) => word === detail);
  if (known !== undefined) return known;
  throw new TypeError(`detail must be one of ${TOOL_DETAILS.join(', ')}, got ${quote(String(detail))}`);
}

/** Models fill in values for options that they mean to omit. */
function withoutGaps(args: ToolArguments): ToolArguments {
  const isGap = ([key, value]: [string, unknown]) => value === null || (value === '' && key !== 'query');
  return Object.fromEntries(Object.entries(args).filter((entry) => !isGap(entry)));
}
