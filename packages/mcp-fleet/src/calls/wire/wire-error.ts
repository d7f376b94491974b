import type { RpcError } from '@x/internal/contracts';
import { isRecord, parseJson } from '@x/internal/json';
import { FleetError, type FleetErrorCode, isFleetError } from '../../errors.js';

/** Error that the owner sends: its own, or one that the source threw. Stacks never cross the bus. */
export type WireError =
  | { readonly fleet: OwnersCode; readonly message: string; readonly retryable?: boolean | undefined }
  | { readonly source: SourceFailure };

interface SourceFailure {
  readonly name: string;
  readonly message: string;
  readonly code?: string | number | undefined;
  readonly retryable?: boolean | undefined;
  readonly rpc?: RpcError | undefined;
}

/** Codes that an owner may send; the caller's side determines the others. */
const ownersCodes = [
  'busy',
  'cancelled',
  'node-unreachable',
  'invalid-message',
  'message-too-large',
  'refused',
  'result-too-large',
  'timed-out',
  'unknown-server',
  'unknown-tool',
] as const satisfies readonly FleetErrorCode[];

type OwnersCode = (typeof ownersCodes)[number];

const MAX_MESSAGE_LENGTH = 16_384;
const MAX_NAME_LENGTH = 256;
const SILENT = 'The error has no message';

/** Describes any thrown value, even one whose properties throw. */
export function failureOf(thrown: unknown): SourceFailure {
  try {
    return readFailure(thrown);
  } catch {
    return { name: 'Error', message: SILENT };
  }
}

function readFailure(thrown: unknown): SourceFailure {
  if (!isRecord(thrown)) return { name: 'Error', message: shortened(String(thrown)) };
  const { name, message, code, retryable } = thrown;
  return {
    name: typeof name === 'string' ? name.slice(0, MAX_NAME_LENGTH) : 'Error',
    message: shortened(typeof message === 'string' ? message : SILENT),
    code: readCode(code),
    retryable: typeof retryable === 'boolean' ? retryable : undefined,
    rpc: readRpc(isRecord(thrown.rpc) ? thrown.rpc : thrown),
  };
}

export function ownersError(error: unknown): WireError {
  const code = isFleetError(error) ? ownersCodes.find((known) => known === error.code) : undefined;
  if (!isFleetError(error) || code === undefined) return { source: failureOf(error) };
  return { fleet: code, message: error.message, retryable: error.retryable };
}

export function shortFailure({ name, message, code, retryable, rpc }: SourceFailure): SourceFailure {
  const bare = rpc && { code: rpc.code, message: rpc.message.slice(0, MAX_NAME_LENGTH) };
  return { name, message: message.slice(0, MAX_NAME_LENGTH), code, retryable, rpc: bare };
}

export function readWireError({ fleet, message, retryable, source }: Readonly<Record<string, unknown>>): WireError {
  if (isRecord(source)) return { source: failureOf(source) };
  const code = ownersCodes.find((known) => known === fleet);
  const words = typeof message === 'string' ? shortened(message) : SILENT;
  if (code === undefined)
    return { fleet: 'invalid-message', message: `The owner sent an error with an unknown code: ${words}` };
  return { fleet: code, message: words, retryable: retryable === undefined ? undefined : retryable === true };
}

export function toFleetError(error: WireError, origin: { readonly node: string; readonly server: string }): FleetError {
  if ('fleet' in error) {
    return new FleetError(error.fleet, error.message, { ...origin, retryable: error.retryable });
  }
  const { name, message, code, retryable = false, rpc } = error.source;
  const cause = Object.assign(new Error(message), { name }, code === undefined ? {} : { code });
  cause.stack = `${name}: ${message}`; // a stack of this module would mislead
  return new FleetError('source-error', message, { ...origin, sourceCode: code, retryable, rpc, cause });
}

function readCode(code: unknown): string | number | undefined {
  if (typeof code === 'string') return code.slice(0, MAX_NAME_LENGTH);
  return typeof code === 'number' ? code : undefined;
}

function readRpc({ code, message, data }: Readonly<Record<string, unknown>>): RpcError | undefined {
  if (!Number.isSafeInteger(code) || typeof message !== 'string') return undefined;
  const written = asJson(data);
  return { code: code as number, message: shortened(message), ...(written === undefined ? {} : { data: written }) };
}

/** JSON form of `data`; `undefined` if it cannot be serialized. */
function asJson(data: unknown): unknown {
  try {
    const json: string | undefined = JSON.stringify(data);
    return json === undefined ? undefined : parseJson(json);
  } catch {
    return undefined;
  }
}

function shortened(message: string): string {
  return message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH)}…` : message;
}
