import type { JsonSchema } from '../contracts.js';
import { isRecord } from '../json/json-values.js';

/** A schema at another place of a document: redirects its references to the root. @param to - Such as `#/anyOf/0`. */
export function movedSchema(schema: JsonSchema, to: string): unknown {
  return withMovedReferences(schema, { to, isRecursive: isStaticallyRecursive(schema) });
}

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

/** In draft 2019-09, `$recursiveRef` without a dynamic anchor refers to the root. */
function isStaticallyRecursive({ $schema, $recursiveAnchor }: JsonSchema): boolean {
  return typeof $schema === 'string' && $schema.includes('2019-09') && $recursiveAnchor !== true;
}

interface Move {
  readonly to: string;
  readonly isRecursive: boolean;
  /** The keys are names rather than keywords. */
  readonly isNamed?: boolean;
}

function withMovedReferences(node: unknown, { to, isRecursive, isNamed = false }: Move): unknown {
  if (Array.isArray(node)) return node.map((each) => withMovedReferences(each, { to, isRecursive }));
  if (!isRecord(node)) return node;
  // References below an own `$id` are not to the document.
  if (!isNamed && node.$id !== undefined && !String(node.$id).startsWith('#')) return node;
  const moved = Object.entries(node).map(([key, value]): readonly [string, unknown] => {
    if (isNamed) return [key, withMovedReferences(value, { to, isRecursive })];
    if ((key === '$ref' || key === '$dynamicRef') && typeof value === 'string') return [key, movedReference(value, to)];
    if (DATA.has(key)) return [key, value];
    return [key, withMovedReferences(value, { to, isRecursive, isNamed: NAMED.has(key) })];
  });
  const { $recursiveRef, ...rest } = Object.fromEntries(moved);
  if ($recursiveRef === undefined || isNamed) return Object.fromEntries(moved);
  if (!isRecursive || $recursiveRef !== '#') return { ...rest, $recursiveRef };
  const { allOf } = rest;
  return { ...rest, allOf: [...(Array.isArray(allOf) ? allOf : []), { $ref: movedReference('#', to) }] };
}

function movedReference(reference: string, to: string): string {
  if (reference !== '#' && !reference.startsWith('#/')) return reference;
  return `${to}${reference.slice(1)}`;
}
