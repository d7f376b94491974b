import { readFileSync } from 'node:fs';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';

type Json = Readonly<Record<string, unknown>>;

const schema = JSON.parse(
  readFileSync(new URL('../../../../docs/schemas/output.schema.json', import.meta.url), 'utf8'),
) as Json & { readonly $defs: Json };

/** Commands, and parts that several of them have in common. */
export const documented = Object.keys(schema.$defs);

const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
ajv.addSchema(closed(schema) as Json, 'output');

/** What the schema of a command has against a document; also what is in the document and not in the schema. */
export function faultsOf(command: string, document: unknown): readonly string[] {
  const validate: ValidateFunction | undefined = ajv.getSchema(`output#/$defs/${encodeURIComponent(command)}`);
  if (!validate) return [`there is no schema for "${command}"`];
  validate(document);
  return (validate.errors ?? []).map(({ instancePath, message, params }) =>
    `${instancePath} ${message} ${JSON.stringify(params)}`.trim(),
  );
}

/** Readers are to put up with fields that they do not know; what is printed and not documented is a gap nevertheless. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const parts = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, closed(part)]));
  const isOpen = 'additionalProperties' in parts || !('properties' in parts) || parts.type !== 'object';
  return isOpen ? parts : { ...parts, additionalProperties: false };
}
