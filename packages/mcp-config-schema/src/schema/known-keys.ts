import { z } from 'zod';
import type { ConfigPath } from '../issues.js';

/** Known keys of a schema at a path; empty if every key is allowed. */
export function knownKeys(schema: z.core.$ZodType, path: ConfigPath): readonly string[] {
  const inner = unwrap(schema);
  const [step, ...rest] = path;
  if (inner instanceof z.ZodObject) {
    if (step === undefined) return Object.keys(inner.shape);
    const field = Object.hasOwn(inner.shape, step) ? inner.shape[step] : undefined;
    return field === undefined ? [] : knownKeys(field, rest);
  }
  if (inner instanceof z.ZodUnion) return inner.options.flatMap((option) => knownKeys(option, path));
  return inner instanceof z.ZodRecord && step !== undefined ? knownKeys(inner.valueType, rest) : [];
}

export function unwrap(schema: z.core.$ZodType): z.core.$ZodType {
  const hasInner = schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault;
  return hasInner ? unwrap(schema.unwrap()) : schema;
}
