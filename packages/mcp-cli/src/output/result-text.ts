import type { ContentBlock, ToolCallResult } from '@x/mcp-registry';
import { printable } from './printable.js';

/** A tool's result for a terminal: its texts as they are, everything else named by kind and size. */
export function resultText({ content, structuredContent }: ToolCallResult): string {
  if (content.length > 0) return content.map(blockText).join('\n');
  return structuredContent === undefined ? '(no content)' : printable(JSON.stringify(structuredContent, null, 2));
}

function blockText(block: ContentBlock): string {
  const { type, text, data, mimeType, uri, resource } = block;
  if (type === 'text' && typeof text === 'string') return printable(text);
  if (type === 'resource' && isRecord(resource) && typeof resource.text === 'string') return printable(resource.text);
  const facts = [
    ...(typeof mimeType === 'string' ? [mimeType] : []),
    ...(typeof data === 'string' ? [`${Math.floor((data.length * 3) / 4)} bytes`] : []),
    ...(typeof uri === 'string' ? [uri] : []),
  ];
  return printable(`[${[type, ...facts].join(', ')}]`);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
