import type { ServerCapabilities } from '@modelcontextprotocol/server';
import type { ClientRequest, Era, Fields } from './client-request.js';

/** One method that clients may call. */
export interface MethodRow<Server> {
  /** Default: every revision has it. */
  readonly era?: Era;
  /** The capabilities that the method belongs to. Default: it needs none. */
  readonly offered?: (capabilities: ServerCapabilities) => boolean;
  /** Names the first fault of the params. Default: the handler checks them. */
  readonly fault?: (params: Fields, era: Era) => string | undefined;
  /** Whether a result may ask the client for input first, from revision 2026-07-28 on. */
  readonly asksForInput?: boolean;
  /** How long clients may keep a result that does not say so, from revision 2026-07-28 on. */
  readonly isCacheable?: boolean;
  /** Whether the handler may find out that there is no such method. */
  readonly isUnknown?: boolean;
  answer(server: Server, params: Fields, request: ClientRequest): Promise<Fields> | Fields;
}

export type MethodTable<Server> = Readonly<Record<string, MethodRow<Server>>>;

/** A client for whom a row is looked up. */
interface RowScope<Server> {
  readonly era: Era;
  readonly capabilities: ServerCapabilities;
  /** Answers methods without a row. */
  readonly otherwise: MethodRow<Server> | undefined;
}

/** The row that answers a method for one client; `undefined` if no row does. */
export function rowFor<Server>(
  method: string,
  scope: RowScope<Server>,
  ...tables: readonly MethodTable<Server>[]
): MethodRow<Server> | undefined {
  const row = tables.find((table) => Object.hasOwn(table, method))?.[method];
  if (row?.era !== undefined && row.era !== scope.era) return undefined;
  return row !== undefined && (row.offered?.(scope.capabilities) ?? true) ? row : scope.otherwise;
}
