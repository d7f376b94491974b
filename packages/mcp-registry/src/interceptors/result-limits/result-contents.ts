import type { ContentBlock, ToolCallResult } from '@x/internal/contracts';
import { fieldsOfResult, isPlain, payloadOf } from './result-text.js';

/** What a block has besides its text or data. */
const BLOCK_META_KEY = 'mcp-registry/block';

type Contents = Readonly<Record<string, unknown>>;

/** The whole result as contents of a resource: one for each block, for the structured content, and for further fields. */
export function contentsOf(result: ToolCallResult, uri: string): readonly Contents[] {
  const { content, structuredContent } = result;
  const fields = fieldsOfResult(result);
  const contents = content.map((block, index) => contentOf(block, `${uri}/${index + 1}`));
  if (structuredContent !== undefined)
    contents.push(jsonContent(`${uri}/structured`, structuredContent, 'structuredContent'));
  if (Object.keys(fields).length > 0) contents.push(jsonContent(`${uri}/fields`, fields, 'fields'));
  return contents;
}

function contentOf(block: ContentBlock, uri: string): Contents {
  const payload = payloadOf(block);
  if (payload === undefined) return jsonContent(uri, block);
  const { kind, value, mimeType = 'text/plain', fields } = payload;
  return {
    uri,
    mimeType,
    ...(kind === 'text' ? { text: value } : { blob: value }),
    ...(!isPlain(block) && { _meta: { [BLOCK_META_KEY]: fields } }),
  };
}

function jsonContent(uri: string, value: unknown, type?: string): Contents {
  const about = type === undefined ? {} : { type };
  return { uri, mimeType: 'application/json', text: JSON.stringify(value), _meta: { [BLOCK_META_KEY]: about } };
}
