import type { ContentBlock, ToolCallResult } from '@x/internal/contracts';
import { ownNote } from '../own-notes.js';
import { outlineOf } from './json-outline.js';
import { FieldBudget, fieldTokens } from './result-fields.js';
import {
  type Fields,
  fieldsOfResult,
  isPlain,
  jsonIn,
  payloadOf,
  type ResultPart,
  type ResultText,
  textOfContent,
} from './result-text.js';
import { betweenCharacters, lengthWithin, lengthWithinAtEnd } from './token-estimate.js';

export interface PreviewOptions {
  readonly maxTokens: number;
  /** True if images and sounds stay in the result. */
  readonly keepsMedia: boolean;
}

export interface Preview {
  /** An outline of JSON, otherwise the beginning and the end. */
  readonly content: readonly ContentBlock[];
  /** Further fields of the result that stay. */
  readonly fields: Fields;
}

export function previewOf(result: ToolCallResult, { maxTokens, keepsMedia }: PreviewOptions): Preview {
  const whole = textOfContent(result);
  const most = maxTokens * FIELD_SHARE;
  const ofResult = new FieldBudget(most / 2);
  const fields = ofResult.select(fieldsOfResult(result));
  const spent = most / 2 - ofResult.left;
  const forBlocks = blockShare(result, most - spent);
  const forText = maxTokens - spent - forBlocks;
  const budget = new FieldBudget(forBlocks);
  const outlined = outlinedJson(result, whole, { maxTokens: forText, budget });
  if (outlined !== undefined) return { content: [outlined], fields };
  const shown = shownRanges(whole.text, forText);
  const blocks = whole.parts.flatMap((part) => shownBlocks(part, { ...shown, keepsMedia, budget }));
  return { content: joinPlain(blocks), fields };
}

const FIELD_SHARE = 0.2;

/** Tokens for what blocks have besides their texts. */
function blockShare({ content }: ToolCallResult, most: number): number {
  let tokens = 0;
  for (const block of content) {
    tokens += fieldTokens(block, most);
    if (tokens > most) return most;
  }
  return tokens;
}

/** If all text of the result is one JSON value. */
function outlinedJson(
  { content, structuredContent }: ToolCallResult,
  { parts, text }: ResultText,
  { maxTokens, budget }: { readonly maxTokens: number; readonly budget: FieldBudget },
): ContentBlock | undefined {
  const [only, ...others] = parts;
  if (only === undefined || others.length > 0) return undefined;
  const value = content.length === 0 ? structuredContent : jsonIn(text);
  if (typeof value !== 'object' || value === null) return undefined;
  const { block } = only;
  return {
    ...(block?.type === 'text' && budget.affords(block) ? block : {}),
    type: 'text',
    text: outlineOf(value, maxTokens),
  };
}

interface Shown {
  /** Exclusive. */
  readonly headEnd: number;
  readonly tailStart: number;
}

const HEAD_SHARE = 0.6;

function shownRanges(text: string, maxTokens: number): Shown {
  const head = lengthWithin(text, 0, maxTokens * HEAD_SHARE);
  const tail = text.length - lengthWithinAtEnd(text, maxTokens * (1 - HEAD_SHARE));
  if (head >= tail) return { headEnd: text.length, tailStart: text.length };
  const lastBreak = text.lastIndexOf('\n', head) + 1;
  const headEnd = lastBreak > head * 0.7 ? lastBreak : betweenCharacters(text, head);
  const firstBreak = text.indexOf('\n', tail) + 1;
  const isNear = firstBreak > 0 && firstBreak - tail < (text.length - tail) * 0.3;
  const tailStart = isNear ? firstBreak : betweenCharacters(text, tail + 1);
  return { headEnd, tailStart };
}

function shownBlocks(
  { block, text, start, end }: ResultPart,
  { headEnd, tailStart, keepsMedia, budget }: Shown & { readonly keepsMedia: boolean; readonly budget: FieldBudget },
): readonly ContentBlock[] {
  const payload = block && payloadOf(block);
  if (block !== undefined && payload?.kind === 'media' && keepsMedia && budget.affords(block)) return [block];
  const isWhole = end <= headEnd || start >= tailStart;
  const hasGap = start <= headEnd && end > headEnd && headEnd < tailStart;
  const gap = hasGap ? [`[… ${tailStart - headEnd} characters left out …]`] : [];
  const fields = block !== undefined && payload?.kind === 'text' && budget.affords(block) ? block : undefined;
  if (isWhole) return [...wholeBlocks(block, text, { kind: payload?.kind, fields }), ...gap.map(toText)];
  const head = text.slice(0, Math.max(0, headEnd - start));
  const tail = text.slice(Math.min(text.length, Math.max(0, tailStart - start)));
  const cut = [head, ...gap, tail].filter((piece) => piece !== '').join('\n');
  if (cut === '') return [];
  return [fields === undefined ? toText(cut) : withText(fields, cut)];
}

interface WholeParts {
  readonly kind: 'text' | 'media' | 'blob' | undefined;
  /** The block whose fields stay. */
  readonly fields: ContentBlock | undefined;
}

function wholeBlocks(
  block: ContentBlock | undefined,
  text: string,
  { kind, fields }: WholeParts,
): readonly ContentBlock[] {
  if (fields !== undefined && (text !== '' || !isPlain(fields))) return [withText(fields, text)];
  if (block !== undefined && kind === undefined) return [block];
  return text === '' ? [] : [toText(text)];
}

function toText(text: string): ContentBlock {
  return { type: 'text', text };
}

/** With the other fields of a block. */
function withText(block: ContentBlock, text: string): ContentBlock {
  if (block.type !== 'resource') return { ...block, type: 'text', text };
  return { ...block, type: 'resource', resource: { ...(block.resource as { readonly uri: string }), text } };
}

/** A block costs tokens by itself. */
function joinPlain(blocks: readonly ContentBlock[]): readonly ContentBlock[] {
  const joined: ContentBlock[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    if (last !== undefined && isPlain(last) && isPlain(block))
      joined[joined.length - 1] = toText(`${last.text}\n${block.text}`);
    else joined.push(block);
  }
  return joined;
}

export interface Notice {
  readonly length: number;
  /** `undefined`: the result was too long to be kept. */
  readonly id: string | undefined;
  readonly keepMs: number;
  readonly uri: string;
}

/** How to read on, for a model, and where the whole is, for a client. */
export function noticeBlocks({ length, id, keepMs, uri }: Notice): readonly ContentBlock[] {
  const start = `This is a preview of a result of ${length} characters.`;
  if (id === undefined)
    return [ownNote(`${start} The rest is not kept, because it is too long: ask the tool for less.`)];
  const minutes = Math.ceil(keepMs / 60_000);
  const note =
    `${start} read_mcp_result {"id":"${id}"} reads all of it page by page; with "offset" it reads from there, ` +
    `with "pattern" it searches. Kept for ${minutes} ${minutes === 1 ? 'minute' : 'minutes'}.`;
  return [ownNote(note), { type: 'resource_link', uri, name: `result ${id}`, title: 'The whole result' }];
}
