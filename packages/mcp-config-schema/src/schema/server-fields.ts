import {
  collectFields,
  type FieldGroups,
  type ServerField,
  type ServerFields,
  second,
  serverFields,
  writtenBounds,
  writtenValue,
} from '@x/internal/server-fields';
import type { z } from 'zod';
import type { McpSettings } from '../config.js';
import { filledText, flag, listOf, oneOf, optional, seconds, wholeNumber, withDefault } from './fields.js';

type Rows = typeof serverFields;
type SettingRow = Extract<Rows[keyof Rows], { readonly setting: string }>;
type NumberSetting = Exclude<SettingRow['setting'], 'autoStartDefault'>;

/** Fields of the table as keys of `mcp_servers.yaml`, in its units. */
type Shape = {
  [Name in keyof Rows as Rows[Name]['key']]: Rows[Name] extends
    | { readonly setting: string }
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

export function settingSchema(name: NumberSetting, says: string): z.ZodDefault<z.ZodInt> {
  const rows: readonly ServerField[] = Object.values(serverFields);
  const row = rows.find(({ setting }) => setting === name) as ServerField;
  return withDefault(valueSchema(row) as z.ZodInt, writtenValue(row, row.default) as number, says);
}

export function defaultFields(): WrittenFields {
  const rows: readonly ServerField[] = Object.values(serverFields);
  const defaults = rows.filter((row) => row.default !== undefined && !row.setting);
  return Object.fromEntries(
    defaults.map((row) => [row.key, writtenValue(row, row.default)]),
  ) as unknown as WrittenFields;
}

export function readFields(
  entry: WrittenFields,
  settings: Pick<McpSettings, SettingRow['setting']>,
): ServerFields & FieldGroups {
  const written: Readonly<Record<string, unknown>> = entry;
  const defaults: Readonly<Record<string, unknown>> = { ...settings };
  return collectFields(({ row }) => {
    const value = written[row.key];
    if (value === undefined && row.setting) return defaults[row.setting];
    return row.kind === 'number' && typeof value === 'number' ? value * (row.unit ?? 1) : value;
  });
}

function fieldSchema(row: ServerField): z.ZodType {
  const schema = valueSchema(row);
  return row.setting || row.default === undefined
    ? optional(schema, row.says)
    : withDefault(schema, writtenValue(row, row.default), row.says);
}

function valueSchema(row: ServerField): z.ZodType {
  if (row.kind === 'flag') return flag();
  if (row.kind === 'word') return oneOf(row.words);
  if (row.kind === 'tools') return listOf(filledText(), 'a list of tool names');
  const [least, most] = writtenBounds(row);
  return row.unit === second ? seconds(least, most) : wholeNumber(least, most);
}
