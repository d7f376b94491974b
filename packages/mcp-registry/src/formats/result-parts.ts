import type { ContentBlock, ResourceContents, ResourceLink, ToolCallResult } from '@x/internal/contracts';

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
  switch (block.type) {
    case 'text':
      return block.text === '' ? [] : [text(block.text)];
    case 'image':
      return [{ kind: 'image', data: block.data, mediaType: block.mimeType }];
    case 'resource':
      return [resourcePart(block.resource)];
    case 'resource_link':
      return [text(linkText(block))];
    default:
      return [text(leftOut(block.type, block.mimeType, block.data))];
  }
}

function resourcePart({ uri, text: content, blob, mimeType }: ResourceContents): ResultPart {
  if (content !== undefined) return text(content);
  if (blob !== undefined && mimeType?.startsWith('image/')) return { kind: 'image', data: blob, mediaType: mimeType };
  return text(`${leftOut('resource', mimeType, blob)} ${uri}`);
}

function linkText({ name, title = name, description = '', uri }: ResourceLink): string {
  const label = [title, description].filter((each) => each !== '').join(': ');
  return label === '' ? uri : `${label} (${uri})`;
}

export function leftOut(kind: string, mediaType: unknown, data: unknown): string {
  const size = typeof data === 'string' ? `, ${Math.ceil((data.length * 3) / 4)} bytes` : '';
  return `[${[kind, typeof mediaType === 'string' ? mediaType : undefined].filter(Boolean).join(' ')}${size}: cannot be shown here]`;
}

function text(value: string): ResultPart {
  return { kind: 'text', text: value };
}
