import type { ContentBlock, TextContent, ToolCallResult } from '@x/internal/contracts';
import { isSameJson } from '@x/internal/json';

/** One part of a result, and its place in the text of the result. */
export interface ResultPart {
  /** `undefined`: the structured content. */
  readonly block: ContentBlock | undefined;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A result as one text: its parts, a line break between each two. Binary parts are a line about them. */
export interface ResultText {
  readonly text: string;
  readonly parts: readonly ResultPart[];
}

const known = new WeakMap<ToolCallResult, ResultText>();

/** The text of all content, and behind it a line of JSON for each part with further fields. The same object for the same result. */
export function textOfResult(result: ToolCallResult): ResultText {
  const text = known.get(result) ?? withFields(result);
  known.set(result, text);
  return text;
}

function withFields(result: ToolCallResult): ResultText {
  const { text, parts } = textOfContent(result);
  const lines = result.content.flatMap((block, index) => {
    const payload = payloadOf(block);
    return payload === undefined || isPlain(block)
      ? []
      : [`[Fields of part ${index + 1}: ${JSON.stringify(payload.fields)}]`];
  });
  const fields = fieldsOfResult(result);
  if (Object.keys(fields).length > 0) lines.push(`[Fields of the result: ${JSON.stringify(fields)}]`);
  return { text: [...(parts.length === 0 ? [] : [text]), ...lines].join('\n'), parts };
}

/** Fields of a result besides its content, `isError` and the usual `resultType`. */
export function fieldsOfResult(result: ToolCallResult): Fields {
  const { content: _content, structuredContent: _structured, isError: _isError, resultType, ...fields } = result;
  return resultType === undefined || resultType === 'complete' ? fields : { ...fields, resultType };
}

export function textOfContent({ content, structuredContent }: ToolCallResult): ResultText {
  const texts = content.map(textOfBlock);
  const blocks: (ContentBlock | undefined)[] = [...content];
  if (structuredContent !== undefined && !texts.some((text) => isJsonOf(text, structuredContent))) {
    texts.push(JSON.stringify(structuredContent));
    blocks.push(undefined);
  }
  let start = 0;
  const parts = texts.map((text, index) => {
    const part = { block: blocks[index], text, start, end: start + text.length };
    start = part.end + 1;
    return part;
  });
  return { text: texts.join('\n'), parts };
}

function textOfBlock(block: ContentBlock, index: number): string {
  const payload = payloadOf(block);
  if (payload === undefined) return JSON.stringify(block);
  if (payload.kind === 'text') return payload.value;
  const { kind, value, mimeType = 'binary data' } = payload;
  const way = kind === 'media' ? ` "part": ${index + 1} shows it` : ' in the resource';
  return `[${mimeType}, ${value.length} characters of base64:${way}]`;
}

export type Fields = Readonly<Record<string, unknown>>;

export interface Payload {
  readonly kind: 'text' | 'media' | 'blob';
  readonly value: string;
  readonly mimeType: string | undefined;
  /** The block without `value`. */
  readonly fields: Fields;
}

/** What makes a block large. `undefined` for links and unknown types. */
export function payloadOf(block: ContentBlock): Payload | undefined {
  if (block.type === 'text' && 'text' in block) {
    const { text, ...fields } = block;
    return { kind: 'text', value: String(text), mimeType: undefined, fields };
  }
  if ((block.type === 'image' || block.type === 'audio') && 'data' in block) {
    const { data, ...fields } = block;
    return { kind: 'media', value: String(data), mimeType: String(block.mimeType), fields };
  }
  if (block.type !== 'resource' || !('resource' in block)) return undefined;
  const { resource, ...outer } = block as Fields;
  const { text, blob, mimeType } = resource as Readonly<Record<string, string | undefined>>;
  const kind = typeof text === 'string' ? 'text' : 'blob';
  const value = kind === 'text' ? text : blob;
  if (typeof value !== 'string') return undefined;
  const { [kind]: _value, ...inner } = resource as Fields;
  return { kind, value, mimeType, fields: { ...outer, resource: inner } };
}

/** True for a text without further fields. */
export function isPlain(block: ContentBlock): block is TextContent {
  return block.type === 'text' && 'text' in block && Object.keys(block).length === 2;
}

function isJsonOf(text: string, value: unknown): boolean {
  const parsed = jsonIn(text);
  return parsed !== undefined && isSameJson(parsed, value);
}

/** An object or a list, as JSON. */
export function jsonIn(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a text that only begins like JSON
  }
}
