import type { ContentBlock, ToolCallResult } from '@x/internal/contracts';
import { payloadOf } from './result-text.js';

/** What a block has besides its text or data. */
const BLOCK_META_KEY = 'mcp-registry/block';

type Contents = Readonly<Record<string, unknown>>;

/** The whole result as contents of a resource: one for each block, and one for the structured content. */
export function contentsOf({ content, structuredContent }: ToolCallResult, uri: string): readonly Contents[] {
  const contents = content.map((block, index) => contentOf(block, `${uri}/${index + 1}`));
  if (structuredContent === undefined) return contents;
  const structured = {
    uri: `${uri}/structured`,
    mimeType: 'application/json',
    text: JSON.stringify(structuredContent),
    _meta: { [BLOCK_META_KEY]: { type: 'structuredContent' } },
  };
  return [...contents, structured];
}

function contentOf(block: ContentBlock, uri: string): Contents {
  const payload = payloadOf(block);
  if (payload === undefined) {
    return { uri, mimeType: 'application/json', text: JSON.stringify(block), _meta: { [BLOCK_META_KEY]: {} } };
  }
  const { kind, value, mimeType = 'text/plain' } = payload;
  const rest = restOf(block);
  const isPlain = Object.keys(rest).length === 1;
  return {
    uri,
    mimeType,
    ...(kind === 'text' ? { text: value } : { blob: value }),
    ...(!isPlain && { _meta: { [BLOCK_META_KEY]: rest } }),
  };
}

function restOf(block: ContentBlock): Contents {
  const { text: _text, data: _data, resource, ...rest } = block as Contents;
  if (resource === undefined) return rest;
  const { text: _inner, blob: _blob, ...others } = resource as Contents;
  return { ...rest, resource: others };
}
