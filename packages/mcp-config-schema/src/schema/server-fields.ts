import {
  type Optional,
  type ProcessFields,
  type ServerField,
  type ServerFields,
  second,
  serverFields,
} from '@x/internal/server-fields';
import type { z } from 'zod';
import { filledText, flag, listOf, oneOf, optional, seconds, wholeNumber, withDefault } from './fields.js';

type Rows = typeof serverFields;
type AllFields = ServerFields & ProcessFields;
type SettingName = { [Name in keyof Rows]: Rows[Name] extends { readonly setting: true } ? Name : never }[keyof Rows];
type ReadFields = Omit<AllFields, SettingName> & Optional<Pick<AllFields, SettingName>>;

/** Fields of the table as keys of `mcp_servers.yaml`, in its units. */
type Shape = {
  [Name in keyof Rows as Rows[Name]['key']]: Rows[Name] extends
    | { readonly setting: true }
    | { readonly default: undefined }
    ? z.ZodOptional<SchemaOf<Rows[Name]>>
    : z.ZodDefault<SchemaOf<Rows[Name]>>;
};

type SchemaOf<Row extends ServerField> = Row extends { readonly kind: 'flag' }
  ? z.ZodBoolean
  : Row extends { readonly kind: 'number' }
    ? z.ZodInt
    : Row extends { readonly kind: 'word'; readonly words: infer Words extends readonly string[] }
      ? z.ZodEnum<{ [Word in Words[number]]: Word }>
      : z.ZodArray<z.ZodString>;

type WrittenFields = z.infer<z.ZodObject<Shape>>;

/** @returns A schema per field, by key. Optional if the default is not constant. */
export function fieldSchemas(): Shape {
  const rows: readonly ServerField[] = Object.values(serverFields);
  return Object.fromEntries(rows.map((row) => [row.key, fieldSchema(row)])) as unknown as Shape;
}

export function settingSchema<Name extends keyof Rows>(name: Name): SchemaOf<Rows[Name]> {
  return valueSchema(serverFields[name]) as unknown as SchemaOf<Rows[Name]>;
}

export function writtenDefault(name: Exclude<SettingName, 'autoStart'>): number {
  const row = serverFields[name];
  return row.default / row.unit;
}

export function defaultFields(): WrittenFields {
  const rows: readonly ServerField[] = Object.values(serverFields);
  const defaults = rows.filter((row) => row.default !== undefined && !row.setting);
  return Object.fromEntries(defaults.map((row) => [row.key, writtenValue(row)])) as unknown as WrittenFields;
}

/** `undefined` for missing settings. */
export function readFields(entry: WrittenFields): ReadFields {
  const written: Readonly<Record<string, unknown>> = entry;
  const rows: readonly [string, ServerField][] = Object.entries(serverFields);
  return Object.fromEntries(
    rows.map(([name, row]) => {
      const value = written[row.key];
      return [name, row.kind === 'number' && typeof value === 'number' ? value * (row.unit ?? 1) : value];
    }),
  ) as unknown as ReadFields;
}

function fieldSchema(row: ServerField): z.ZodType {
  const schema = valueSchema(row);
  return row.setting || row.default === undefined
    ? optional(schema, row.says)
    : withDefault(schema, writtenValue(row), row.says);
}

function valueSchema(row: ServerField): z.ZodType {
  if (row.kind === 'flag') return flag();
  if (row.kind === 'word') return oneOf(row.words);
  if (row.kind === 'tools') return listOf(filledText(), 'a list of tool names');
  const { min, max, unit = 1 } = row;
  const [least, most] = row.written ?? [min / unit, max / unit];
  return unit === second ? seconds(least, most) : wholeNumber(least, most);
}

function writtenValue(row: ServerField): unknown {
  return row.kind === 'number' && row.default !== undefined ? row.default / (row.unit ?? 1) : row.default;
}
