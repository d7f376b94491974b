import { isRecord } from '@x/internal/json';

const loneSurrogates = /\p{Surrogate}/gu;

/** The same JSON without halves of characters, for which APIs refuse a whole request. */
export function wellFormed<Value>(value: Value): Value {
  if (typeof value === 'string') return textOf(value) as Value;
  const json = JSON.stringify(value);
  // JSON writes halves as escapes, and whole characters as they are.
  return /\\ud[89a-f]/.test(json) ? JSON.parse(json, (_key, each: unknown) => mended(each)) : value;
}

function mended(value: unknown): unknown {
  if (typeof value === 'string') return textOf(value);
  return isRecord(value) ? Object.fromEntries(Object.entries(value).map(([key, each]) => [textOf(key), each])) : value;
}

function textOf(text: string): string {
  return text.replace(loneSurrogates, '\uFFFD');
}
