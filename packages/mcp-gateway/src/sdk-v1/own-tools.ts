import { isRecord } from '@x/internal/json';
import {
  handlersOf,
  registeredNames,
  type V1Extra,
  type V1Handler,
  type V1McpServer,
  type V1Request,
  type V1Server,
} from './v1-server.js';

export const LIST = 'tools/list';
export const CALL = 'tools/call';

/** A server's own listing may be endless. */
const MAX_PAGES = 1_000;

export interface OwnPage {
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

export function noteMounted(handler: V1Handler | undefined): void {
  if (handler !== undefined) foreign.add(handler);
}

function nameOf(tool: unknown): readonly string[] {
  return isRecord(tool) && typeof tool.name === 'string' ? [tool.name] : [];
}
