import { parseJson } from '@x/internal/json';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export function readJson(bytes: Uint8Array): unknown {
  return parseJson(decoder.decode(bytes));
}

export function toBytes(text: string): Uint8Array {
  return encoder.encode(text);
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
