import { isRecord } from '@x/internal/json';

type Params = Readonly<Record<string, unknown>>;

/** What the `params` of a `tools/call` request say. */
export interface CallParams {
  readonly tool: string;
  readonly args: Params;
  readonly meta: Params | undefined;
  /** Whatever else; `undefined` if there is nothing. */
  readonly others: Params | undefined;
}

/** @throws {TypeError} They are not those of a call. */
export function readCallParams({ name, arguments: args = {}, _meta: meta, ...others }: Params): CallParams {
  if (typeof name !== 'string') throw new TypeError('"tools/call" needs the name of a tool in params.name');
  if (!isRecord(args)) throw new TypeError(`params.arguments of the call of "${name}" must be an object`);
  if (meta !== undefined && !isRecord(meta))
    throw new TypeError(`params._meta of the call of "${name}" must be an object`);
  return { tool: name, args, meta, others: Object.keys(others).length > 0 ? others : undefined };
}
