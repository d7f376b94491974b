import type { FakeLife } from './fake-life.js';
import type { PlannedTool } from './resolve-script.js';
import { RpcFault } from './rpc-fault.js';

/** The result of `tools/list` for a cursor. */
export function toolPage(life: FakeLife, cursor: unknown): { tools: object[]; nextCursor?: string } {
  const { size = Math.max(life.tools.length, 1), cursor: habit = 'plain' } = life.plan.pages ?? {};
  const page = pageOf(cursor);
  if (life.failsPage(page)) throw new RpcFault({ code: -32_603, message: `Page ${page} is broken` });
  const tools = life.tools.slice((page - 1) * size, page * size).map(describe);
  const hasMore = page * size < life.tools.length;
  if (habit === 'repeated') return { tools, nextCursor: 'page-2' };
  if (!hasMore && habit !== 'endless') return { tools };
  return { tools, nextCursor: habit === 'empty-text' && page === 1 ? '' : `page-${page + 1}` };
}

function pageOf(cursor: unknown): number {
  if (cursor === undefined) return 1;
  if (cursor === '') return 2;
  const page = /^page-(\d+)$/.exec(String(cursor))?.[1];
  if (page === undefined) throw new RpcFault({ code: -32_602, message: `Invalid cursor: ${String(cursor)}` });
  return Number(page);
}

function describe({ answers: _, inputSchema = { type: 'object' }, ...tool }: PlannedTool): object {
  return { ...tool, inputSchema };
}
