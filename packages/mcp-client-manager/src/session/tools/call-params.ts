import { isRecord } from '@x/internal/json';

type Params = Readonly<Record<string, unknown>>;

interface CallParams {
  readonly tool: string;
  readonly args: Params;
  readonly meta: Params | undefined;
  readonly others: Params | undefined;
}

/** @throws {TypeError} The params are invalid. */
export function readCallParams({ name, arguments: args = {}, _meta: meta, ...others }: Params): CallParams {
  if (typeof name !== 'string') throw new TypeError('params.name of "tools/call" must be the name of a tool');
  if (!isRecord(args)) throw new TypeError(`params.arguments of the call of "${name}" must be an object`);
  if (meta !== undefined && !isRecord(meta))
    throw new TypeError(`params._meta of the call of "${name}" must be an object`);
  return { tool: name, args, meta, others: Object.keys(others).length > 0 ? others : undefined };
}
