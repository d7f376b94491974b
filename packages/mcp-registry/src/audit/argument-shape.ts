import type { JsonSchema } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import type { ArgumentShape } from './audit-event.js';

const MAX_KNOWN = 32;
const MAX_NAME_LENGTH = 64;

/** Describes arguments without values. Names that the schema lacks may be values, so they are only counted. */
export function toArgumentShape(args: unknown, schema: JsonSchema | undefined): ArgumentShape {
  if (!isRecord(args)) return { known: {}, others: 0 };
  const names = Object.keys(args);
  const properties = isRecord(schema?.properties) ? schema.properties : {};
  const known = names.filter((name) => name.length <= MAX_NAME_LENGTH && Object.hasOwn(properties, name));
  const shown = known.slice(0, MAX_KNOWN);
  return {
    // fromEntries defines own properties, even for `__proto__`.
    known: Object.fromEntries(shown.map((name) => [name, typeOf(args[name])])),
    others: names.length - shown.length,
  };
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return `string(${value.length})`;
  if (Array.isArray(value)) return `array(${value.length})`;
  if (typeof value === 'object') return `object(${Object.keys(value).length})`;
  return typeof value;
}
