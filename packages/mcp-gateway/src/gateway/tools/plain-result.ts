import type { JsonSchema } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { PROTOCOL_PREFIX } from '../../server/requests/plain-call.js';
import { isWritable } from '../passing-on/writable.js';

type Fields = Readonly<Record<string, unknown>>;

const RESULT_KEYS: ReadonlySet<string> = new Set(['content', 'structuredContent', 'isError', '_meta']);

/**
 * Whether a tool's result is one beyond doubt, of which the protocol library would change nothing in any revision: texts,
 * an object as structured content, and nothing that is not known here.
 */
export function isPlainResult(result: Fields, outputSchema?: JsonSchema): boolean {
  for (const key of Object.keys(result)) if (!RESULT_KEYS.has(key)) return false;
  const { content, structuredContent, isError, _meta: meta } = result;
  if (!Array.isArray(content) || !content.every(isPlainBlock)) return false;
  if (isError !== undefined && typeof isError !== 'boolean') return false;
  if (structuredContent !== undefined && !isPlainObject(structuredContent, outputSchema)) return false;
  return meta === undefined || isPlainMeta(meta);
}

/** Of others, such as images, there is more to be seen to. */
function isPlainBlock(block: unknown): boolean {
  return isRecord(block) && block.type === 'text' && typeof block.text === 'string' && Object.keys(block).length === 2;
}

/** In earlier revisions, what is no object by its schema is put into one. */
function isPlainObject(value: unknown, schema: JsonSchema | undefined): boolean {
  return (
    isRecord(value) && !Array.isArray(value) && isWritable(value) && (schema === undefined || schema.type === 'object')
  );
}

function isPlainMeta(meta: unknown): boolean {
  if (!isRecord(meta) || !isWritable(meta)) return false;
  return Object.keys(meta).every((key) => key !== 'progressToken' && !key.startsWith(PROTOCOL_PREFIX));
}
