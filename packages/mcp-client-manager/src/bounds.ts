import { isAbsolute } from 'node:path';

/** @throws {TypeError} For what a timer cannot wait: nothing, for ever, or no number. */
export function requireTimeout(name: string, value: number): void {
  requireRange(name, value, { min: 1, max: 2_147_483_647 });
}

export function requireRange(name: string, value: number, { min, max }: { min: number; max: number }): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw new TypeError(`${name} must be a whole number from ${min} to ${max}, got ${value}`);
}

export function requireFlag(name: string, value: unknown): void {
  if (typeof value === 'boolean') return;
  throw new TypeError(`${name} must be true or false, got ${JSON.stringify(value)}`);
}

export function requireOneOf(name: string, value: string, words: readonly string[]): void {
  if (words.includes(value)) return;
  throw new TypeError(`${name} must be one of ${words.map((word) => `"${word}"`).join(', ')}, got ${String(value)}`);
}

export function requireAbsolute(name: string, path: string | undefined): void {
  if (path === undefined || isAbsolute(path)) return;
  throw new TypeError(`${name} must be an absolute path, got ${JSON.stringify(path)}`);
}
