import { isRecord } from '@x/internal/json';
import * as z from 'zod';
import type { ConfigPath } from '../issues.js';
import type { SourceEntry, SourceNode } from '../source/source-tree.js';

/** Empty if every key is allowed. */
export function knownKeys(schema: z.core.$ZodType, path: ConfigPath): readonly string[] {
  const inner = unwrap(schema);
  const [step, ...rest] = path;
  if (inner instanceof z.ZodObject) {
    if (step === undefined) return Object.keys(inner.shape);
    const field = fieldOf(inner, String(step));
    return field === undefined ? [] : knownKeys(field, rest);
  }
  if (inner instanceof z.ZodUnion) return inner.options.flatMap((option) => knownKeys(option, path));
  return inner instanceof z.ZodRecord && step !== undefined ? knownKeys(inner.valueType, rest) : [];
}

function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  return isOptional(schema) ? unwrap(schema.unwrap()) : schema;
}

function isOptional(schema: z.core.$ZodType): schema is z.ZodOptional | z.ZodDefault | z.ZodPrefault {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault;
}

/** A list whose entries are all commented out is null, and must not allow what it restricted. */
export function restricts(key: string): boolean {
  return /^(?:allowed|denied|required)_/.test(key);
}

/** Removes optional keys whose value is null: they count as absent, except restrictions. */
export function withoutNulls(schema: z.core.$ZodType, node: SourceNode): SourceNode {
  if (node.kind !== 'map') return node;
  const inner = unwrap(schema);
  let changed: Map<string, SourceEntry> | undefined;
  for (const [key, entry] of node.entries) {
    const field = fieldOf(inner, key);
    if (field === undefined) continue;
    const kept =
      isOptional(field) && isNull(entry.node) && !restricts(key) ? undefined : withoutNulls(field, entry.node);
    if (kept === entry.node) continue;
    changed ??= new Map(node.entries);
    if (kept === undefined) changed.delete(key);
    else changed.set(key, { ...entry, node: kept });
  }
  return changed === undefined ? node : { ...node, entries: changed };
}

function fieldOf(schema: z.core.$ZodType, key: string): z.core.$ZodType | undefined {
  if (schema instanceof z.ZodRecord) return schema.valueType;
  return schema instanceof z.ZodObject && Object.hasOwn(schema.shape, key) ? schema.shape[key] : undefined;
}

function isNull(node: SourceNode): boolean {
  return node.kind === 'scalar' && node.value === null;
}

/**
 * Valid parts of an invalid value: a map without its invalid keys, with defaults. Lists count as a whole, to keep
 * indexes. `undefined` if nothing is valid.
 */
export function validParts<Schema extends z.core.$ZodType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> | undefined {
  return partsOf(schema, value)?.data as z.output<Schema> | undefined;
}

interface Parts {
  readonly data: unknown;
}

function partsOf(schema: z.core.$ZodType, value: unknown): Parts | undefined {
  const result = z.safeParse(schema, value);
  if (result.success) return { data: result.data };
  if (!isRecord(value)) return undefined;
  const inner = unwrap(schema);
  if (inner instanceof z.ZodObject) return partsOfObject(inner, value);
  return inner instanceof z.ZodRecord ? partsOfRecord(inner, value) : undefined;
}

function partsOfObject(schema: z.ZodObject, value: Readonly<Record<string, unknown>>): Parts | undefined {
  const data: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(schema.shape)) {
    const found = Object.hasOwn(value, key) ? partsOf(field, value[key]) : undefined;
    const kept = found ?? defaultOf(field);
    if (kept === undefined) return undefined; // the other keys would have a different meaning without it
    if (kept.data !== undefined) data[key] = kept.data;
  }
  return { data };
}

function defaultOf(field: z.core.$ZodType): Parts | undefined {
  const result = z.safeParse(field, undefined);
  return result.success ? { data: result.data } : undefined;
}

function partsOfRecord(schema: z.ZodRecord, value: Readonly<Record<string, unknown>>): Parts {
  const valid = Object.entries(value).flatMap(([key, item]) => {
    const parts = z.safeParse(schema.keyType, key).success ? partsOf(schema.valueType, item) : undefined;
    return parts === undefined ? [] : [[key, parts.data] as const];
  });
  return { data: Object.fromEntries(valid) };
}
