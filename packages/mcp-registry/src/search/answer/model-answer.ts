import type { ToolCallResult } from '@x/internal/contracts';
import { toPayloadResult } from '@x/internal/error-payloads';
import { briefParametersOf } from '@x/internal/json-schema';
import { escapeHidden, quote } from '@x/internal/text';
import type { SearchHit, SearchNeed, SearchResult, TOOL_DETAILS } from '../search-request.js';
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
  const { mode, total, returned, nextCursor, weak, hint, needs } = result;
  // Ranked matches end in tools that share one word: better words find more than a further page.
  const cursor = mode === 'list' || mode === 'regex' ? nextCursor : undefined;
  const facts = {
    total,
    returned,
    ...(cursor === undefined ? {} : { nextCursor: cursor }),
    ...(weak ? { weak } : {}),
    ...(needs === undefined ? {} : { needs }),
    ...(hint && { hint }),
  };
  if (detail === 'full') return toPayloadResult({ ...facts, tools: result.tools.map(withoutEvidence) });

  const tools = result.tools.map(detail === 'names' ? toNamedTool : toBriefTool);
  const lines = [
    ...tools.map(lineOf),
    ...(weak || needs === undefined ? [] : linesOfNeeds(needs, tools)),
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
  readonly needs?: readonly number[];
}

function toNamedTool({ name, needs }: SearchHit): BriefTool {
  return { name, ...(needs === undefined ? {} : { needs }) };
}

function toBriefTool(hit: SearchHit): BriefTool {
  const { title, description, inputSchema, annotations, state } = hit;
  const parameters = escapeHidden(briefParametersOf(inputSchema));
  const purpose = escapeHidden(firstSentence(description || title || ''));
  return {
    ...toNamedTool(hit),
    parameters,
    ...(purpose === '' ? {} : { description: purpose }),
    ...(annotations?.destructiveHint === true ? { destructive: true } : {}),
    ...(state === 'running' || state === 'degraded' ? {} : { state }),
  };
}

/** `mcp__git__log(path: string, limit?: integer): Shows commits. [destructive] [stopped]`. */
function lineOf({ name, parameters, description, destructive, state, needs }: BriefTool): string {
  const call = parameters === undefined ? name : `${name}(${parameters})`;
  const marks = [destructive && 'destructive', state, needs?.join()].flatMap((mark) => (mark ? [` [${mark}]`] : []));
  return `${call}${description === undefined ? '' : `: ${description}`}${marks.join('')}`;
}

/** `Serving: [1] "Read the sales data" [3] "save it as …"`. The hint names needs without a tool. */
function linesOfNeeds(needs: readonly SearchNeed[], tools: readonly BriefTool[]): readonly string[] {
  const served = new Set(tools.flatMap((tool) => tool.needs ?? []));
  const all = needs.map(({ text, weak }, at) => ({ text: quote(text), weak, number: at + 1 }));
  const here = all.flatMap(({ text, number }) => (served.has(number) ? [` [${number}] ${text}`] : []));
  const further = all.flatMap(({ text, weak, number }) => (weak || served.has(number) ? [] : [text]));
  return [
    ...(here.length === 0 ? [] : [`Serving:${here.join('')}`]),
    ...(further.length === 0 ? [] : [`Search by itself for ${further.join(', ')}.`]),
  ];
}

function withoutEvidence({ score: _, coverage: __, matched: ___, ...definition }: SearchHit): object {
  return definition;
}
