import { digest } from '@x/internal/digests';
import type { OptionRows } from '@x/internal/options';
import type { ToolView } from '@x/internal/views';
import { GatewayError } from '../errors.js';

/** Options of pages. */
export interface PageOptions {
  /**
   * Maximum number of tools in one result of `tools/list`. Default 1000: some clients read only the first page. A
   * result that would exceed some 4 MB ends sooner.
   */
  readonly pageSize?: number | undefined;
}

export const pageRows = {
  pageSize: { kind: 'number', of: 'tools', min: 1, default: 1_000 },
} as const satisfies OptionRows<PageOptions>;

/** Peers give up on messages of more than 10 MB; each page stays far below, unless a single tool does not. */
const MAX_PAGE_LENGTH = 4 * 1024 * 1024;

export interface ToolPage {
  readonly tools: readonly ToolView[];
  /** Absent on the last page. */
  readonly nextCursor?: string;
}

/**
 * One page of a listing. A cursor is the last name of the previous page, and the list is in the order of names: a
 * listing continues where it was, regardless of changes since, and every tool that stays is listed exactly once.
 * Stateless between two pages; clients are notified of changes as usual.
 *
 * @throws {GatewayError} `invalid-cursor` for an unknown cursor.
 */
export function pageOf(tools: readonly ToolView[], pageSize: number, cursor: string | undefined): ToolPage {
  const start = cursor === undefined ? 0 : firstAfter(tools, readCursor(cursor));
  let end = start;
  let length = 0;
  while (end < tools.length && end - start < pageSize) {
    length += lengthOf(tools[end]);
    if (length > MAX_PAGE_LENGTH && end > start) break;
    end++;
  }
  const page = tools.slice(start, end);
  const last = page.at(-1);
  return last === undefined || end === tools.length
    ? { tools: page }
    : { tools: page, nextCursor: writeCursor(last.name) };
}

function firstAfter(tools: readonly ToolView[], name: string): number {
  let [low, high] = [0, tools.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((tools[middle]?.name ?? '') <= name) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The check catches mistakes: with a forged name, clients see no more than without a cursor. */
function writeCursor(name: string): string {
  return `${digest(name)}.${name}`;
}

function readCursor(cursor: string): string {
  const name = cursor.slice(cursor.indexOf('.') + 1);
  if (name === '' || name.length > 64 || writeCursor(name) !== cursor) {
    throw new GatewayError(
      'invalid-cursor',
      'The cursor is none that this listing has given; pass nextCursor as it came, or leave it out to list from the start',
    );
  }
  return name;
}

const lengths = new WeakMap<ToolView, number>();

function lengthOf(tool: ToolView | undefined): number {
  if (tool === undefined) return 0;
  const known = lengths.get(tool) ?? JSON.stringify(tool).length;
  lengths.set(tool, known);
  return known;
}
