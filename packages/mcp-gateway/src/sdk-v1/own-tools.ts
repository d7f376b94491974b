import { isRecord } from '@x/internal/json';
import type { ToolView } from '@x/internal/views';
import { pageOf, type ToolPage } from '../serving/tool-listing.js';
import {
  CALL,
  handlersOf,
  LIST,
  registeredNames,
  type V1Extra,
  type V1Handler,
  type V1McpServer,
  type V1Request,
  type V1Server,
} from './v1-server.js';

/** A server's own listing may be endless. */
const MAX_PAGES = 1_000;

interface OwnPage {
  readonly tools: readonly unknown[];
  readonly nextCursor: string | undefined;
}

export class OwnTools {
  readonly #list: V1Handler | undefined;
  readonly #call: V1Handler | undefined;
  readonly #registered: Readonly<Record<string, unknown>> | undefined;
  /** Names of the last complete listing. Used if the registered names cannot be read. */
  #listed: ReadonlySet<string> | undefined;
  #reading: ReadonlySet<string> = new Set();

  /** Must run before the mount sets its handlers. */
  constructor(server: V1Server, mcp: V1McpServer | undefined) {
    const handlers = handlersOf(server);
    this.#list = handlers.get(LIST);
    this.#call = handlers.get(CALL);
    // A handler set over that of the McpServer may know further names.
    const isPlain = this.#list !== undefined && !foreign.has(this.#list);
    if (mcp !== undefined && isPlain) this.#registered = registeredNames(mcp);
  }

  get handlers(): { readonly list: V1Handler | undefined; readonly call: V1Handler | undefined } {
    return { list: this.#list, call: this.#call };
  }

  /** Names that are known without a request to the server's own handler. */
  get knownNames(): readonly string[] {
    return Object.keys(this.#registered ?? {});
  }

  async page(cursor: string | undefined, extra: V1Extra): Promise<OwnPage> {
    if (this.#list === undefined) return { tools: [], nextCursor: undefined };
    const result = await this.#list({ method: LIST, params: cursor === undefined ? {} : { cursor } }, extra);
    const { tools, nextCursor } = isRecord(result) ? result : {};
    const page = Array.isArray(tools) ? tools : [];
    this.#reading = new Set([...(cursor === undefined ? [] : this.#reading), ...page.flatMap(nameOf)]);
    if (typeof nextCursor === 'string') return { tools: page, nextCursor };
    this.#listed = this.#reading;
    return { tools: page, nextCursor: undefined };
  }

  async names(extra: V1Extra): Promise<ReadonlySet<string>> {
    if (this.#registered !== undefined) return new Set(this.knownNames);
    if (this.#listed === undefined) await this.#readAll(extra);
    // Includes an incomplete listing: a client may have read only its first pages.
    return new Set([...(this.#listed ?? []), ...this.#reading]);
  }

  get mayKnowMore(): boolean {
    return this.#call !== undefined && this.#registered === undefined;
  }

  async call(request: V1Request, extra: V1Extra): Promise<unknown> {
    return this.#call?.(request, extra);
  }

  async #readAll(extra: V1Extra): Promise<void> {
    let cursor: string | undefined;
    for (let count = 0; count < MAX_PAGES; count++) {
      cursor = (await this.page(cursor, extra)).nextCursor;
      if (cursor === undefined) return;
    }
    this.#listed = this.#reading;
  }
}

const foreign = new WeakSet<V1Handler>();

export function markMounted(handler: V1Handler | undefined): void {
  if (handler !== undefined) foreign.add(handler);
}

function nameOf(tool: unknown): readonly string[] {
  return isRecord(tool) && typeof tool.name === 'string' ? [tool.name] : [];
}

interface MergedPage {
  readonly own: readonly unknown[];
  readonly mounted: readonly ToolView[];
  readonly nextCursor?: string;
}

/** Returns one page: the server's own tools first, then the mounted ones. A cursor is `own.…` or `mounted.…`. */
export async function mergedPage(
  own: OwnTools,
  list: () => Promise<readonly ToolView[]>,
  {
    cursor,
    pageSize,
    extra,
  }: { readonly cursor: string | undefined; readonly pageSize: number; readonly extra: V1Extra },
): Promise<MergedPage> {
  if (own.handlers.list === undefined) return mounted(pageOf(await list(), pageSize, cursor), []);
  const [, whose, rest = ''] = /^(own|mounted)\.(.*)$/s.exec(cursor ?? 'own.') ?? [];
  if (whose !== 'own')
    return mounted(pageOf(await list(), pageSize, whose === undefined ? cursor : rest), [], 'mounted.');

  const page = await own.page(cursor === undefined ? undefined : rest, extra);
  if (page.nextCursor !== undefined) return { own: page.tools, mounted: [], nextCursor: `own.${page.nextCursor}` };
  return mounted(pageOf(await list(), pageSize, undefined), page.tools, 'mounted.');
}

function mounted({ tools, nextCursor }: ToolPage, own: readonly unknown[], prefix = ''): MergedPage {
  return { own, mounted: tools, ...(nextCursor === undefined ? {} : { nextCursor: `${prefix}${nextCursor}` }) };
}
