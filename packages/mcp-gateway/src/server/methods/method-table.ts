import type { ServerCapabilities } from '@modelcontextprotocol/server';
import type { ClientRequest, Era, Fields } from './client-request.js';

export interface MethodRow<Server> {
  /** Default: all revisions have the method. */
  readonly era?: Era;
  /** True if the capabilities include the method. Default: always. */
  readonly offered?: (capabilities: ServerCapabilities) => boolean;
  /** Describes the first fault of the params. Default: the handler checks them. */
  readonly fault?: (params: Fields, era: Era) => string | undefined;
  /** True if a result may ask the client for input, from revision 2026-07-28 on. */
  readonly asksForInput?: boolean;
  /** True if a result needs a cache lifetime, from revision 2026-07-28 on. */
  readonly isCacheable?: boolean;
  /** True if the handler may find that the method is unknown. */
  readonly isUnknown?: boolean;
  answer(server: Server, params: Fields, request: ClientRequest): Promise<Fields> | Fields;
}

export type MethodTable<Server> = Readonly<Record<string, MethodRow<Server>>>;

interface RowScope<Server> {
  readonly era: Era;
  readonly capabilities: ServerCapabilities;
  readonly otherwise: MethodRow<Server> | undefined;
}

export function rowFor<Server>(
  method: string,
  scope: RowScope<Server>,
  ...tables: readonly MethodTable<Server>[]
): MethodRow<Server> | undefined {
  const row = tables.find((table) => Object.hasOwn(table, method))?.[method];
  if (row?.era !== undefined && row.era !== scope.era) return undefined;
  return row !== undefined && (row.offered?.(scope.capabilities) ?? true) ? row : scope.otherwise;
}
