import type { ContentBlock, ToolCallResult } from '@x/internal/contracts';
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

/** The same object for the same result. */
export function textOfResult(result: ToolCallResult): ResultText {
  const text = known.get(result) ?? makeText(result);
  known.set(result, text);
  return text;
}

function makeText({ content, structuredContent }: ToolCallResult): ResultText {
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

export interface Payload {
  readonly kind: 'text' | 'media' | 'blob';
  readonly value: string;
  readonly mimeType: string | undefined;
}

/** What makes a block large. `undefined` for links and unknown types. */
export function payloadOf(block: ContentBlock): Payload | undefined {
  if (block.type === 'text' && 'text' in block) return { kind: 'text', value: String(block.text), mimeType: undefined };
  if ((block.type === 'image' || block.type === 'audio') && 'data' in block) {
    return { kind: 'media', value: String(block.data), mimeType: String(block.mimeType) };
  }
  if (block.type !== 'resource' || !('resource' in block)) return undefined;
  const { text, blob, mimeType } = block.resource as Readonly<Record<string, string | undefined>>;
  if (typeof text === 'string') return { kind: 'text', value: text, mimeType };
  return typeof blob === 'string' ? { kind: 'blob', value: blob, mimeType } : undefined;
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
