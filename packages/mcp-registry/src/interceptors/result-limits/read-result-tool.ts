import type { SourceTool, ToolArguments, ToolCallResult } from '@x/internal/contracts';
import { READ_RESULT_TOOL_NAME } from '@x/internal/names';
import { LateModule } from '../../late-module.js';
import { ownNote } from '../own-notes.js';
import { fieldTokens } from './result-fields.js';
import { payloadOf, type ResultText, textOfResult } from './result-text.js';
import { betweenCharacters, lengthWithin } from './token-estimate.js';

const searchCode = new LateModule(() => import('./find-in-text.js'));

/** Loads the code that a search in a long result otherwise loads. For programs whose files may be replaced. */
export async function preload(): Promise<void> {
  await searchCode.load();
}

export const READ_RESULT_TOOL: SourceTool = {
  name: READ_RESULT_TOOL_NAME,
  title: 'Read a long result',
  description:
    'Reads what was left out of a long result of another tool, page by page, or searches in it. ' +
    'Takes the "id" that the preview gives.',
  inputSchema: {
    type: 'object',
    properties: {
      id: { type: 'string', maxLength: 64, description: 'From the preview.' },
      offset: { type: 'integer', minimum: 0, default: 0, description: 'First character to read or to search.' },
      pattern: {
        type: 'string',
        minLength: 1,
        maxLength: 500,
        description: 'Searches with a regular expression (RE2, (?i) ignores case) in each line.',
      },
      part: { type: 'integer', minimum: 1, description: 'Shows the image or sound of this number.' },
    },
    required: ['id'],
    additionalProperties: false,
  },
  annotations: { readOnlyHint: true, idempotentHint: true, openWorldHint: false },
};

interface ReadRequest {
  readonly id: string;
  readonly offset: number;
  readonly pattern: string | undefined;
  readonly part: number | undefined;
}

export function readRequest({ id, offset = 0, pattern, part }: ToolArguments): ReadRequest {
  return {
    id: String(id),
    offset: Number(offset),
    pattern: pattern === undefined ? undefined : String(pattern),
    part: part === undefined ? undefined : Number(part),
  };
}

interface ReadOptions {
  readonly maxTokens: number;
  readonly signal: AbortSignal;
}

/** @throws {RegistryError} `invalid-pattern`. */
export async function readResult(
  result: ToolCallResult,
  request: ReadRequest,
  { maxTokens, signal }: ReadOptions,
): Promise<ToolCallResult> {
  const { offset, pattern, part } = request;
  if (part !== undefined) return partOf(result, part, maxTokens);
  const whole = textOfResult(result);
  if (offset > whole.text.length)
    return mistake(`"offset" is ${offset}, and the result has ${whole.text.length} characters`);
  const start = betweenCharacters(whole.text, offset);
  if (pattern === undefined) return pageAt(whole, start, { ...request, maxTokens });
  const { findInText } = await searchCode.load();
  const { excerpts, next, isOutOfTime } = await findInText(whole.text, pattern, { start, maxTokens, signal });
  const more =
    next === undefined ? 'No more matches.' : `Go on with ${callText({ id: request.id, offset: next, pattern })}.`;
  const ended = isOutOfTime === true ? 'The search took too long and stopped. ' : '';
  const found = excerpts.length === 0 ? [] : [{ type: 'text' as const, text: excerpts.join('\n') }];
  return {
    content: [
      ...found,
      ownNote(
        `${excerpts.length} ${excerpts.length === 1 ? 'line with its offset' : 'lines with their offsets'}. ${ended}${more}`,
      ),
    ],
  };
}

function pageAt(
  { text }: ResultText,
  start: number,
  { id, maxTokens }: { readonly id: string; readonly maxTokens: number },
): ToolCallResult {
  const end = Math.max(
    betweenCharacters(text, start + lengthWithin(text, start, maxTokens)),
    Math.min(text.length, start + 2), // one character at least
  );
  const place = `Characters ${start} to ${end} of ${text.length}.`;
  const more = end < text.length ? `Go on with ${callText({ id, offset: end })}.` : 'This is the end.';
  return { content: [{ type: 'text', text: text.slice(start, end) }, ownNote(`${place} ${more}`)] };
}

function callText(args: object): string {
  return `${READ_RESULT_TOOL_NAME} ${JSON.stringify(args)}`;
}

function partOf(result: ToolCallResult, part: number, maxTokens: number): ToolCallResult {
  const block = result.content[part - 1];
  if (block !== undefined && payloadOf(block)?.kind === 'media') {
    if (fieldTokens(block, maxTokens) <= maxTokens) return { content: [block] };
    return mistake(`Part ${part} has fields that are too long beside its data; the resource has it whole`);
  }
  const found = textOfResult(result).parts.find((each) => each.block !== undefined && each.block === block);
  if (found === undefined)
    return mistake(`The result has ${result.content.length} parts, and none with the number ${part}`);
  return mistake(`Part ${part} is no image and no sound; its text begins at "offset": ${found.start}`);
}

export function mistake(message: string): ToolCallResult {
  return { content: [ownNote(message)], isError: true };
}
