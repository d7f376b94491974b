import { type JSONRPCMessage, RELATED_TASK_META_KEY, type RequestId } from '@modelcontextprotocol/server';
import { isRecord } from '@x/internal/json';

type Fields = Readonly<Record<string, unknown>>;

interface MessageShape {
  readonly keys: ReadonlySet<string>;
  readonly fits: (message: Fields) => boolean;
}

const REQUEST: MessageShape = {
  keys: new Set(['jsonrpc', 'id', 'method', 'params']),
  fits: (message) => isRequestId(message.id) && hasMethod(message),
};
const NOTIFICATION: MessageShape = { keys: new Set(['jsonrpc', 'method', 'params']), fits: hasMethod };
const RESULT: MessageShape = {
  keys: new Set(['jsonrpc', 'id', 'result']),
  fits: ({ id, result }) => isRequestId(id) && isRecord(result) && isOptionalRecord(result._meta),
};
const ERROR: MessageShape = {
  keys: new Set(['jsonrpc', 'id', 'error']),
  fits: ({ id, error }) =>
    (id === undefined || isRequestId(id)) &&
    isRecord(error) &&
    Number.isSafeInteger(error.code) &&
    typeof error.message === 'string',
};

/** Returns `undefined` for a value that the protocol does not allow. */
export function readMessage(value: unknown): JSONRPCMessage | undefined {
  if (!isRecord(value) || value.jsonrpc !== '2.0') return undefined;
  const { keys, fits } = shapeOf(value);
  for (const key of Object.keys(value)) if (!keys.has(key)) return undefined;
  return fits(value) ? (value as unknown as JSONRPCMessage) : undefined;
}

function isRequestId(id: unknown): id is RequestId {
  return typeof id === 'string' || Number.isSafeInteger(id);
}

function shapeOf(value: Fields): MessageShape {
  if ('method' in value) return 'id' in value ? REQUEST : NOTIFICATION;
  return 'result' in value ? RESULT : ERROR;
}

function hasMethod({ method, params }: Fields): boolean {
  return typeof method === 'string' && (params === undefined || (isRecord(params) && isMeta(params._meta)));
}

function isMeta(meta: unknown): boolean {
  if (meta === undefined) return true;
  if (!isRecord(meta)) return false;
  const { progressToken: token, [RELATED_TASK_META_KEY]: task } = meta;
  return (
    (token === undefined || isRequestId(token)) &&
    (task === undefined || (isRecord(task) && typeof task.taskId === 'string'))
  );
}

function isOptionalRecord(value: unknown): boolean {
  return value === undefined || isRecord(value);
}
