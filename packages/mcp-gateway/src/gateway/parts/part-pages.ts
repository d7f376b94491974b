import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { isRecord, parseJson } from '@x/internal/json';
import type { VisiblePart } from './merge-parts.js';

/** Peers refuse messages over 10 MB. Only a single entry makes a larger page. */
const MAX_PAGE_LENGTH = 4 * 1024 * 1024;

export interface PartPage {
  readonly parts: readonly VisiblePart[];
  readonly nextCursor?: string;
}

/**
 * A cursor holds the last name of the previous page and its index: the list continues after that name, or at the index
 * if the name is gone.
 *
 * @throws {ProtocolError} -32602 for an unknown cursor.
 */
export function partPageOf(parts: readonly VisiblePart[], pageSize: number, cursor: string | undefined): PartPage {
  const start = cursor === undefined ? 0 : startOf(parts, cursor);
  let end = start;
  let length = 0;
  while (end < parts.length && end - start < pageSize) {
    length += JSON.stringify(parts[end]?.entry).length;
    if (length > MAX_PAGE_LENGTH && end > start) break;
    end++;
  }
  const page = parts.slice(start, end);
  const last = page.at(-1);
  if (last === undefined || end === parts.length) return { parts: page };
  return { parts: page, nextCursor: JSON.stringify({ after: last.name, at: end }) };
}

function startOf(parts: readonly VisiblePart[], cursor: string): number {
  const { after, at } = readCursor(cursor);
  const index = parts.findIndex(({ name }) => name === after);
  return index === -1 ? Math.min(at, parts.length) : index + 1;
}

function readCursor(cursor: string): { readonly after: string; readonly at: number } {
  const read = parseJson(cursor);
  if (isRecord(read) && typeof read.after === 'string' && Number.isSafeInteger(read.at) && Number(read.at) >= 0) {
    return { after: read.after, at: Number(read.at) };
  }
  const message = 'The cursor is none that this list has given; pass nextCursor as it came, or leave it out';
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}
