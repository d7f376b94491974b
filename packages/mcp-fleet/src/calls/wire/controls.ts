import { isRecord } from '@x/internal/json';
import { isCount, readJson, toBytes } from './json.js';

export type Control =
  | { readonly type: 'cancel'; readonly id: string }
  | { readonly type: 'credit'; readonly id: string; readonly upTo: number }
  | { readonly type: 'answer'; readonly id: string; readonly n: number; readonly answer: ClientAnswer };

export type ClientAnswer =
  | { readonly result: Readonly<Record<string, unknown>> }
  | { readonly error: { readonly message: string; readonly code?: number | undefined; readonly data?: unknown } };

export function encodeControl(control: Control): Uint8Array {
  return toBytes(JSON.stringify(control));
}

export function readControl(message: Uint8Array): Control | undefined {
  const control = readJson(message);
  if (!isRecord(control) || typeof control.id !== 'string') return undefined;
  const { type, id, upTo, n } = control;
  if (type === 'cancel') return { type, id };
  if (type === 'credit') return isCount(upTo) ? { type, id, upTo } : undefined;
  return type === 'answer' && isCount(n) ? { type, id, n, answer: readAnswer(control.answer) } : undefined;
}

function readAnswer(answer: unknown): ClientAnswer {
  const { result, error }: Readonly<Record<string, unknown>> = isRecord(answer) ? answer : {};
  if (isRecord(result)) return { result };
  const { message, code, data }: Readonly<Record<string, unknown>> = isRecord(error) ? error : {};
  return {
    error: {
      message: typeof message === 'string' ? message : 'The client sent no result',
      ...(Number.isSafeInteger(code) ? { code: code as number } : {}),
      ...(data === undefined ? {} : { data }),
    },
  };
}
