import { isRecord } from '@x/internal/json';
import type { StandardSchema } from '../standard-schema.js';

/** Schemas by field, as `registerTool` of `@modelcontextprotocol/sdk` 1.x takes them. */
export type RawShape = Readonly<Record<string, StandardSchema>>;

export function isStandard(schema: unknown): schema is StandardSchema {
  return (isRecord(schema) || typeof schema === 'function') && '~standard' in schema;
}

/** False for a schema, of a library or JSON Schema. */
export function isRawShape(schema: unknown): schema is RawShape {
  return isRecord(schema) && !isStandard(schema) && Object.values(schema).some(isStandard);
}

/** The JSON Schema of a shape. `convert` throws for a field that is not a schema library's. */
export function shapeToJson(
  shape: RawShape,
  convert: (name: string, field: StandardSchema) => Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const properties = Object.entries(shape).map(([name, field]) => {
    const { $schema: _, ...property } = convert(name, field);
    // References of a part would lead elsewhere in the whole.
    if (JSON.stringify(property).includes('"$ref":')) {
      throw new TypeError(`The schema of ${name} refers to itself; wrap all of them: z.object({ … })`);
    }
    return [name, property] as const;
  });
  const required = Object.keys(shape).filter((name) => isRequired(shape[name] as StandardSchema));
  return { type: 'object', properties: Object.fromEntries(properties), required };
}

/** True also if only the later check can say. */
function isRequired(field: StandardSchema): boolean {
  try {
    const read = field['~standard'].validate(undefined);
    return 'then' in read || read.issues !== undefined;
  } catch {
    return true;
  }
}
