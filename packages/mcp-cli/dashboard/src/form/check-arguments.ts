import { checkValue, lacksPatternEngine, type SchemaFault, usePatternEngine } from '@x/internal/json-schema';

/**
 * The faults of a value, by JSON Pointer. Patterns are left to the daemon: an engine that ends for every pattern is
 * larger than the page.
 */
export function faultsOf(schema: object, value: unknown): ReadonlyMap<string, string> {
  const known = schema as Parameters<typeof checkValue>[0];
  if (lacksPatternEngine(known)) usePatternEngine({ compile: refusePattern, translateRegExp: String });
  const check = checkValue(known, value);
  if (check.outcome !== 'invalid') return new Map();
  return new Map(check.faults.map((fault) => [fault.path, faultText(fault)]));
}

function refusePattern(): never {
  throw new SyntaxError('patterns are not compiled here');
}

function faultText({ message, expected, closest }: SchemaFault): string {
  const hint = closest === undefined ? '' : ` Did you mean “${closest}”?`;
  if (message === 'is missing') return `Missing: ${expected}.${hint}`;
  const isWhole = message.startsWith('must');
  return `${message.charAt(0).toUpperCase()}${message.slice(1)}${isWhole ? '' : `: expected ${expected}`}.${hint}`;
}
