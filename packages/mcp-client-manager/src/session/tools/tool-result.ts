import { isRecord } from '@x/internal/json';
import { ManagerError } from '../../errors.js';
import type { ToolCallResult } from '../session.js';

/** Required text fields by block type. Unknown types pass. */
const textFields: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: ['data', 'mimeType'],
  audio: ['data', 'mimeType'],
  resource_link: ['uri', 'name'],
};

/**
 * A missing `content` becomes an empty array.
 * @throws {ManagerError} `server-error`
 */
export function readToolResult(result: unknown, { server, tool }: { server: string; tool: string }): ToolCallResult {
  if (!isRecord(result)) throw invalidResult({ server, tool });
  const { content } = result;
  if (content === undefined) return { content: [], ...result };
  if (Array.isArray(content) && content.every(isBlock) && hasKnownFlags(result)) return result as ToolCallResult;
  throw invalidResult({ server, tool });
}

function invalidResult({ server, tool }: { server: string; tool: string }): ManagerError {
  const message = `Server "${server}" failed the call of "${tool}": its result is invalid.`;
  return new ManagerError('server-error', message, { server });
}

function hasKnownFlags({ isError, _meta }: Readonly<Record<string, unknown>>): boolean {
  return (isError === undefined || typeof isError === 'boolean') && (_meta === undefined || isRecord(_meta));
}

function isBlock(block: unknown): boolean {
  if (!isRecord(block) || typeof block.type !== 'string') return false;
  if (block.type === 'resource') return isRecord(block.resource) && typeof block.resource.uri === 'string';
  const fields = Object.hasOwn(textFields, block.type) ? textFields[block.type] : undefined;
  return fields === undefined || fields.every((field) => typeof block[field] === 'string');
}
