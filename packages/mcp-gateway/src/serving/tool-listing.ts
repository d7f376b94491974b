import type { JsonSchema } from '@x/internal/contracts';
import { digest } from '@x/internal/digests';
import { isSameJson } from '@x/internal/json';
import type { OptionRows } from '@x/internal/options';
import { peekTools, type ToolView } from '@x/internal/views';
import { GatewayError } from '../errors.js';
import type { RegistryView } from '../registry.js';

/** Options of paging. */
export interface PageOptions {
  /**
   * Maximum number of tools in one page of `tools/list`. Default 1000, since some clients read only the first page. A
   * page ends sooner at about 4 MB.
   */
  readonly pageSize?: number | undefined;
}

export const pageRows = {
  pageSize: { kind: 'number', of: 'tools', min: 1, default: 1_000 },
} as const satisfies OptionRows<PageOptions>;

/** Peers refuse messages over 10 MB. Only a single tool makes a larger page. */
const MAX_PAGE_LENGTH = 4 * 1024 * 1024;

export interface ToolPage {
  readonly tools: readonly ToolView[];
  readonly nextCursor?: string;
}

/**
 * Returns one page of a listing in the order of names. A cursor holds the last name of the previous page, so paging is
 * stateless, and lists every remaining tool exactly once while others change.
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

/** The digest catches mistakes. A forged name reveals no more than a listing without a cursor. */
function writeCursor(name: string): string {
  return `${digest(name)}.${name}`;
}

function readCursor(cursor: string): string {
  const name = cursor.slice(cursor.indexOf('.') + 1);
  if (name === '' || name.length > 64 || writeCursor(name) !== cursor) {
    throw new GatewayError(
      'invalid-cursor',
      'The cursor is not from this listing; pass nextCursor unchanged, or omit it to list from the start',
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

/** A tool as in `tools/list`. */
export type ListedTool = Omit<ToolView, 'server' | 'tool' | 'state' | 'keywords' | 'execution' | 'inputSchema'> & {
  readonly inputSchema: JsonSchema & { readonly type: 'object' };
};

/**
 * Converts tools for `tools/list`. Clients validate a listing as a whole, so a tool that `isTool` rejects is listed
 * without its optional parts. It can still be called.
 */
export function createToolLister(isTool: (tool: unknown) => boolean): (view: ToolView) => ListedTool {
  const known = new WeakMap<ToolView, ListedTool>();
  return (view) => {
    const tool = known.get(view) ?? makeTool(view, isTool);
    known.set(view, tool);
    return tool;
  };
}

function makeTool(view: ToolView, isTool: (tool: unknown) => boolean): ListedTool {
  const { name, title, description, inputSchema, outputSchema, annotations, icons, _meta } = view;
  const schema = { ...inputSchema, type: 'object' as const };
  const whole = present({ name, title, description, inputSchema: schema, outputSchema, annotations, icons, _meta });
  if (isTool(whole)) return whole;
  const bare = present({ name, title, description, inputSchema: schema });
  return isTool(bare) ? bare : { name, inputSchema: { type: 'object' } };
}

function present<Fields extends object>(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Fields;
}

/**
 * Calls `onChange` when the result of `tools/list` has changed. A server that starts or stops with the same tools
 * changes nothing.
 */
export function watchListing(view: RegistryView, onChange: () => void): Disposable {
  let listed = peekTools(view);
  return view.events.on('tools-changed', () => {
    const before = listed;
    listed = peekTools(view);
    if (!isSameListing(before, listed)) onChange();
  });
}

export function isSameListing(before: readonly ToolView[], after: readonly ToolView[]): boolean {
  return (
    before === after || (before.length === after.length && before.every((tool, index) => isSame(tool, after[index])))
  );
}

/** Unchanged views are the same object, so few pairs are compared. */
function isSame(before: ToolView, after: ToolView | undefined): boolean {
  return before === after || isSameJson(withoutState(before), withoutState(after));
}

function withoutState(tool: ToolView | undefined): Partial<ToolView> | undefined {
  if (tool === undefined) return undefined;
  const { state: _, ...rest } = tool;
  return rest;
}
