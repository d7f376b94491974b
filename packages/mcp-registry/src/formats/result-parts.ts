import type { ContentBlock, ToolCallResult } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';

/** Texts, and images where the API supports them. */
export type ResultPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly data: string; readonly mediaType: string };

/** Never empty, because APIs require content. */
export function resultParts({ content, structuredContent, isError }: ToolCallResult): readonly ResultPart[] {
  const parts = content.flatMap(partsOf);
  if (parts.length > 0) return parts;
  if (structuredContent !== undefined) return [text(JSON.stringify(structuredContent))];
  return [text(isError === true ? 'The tool failed and gave no reason' : 'The tool gave no output')];
}

/** For APIs that accept only text. */
export function resultText(result: ToolCallResult): string {
  return resultParts(result)
    .map((part) => (part.kind === 'text' ? part.text : leftOut('image', part.mediaType, part.data)))
    .join('\n');
}

function partsOf(block: ContentBlock): readonly ResultPart[] {
  const { type, data, mimeType } = block;
  if (type === 'text') return typeof block.text === 'string' && block.text !== '' ? [text(block.text)] : [];
  if (type === 'image' && typeof data === 'string' && typeof mimeType === 'string') {
    return [{ kind: 'image', data, mediaType: mimeType }];
  }
  if (type === 'resource' && isRecord(block.resource)) return [resourcePart(block.resource)];
  if (type === 'resource_link') return [text(linkText(block))];
  return [text(leftOut(type, mimeType, data))];
}

function resourcePart({ uri, text: content, blob, mimeType }: Readonly<Record<string, unknown>>): ResultPart {
  if (typeof content === 'string') return text(content);
  if (typeof blob === 'string' && typeof mimeType === 'string' && mimeType.startsWith('image/')) {
    return { kind: 'image', data: blob, mediaType: mimeType };
  }
  return text(`${leftOut('resource', mimeType, blob)} ${String(uri ?? '')}`.trim());
}

function linkText({ name, title, description, uri }: ContentBlock): string {
  const label = [title ?? name, description].filter((each) => typeof each === 'string' && each !== '').join(': ');
  return label === '' ? String(uri) : `${label} (${String(uri)})`;
}

export function leftOut(kind: string, mediaType: unknown, data: unknown): string {
  const size = typeof data === 'string' ? `, ${Math.ceil((data.length * 3) / 4)} bytes` : '';
  return `[${[kind, typeof mediaType === 'string' ? mediaType : undefined].filter(Boolean).join(' ')}${size}: cannot be shown here]`;
}

function text(value: string): ResultPart {
  return { kind: 'text', text: value };
}
