import { isRecord } from '@x/internal/json';
import type { Fields } from './client-request.js';

/** Keywords whose values are data, which may look like a schema. */
const DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples']);
/** Keywords with schemas under names that are not keywords. */
const NAMED: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);

/**
 * True if results of this schema must be wrapped for the revisions before 2026-07-28, whose structured results are
 * objects.
 */
export function needsWrap(outputSchema: Fields | undefined): boolean {
  return outputSchema !== undefined && outputSchema.type !== 'object';
}

/** Schema of wrapped results: an object whose `result` fits the original schema. */
export function wrappedSchema(schema: Fields): Fields {
  const { $schema } = schema;
  return {
    ...(typeof $schema === 'string' && { $schema }),
    type: 'object',
    properties: { result: withMovedReferences(schema, { isRecursive: isStaticallyRecursive(schema) }) },
    required: ['result'],
  };
}

/** In 2019-09 `$recursiveRef` also refers to the root, unless the reference is dynamic. */
function isStaticallyRecursive({ $schema, $recursiveAnchor }: Fields): boolean {
  return typeof $schema === 'string' && $schema.includes('2019-09') && $recursiveAnchor !== true;
}

interface Move {
  readonly isRecursive: boolean;
  /** The keys are names rather than keywords. */
  readonly isNamed?: boolean;
}

/** The same schema one level down: references to the root of the document are redirected to it. */
function withMovedReferences(node: unknown, { isRecursive, isNamed = false }: Move): unknown {
  if (Array.isArray(node)) return node.map((each) => withMovedReferences(each, { isRecursive }));
  if (!isRecord(node)) return node;
  // References below an own id are not to the document.
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
