import type { ServerCapabilities } from '@modelcontextprotocol/server';
import type { ClientRequest, Era, Fields } from './client-request.js';

/** One method that clients may call. */
export interface MethodRow<Server> {
  /** Default: every revision has it. */
  readonly era?: Era;
  /** The capabilities of the method. Default: it needs none. */
  readonly offered?: (capabilities: ServerCapabilities) => boolean;
  /** Describes the first fault of the params. Default: the handler checks them. */
  readonly fault?: (params: Fields, era: Era) => string | undefined;
  /** True if a result may ask the client for input first, from revision 2026-07-28 on. */
  readonly asksForInput?: boolean;
  /** Cache lifetime of a result without its own, from revision 2026-07-28 on. */
  readonly isCacheable?: boolean;
  /** True if the handler may find that the method is unknown. */
  readonly isUnknown?: boolean;
  answer(server: Server, params: Fields, request: ClientRequest): Promise<Fields> | Fields;
}

export type MethodTable<Server> = Readonly<Record<string, MethodRow<Server>>>;

/** A client for which a row is looked up. */
interface RowScope<Server> {
  readonly era: Era;
  readonly capabilities: ServerCapabilities;
  /** Handles methods without a row. */
  readonly otherwise: MethodRow<Server> | undefined;
}

/** The row of a method for one client; `undefined` if there is none. */
export function rowFor<Server>(
  method: string,
  scope: RowScope<Server>,
  ...tables: readonly MethodTable<Server>[]
): MethodRow<Server> | undefined {
  const row = tables.find((table) => Object.hasOwn(table, method))?.[method];
  if (row?.era !== undefined && row.era !== scope.era) return undefined;
  return row !== undefined && (row.offered?.(scope.capabilities) ?? true) ? row : scope.otherwise;
}
