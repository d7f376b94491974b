import { followPointer, isRecord } from '../json/json-values.js';
import { MAP_KEYWORDS, VALUE_KEYWORDS } from './schema-keywords.js';

type SchemaObject = Readonly<Record<string, unknown>>;

const DEFAULT_BASE = 'https://schema.invalid/';

export interface SchemaReferences {
  /** The target of a `$ref` in `from`; `undefined` outside of this document. */
  resolve(reference: string, from: object): unknown;
  /** Number of candidates of a `$dynamicRef` with this anchor. */
  readonly dynamicAnchors: ReadonlyMap<string, number>;
  /** The root, and each subschema with its own `$id`. */
  readonly resources: number;
}

/** @param root - A tree: no object stands in two places. */
export function indexReferences(root: SchemaObject): SchemaReferences {
  const isOld = isOldDialect(root.$schema);
  const bases = new Map<object, string>();
  const resources = new Map<string, unknown>();
  const anchors = new Map<string, unknown>();
  const dynamicAnchors = new Map<string, number>();

  function visit(schema: unknown, outerBase: string): void {
    if (Array.isArray(schema)) {
      for (const item of schema) visit(item, outerBase);
    } else if (isRecord(schema)) {
      const base = isOld && '$ref' in schema ? outerBase : baseOf(schema, outerBase); // there, $ref stands alone
      if (base !== outerBase) resources.set(base, schema);
      bases.set(schema, base);
      recordAnchors(schema, base);
      for (const [key, value] of Object.entries(schema)) {
        if (MAP_KEYWORDS.has(key) && isRecord(value)) visit(Object.values(value), base);
        else if (!VALUE_KEYWORDS.has(key)) visit(value, base);
      }
    }
  }

  function recordAnchors(schema: SchemaObject, base: string): void {
    // Until draft 7 an anchor was an $id of "#" and a name.
    const oldAnchor = typeof schema.$id === 'string' && schema.$id.startsWith('#') ? schema.$id.slice(1) : undefined;
    for (const anchor of [schema.$anchor, schema.$dynamicAnchor, oldAnchor]) {
      if (typeof anchor === 'string') anchors.set(`${base}#${anchor}`, schema);
    }
    if (typeof schema.$dynamicAnchor === 'string') {
      dynamicAnchors.set(schema.$dynamicAnchor, (dynamicAnchors.get(schema.$dynamicAnchor) ?? 0) + 1);
    }
  }

  resources.set(DEFAULT_BASE, root);
  visit(root, DEFAULT_BASE);

  return {
    dynamicAnchors,
    resources: resources.size,
    resolve(reference, from) {
      const hash = reference.indexOf('#');
      const [uri, fragment] = hash < 0 ? [reference, ''] : [reference.slice(0, hash), reference.slice(hash + 1)];
      const outer = bases.get(from) ?? DEFAULT_BASE;
      const base = uri === '' ? outer : join(uri, outer);
      if (base === undefined || !resources.has(base)) return undefined;
      const isPointer = fragment === '' || fragment.startsWith('/');
      return isPointer ? followPointer(resources.get(base), fragment) : anchors.get(`${base}#${fragment}`);
    },
  };
}

function baseOf({ $id }: SchemaObject, outer: string): string {
  if (typeof $id !== 'string' || $id.startsWith('#')) return outer;
  return join($id.replace(/#.*$/, ''), outer) ?? outer;
}

/** Drafts up to 7 ignore the siblings of `$ref`. */
export function isOldDialect(dialect: unknown): boolean {
  return typeof dialect === 'string' && /draft-0[3-7]/.test(dialect);
}

function join(uri: string, base: string): string | undefined {
  try {
    return new URL(uri, base).href;
  } catch {
    return undefined; // not a URI, so it has no target
  }
}
