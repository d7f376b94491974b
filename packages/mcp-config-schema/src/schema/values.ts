import { nearestName } from '@x/internal/names';
import { quoted } from '@x/internal/text';
import type { ConfigPath } from '../issues.js';

export function valueAt(data: unknown, path: ConfigPath): unknown {
  let value = data;
  for (const step of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return undefined;
    value = (value as Record<string | number, unknown>)[step];
  }
  return value;
}

export function nameOfPath(path: ConfigPath): string {
  if (path.length === 0) return 'the file';
  return path
    .map((step, index) => {
      if (typeof step === 'number') return `[${step}]`;
      if (!/^[\w-]{1,64}$/.test(step)) return `[${quoted(step)}]`;
      return index === 0 ? step : `.${step}`;
    })
    .join('');
}

/** Reveals no secrets: prints only numbers and booleans outside of `env` and `headers`. */
export function describeValue(value: unknown, path: ConfigPath): string {
  if (value === null) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'string' && value.trim() === '') return 'an empty text';
  const isPrivate = path.includes('env') || path.includes('headers');
  if (typeof value === 'number' || typeof value === 'boolean') return isPrivate ? `a ${typeof value}` : String(value);
  return typeof value === 'string' ? 'text' : 'a mapping';
}

export function hintForValue(value: unknown, expected: string): string | undefined {
  if (value === null) return 'give it a value, or leave the key out';
  if (Array.isArray(value) && expected.startsWith('a mapping of server names')) {
    return 'write each server under its name, as in "git": { "command": "git-mcp" }';
  }
  if (expected === 'true or false' && typeof value === 'string' && /^(yes|no|on|off)$/i.test(value)) {
    return 'in YAML 1.2 yes, no, on and off are text; write true or false';
  }
  if (
    /^(?!a list|a mapping).*(text|name|command)/.test(expected) &&
    (typeof value === 'number' || typeof value === 'boolean')
  ) {
    return 'put it in quotes';
  }
  const words = expected.split(' or ');
  const meant = words.length > 2 && typeof value === 'string' ? nearestName(value, words) : undefined;
  return meant === undefined ? undefined : `did you mean ${quoted(meant)}?`;
}
