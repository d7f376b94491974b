import { isRecord } from '@x/internal/json';
import type { Fields } from './client-request.js';

/** Keywords whose values are data, which may look like a schema. */
const DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);
/** Keywords whose values are schemas by name. */
const NAMED: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);

/** Structured results before revision 2026-07-28 are objects, so others must be wrapped. */
export function needsWrap(outputSchema: Fields | undefined): boolean {
  return outputSchema !== undefined && outputSchema.type !== 'object';
}

export function wrappedSchema(schema: Fields): Fields {
  const { $schema } = schema;
  return {
    ...(typeof $schema === 'string' && { $schema }),
    type: 'object',
    properties: { result: withMovedReferences(schema, { isRecursive: isStaticallyRecursive(schema) }) },
    required: ['result'],
  };
}

/** In draft 2019-09, `$recursiveRef` without a dynamic anchor refers to the root. */
function isStaticallyRecursive({ $schema, $recursiveAnchor }: Fields): boolean {
  return typeof $schema === 'string' && $schema.includes('2019-09') && $recursiveAnchor !== true;
}

interface Move {
  readonly isRecursive: boolean;
  /** The keys are names rather than keywords. */
  readonly isNamed?: boolean;
}

/** Moves a schema one level down: redirects references to the root of the document. */
function withMovedReferences(node: unknown, { isRecursive, isNamed = false }: Move): unknown {
  if (Array.isArray(node)) return node.map((each) => withMovedReferences(each, { isRecursive }));
  if (!isRecord(node)) return node;
  // References below an own `$id` are not to the document.
  if (!isNamed && node.$id !== undefined && !String(node.$id).startsWith('#')) return node;
  const moved = Object.entries(node).map(([key, value]): readonly [string, unknown] => {
    if (isNamed) return [key, withMovedReferences(value, { isRecursive })];
    if ((key === '$ref' || key === '$dynamicRef') && typeof value === 'string') return [key, movedReference(value)];
    if (DATA.has(key)) return [key, value];
    return [key, withMovedReferences(value, { isRecursive, isNamed: NAMED.has(key) })];
  });
  const { $recursiveRef, ...rest } = Object.fromEntries(moved);
  if ($recursiveRef === undefined || isNamed) return Object.fromEntries(moved);
  if (!isRecursive || $recursiveRef !== '#') return { ...rest, $recursiveRef };
  const { allOf } = rest;
  return { ...rest, allOf: [...(Array.isArray(allOf) ? allOf : []), { $ref: movedReference('#') }] };
}

function movedReference(reference: string): string {
  if (reference !== '#' && !reference.startsWith('#/')) return reference;
  return `#/properties/result${reference.slice(1)}`;
}
