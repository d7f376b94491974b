import { isRecord } from '@x/internal/json';
import type { ContentBlock, ToolCallResult } from '@x/mcp-registry';
import { printable } from './printable.js';
import type { SavedContent } from './saved-content.js';

/** Content that is no text appears by type and size, with the file that holds it. */
export function resultText({ content, structuredContent }: ToolCallResult, saved: SavedContent = new Map()): string {
  if (content.length > 0) return contentText(content, saved);
  return structuredContent === undefined ? '(no content)' : printable(JSON.stringify(structuredContent, null, 2));
}

export function contentText(content: readonly ContentBlock[], saved: SavedContent = new Map()): string {
  return content.map((block) => blockText(block, saved.get(block))).join('\n');
}

function blockText(block: ContentBlock, file: string | undefined): string {
  const { type, text, data, mimeType, uri, resource } = block;
  if (type === 'text' && typeof text === 'string') return printable(text);
  const inner = isRecord(resource) ? resource : {};
  if (type === 'resource' && typeof inner.text === 'string') return printable(inner.text);
  const base64 = typeof data === 'string' ? data : inner.blob;
  const facts = [
    mimeType ?? inner.mimeType,
    typeof base64 === 'string' ? sizeText(base64) : undefined,
    uri ?? inner.uri,
  ];
  const summary = [type, ...facts.filter((fact) => typeof fact === 'string')].join(', ');
  return printable(`[${summary}]${file === undefined ? '' : ` saved as ${file}`}`).replaceAll('\n', ' ');
}

function sizeText(base64: string): string {
  return `${Buffer.byteLength(base64, 'base64')} bytes`;
}
