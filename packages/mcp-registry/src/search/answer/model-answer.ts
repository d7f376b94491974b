import type { ToolCallResult } from '@x/internal/contracts';
import { toPayloadResult } from '@x/internal/error-payloads';
import { briefParametersOf } from '@x/internal/json-schema';
import { escapeHidden } from '@x/internal/text';
import type { SearchHit, SearchResult, TOOL_DETAILS } from '../search-request.js';
import { firstSentence } from './first-sentence.js';

type ToolDetail = (typeof TOOL_DETAILS)[number];

/**
 * A result in few tokens. Hosts send the text or the structured content to the model, so each is complete: a tool's name
 * and parameters suffice for a call.
 *
 * @param result - With `detail: 'full'`.
 */
export function toModelAnswer(result: SearchResult, detail: ToolDetail): ToolCallResult {
  if (detail === 'evidence') return toPayloadResult(result);
  const { mode, total, returned, nextCursor, weak, hint } = result;
  // Ranked matches end in tools that share one word: better words find more than a further page.
  const cursor = mode === 'list' || mode === 'regex' ? nextCursor : undefined;
  const facts = {
    total,
    returned,
    ...(cursor === undefined ? {} : { nextCursor: cursor }),
    ...(weak ? { weak } : {}),
    ...(hint === undefined ? {} : { hint }),
  };
  if (detail === 'full') return toPayloadResult({ ...facts, tools: result.tools.map(withoutEvidence) });

  const tools = result.tools.map(detail === 'names' ? ({ name }) => ({ name }) : toBriefTool);
  const lines = [
    ...tools.map(lineOf),
    ...(cursor === undefined ? [] : [`…+${total - returned} more, cursor ${cursor}`]),
    ...(hint === undefined ? [] : [hint]),
  ];
  const text = lines.map(escapeHidden).join('\n');
  return { content: [{ type: 'text', text }], structuredContent: { ...facts, tools } };
}

interface BriefTool {
  readonly name: string;
  readonly parameters?: string;
  readonly description?: string;
  readonly destructive?: true;
  readonly state?: string;
}

function toBriefTool({ name, title, description, inputSchema, annotations, state }: SearchHit): BriefTool {
  const parameters = escapeHidden(briefParametersOf(inputSchema));
  const purpose = escapeHidden(firstSentence(description || title || ''));
  return {
    name,
    parameters,
    ...(purpose === '' ? {} : { description: purpose }),
    ...(annotations?.destructiveHint === true ? { destructive: true } : {}),
    ...(state === 'running' || state === 'degraded' ? {} : { state }),
  };
}

/** `mcp__git__log(path: string, limit?: integer): Shows commits. [destructive] [stopped]`. */
function lineOf({ name, parameters, description, destructive, state }: BriefTool): string {
  const call = parameters === undefined ? name : `${name}(${parameters})`;
  const marks = [destructive && 'destructive', state].flatMap((mark) => (mark ? [` [${mark}]`] : []));
  return `${call}${description === undefined ? '' : `: ${description}`}${marks.join('')}`;
}

function withoutEvidence({ score: _, coverage: __, matched: ___, ...definition }: SearchHit): object {
  return definition;
}
