import type { ContentBlock, ResourceContents, ResourceLink, ToolCallResult } from '@x/internal/contracts';
import type { OptionRows } from '@x/internal/options';
import { wellFormed } from './well-formed.js';

/** Texts, and media that the API accepts; `data` is base64. */
export type ResultPart =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image'; readonly data: string; readonly mediaType: string }
  | { readonly kind: 'document'; readonly data: string; readonly mediaType: string; readonly name: string };

/** Options of formats whose models differ in what they accept. */
export interface MediaOptions {
  /**
   * Keeps images and PDF documents in results. `false` for models that accept only text: media are then mentioned, with
   * type and size. Default `true`.
   */
  readonly media?: boolean | undefined;
}

export const mediaRows = { media: { kind: 'flag', default: true } } as const satisfies OptionRows<MediaOptions>;

/** Media types that an API accepts in results. */
export type Accepted = readonly string[];
export const IMAGES = ['image/jpeg', 'image/png', 'image/gif', 'image/webp'] as const;
export const PDF = 'application/pdf';
export const MEDIA = [...IMAGES, PDF];
export const TEXT_ONLY: Accepted = [];

/** Never empty, because APIs require content. Other media are mentioned. */
export function resultParts(
  { content, structuredContent, isError }: ToolCallResult,
  accepted: Accepted,
): readonly ResultPart[] {
  const parts = content.flatMap((block) => partsOf(block, accepted));
  if (parts.length > 0) return parts;
  if (structuredContent !== undefined) return [text(JSON.stringify(structuredContent))];
  return [text(isError === true ? 'The tool failed and gave no reason' : 'The tool gave no output')];
}

export function resultText(result: ToolCallResult): string {
  return textOf(resultParts(result, TEXT_ONLY));
}

export function isText(parts: readonly ResultPart[]): boolean {
  return parts.every(({ kind }) => kind === 'text');
}

export function textOf(parts: readonly ResultPart[]): string {
  return parts.flatMap((part) => (part.kind === 'text' ? part.text : [])).join('\n');
}

/** One text, or the parts in the form of an API. */
export function textOr<Part>(parts: readonly ResultPart[], toPart: (part: ResultPart) => Part): string | Part[] {
  return isText(parts) ? textOf(parts) : parts.map(toPart);
}

/** For APIs without a field for failures. */
export function markedParts(result: ToolCallResult, accepted: Accepted): readonly ResultPart[] {
  const parts = resultParts(result, accepted);
  if (result.isError !== true) return parts;
  return isText(parts) ? [text(`Error: ${textOf(parts)}`)] : [text('Error:'), ...parts];
}

export function dataUrl({ mediaType, data }: { readonly mediaType: string; readonly data: string }): string {
  return `data:${mediaType};base64,${data}`;
}

function partsOf(block: ContentBlock, accepted: Accepted): readonly ResultPart[] {
  switch (block.type) {
    case 'text':
      return block.text === '' ? [] : [text(block.text)];
    case 'resource':
      return [resourcePart(block.resource, accepted)];
    case 'resource_link':
      return [text(linkText(block))];
    case 'image':
    case 'audio':
      return [mediaPart(block.data, block.mimeType, accepted) ?? text(leftOut(block.type, block.mimeType, block.data))];
    default:
      return [text(leftOut(block.type, block.mimeType, block.data))];
  }
}

function resourcePart({ uri, text: content, blob, mimeType }: ResourceContents, accepted: Accepted): ResultPart {
  if (typeof content === 'string') return text(content);
  return mediaPart(blob, mimeType, accepted, uri) ?? text(`${leftOut('resource', mimeType, blob)} ${uri}`);
}

/** A source of the app may give fields of other types. */
function mediaPart(data: unknown, mediaType: unknown, accepted: Accepted, uri = ''): ResultPart | undefined {
  if (typeof data !== 'string' || typeof mediaType !== 'string' || !accepted.includes(mediaType)) return undefined;
  return mediaType === PDF
    ? { kind: 'document', data, mediaType, name: fileName(uri) }
    : { kind: 'image', data, mediaType };
}

/** APIs recognize documents by their extension. */
function fileName(uri: string): string {
  const [name = ''] = uri.match(/[^/?#]*(?=[?#]|$)/) ?? [];
  return name.toLowerCase().endsWith('.pdf') ? name : 'document.pdf';
}

function linkText({ name, title, description, uri }: ResourceLink): string {
  const label = [title ?? name, description].filter(Boolean).join(': ');
  return label === '' ? uri : `${label} (${uri})`;
}

function leftOut(kind: string, mediaType: unknown, data: unknown): string {
  const size = typeof data === 'string' ? `, ${Math.ceil((data.length * 3) / 4)} bytes` : '';
  return `[${[kind, typeof mediaType === 'string' ? mediaType : undefined].filter(Boolean).join(' ')}${size}: cannot be shown here]`;
}

function text(value: string): ResultPart {
  return { kind: 'text', text: wellFormed(value) };
}
