import { isRecord } from '@x/internal/json';

export type Json = Readonly<Record<string, unknown>>;

/** The arguments that a tool's schema declares, by name. */
export function declaredIn(schema: Json): Json {
  return recordOf(schema.properties);
}

/** Schema of one argument, with references resolved. Empty for an undeclared one. */
export function schemaOf(key: string, root: Json): Json {
  const declared = declaredIn(root);
  return Object.hasOwn(declared, key) ? follow(declared[key], root) : {};
}

/** JSON types that a schema allows; empty if it does not restrict them, and for a schema that refers to itself. */
export function typesOf(schema: Json, root: Json): ReadonlySet<string> {
  return new TypeReader(root).read(schema);
}

/** Reads each schema once: references that double at each level would take hours. */
class TypeReader {
  readonly #root: Json;
  readonly #known = new Map<Json, ReadonlySet<string>>();

  constructor(root: Json) {
    this.#root = root;
  }

  read(schema: Json): ReadonlySet<string> {
    const known = this.#known.get(schema);
    if (known) return known;
    this.#known.set(schema, new Set());
    const types = this.#make(schema);
    this.#known.set(schema, types);
    return types;
  }

  #make({ type, anyOf, oneOf, enum: values, const: only }: Json): ReadonlySet<string> {
    if (typeof type === 'string') return new Set([type]);
    if (Array.isArray(type)) return new Set(type.filter((each) => typeof each === 'string'));
    if (Array.isArray(values)) return new Set(values.map(typeOf));
    if (only !== undefined) return new Set([typeOf(only)]);
    const choices = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
    const types = choices.map((choice) => this.read(follow(choice, this.#root)));
    // One unrestricted alternative allows every type.
    return types.some((each) => each.size === 0) ? new Set() : new Set(types.flatMap((each) => [...each]));
  }
}

/** The values that a schema lists, those of its alternatives included, and `true` and `false` of a boolean. */
export function valuesOf(schema: Json, root: Json, depth = 0): readonly unknown[] {
  if (depth > 8) return [];
  const { enum: values, const: only, anyOf, oneOf, type } = schema;
  if (Array.isArray(values)) return values;
  if (only !== undefined) return [only];
  if (type === 'boolean') return [true, false];
  if (type === 'array') return valuesOf(follow(schema.items, root), root, depth + 1);
  const choices = Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : [];
  return choices.flatMap((choice) => valuesOf(follow(choice, root), root, depth + 1));
}

/** Resolves `$ref` within the tool's own schema. */
export function follow(schema: unknown, root: Json): Json {
  let current = recordOf(schema);
  for (let step = 0; step < 8 && typeof current.$ref === 'string' && current.$ref.startsWith('#/'); step += 1) {
    const keys = current.$ref
      .slice(2)
      .split('/')
      .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
    let target: unknown = root;
    for (const key of keys) target = Object.hasOwn(recordOf(target), key) ? recordOf(target)[key] : undefined;
    current = recordOf(target);
  }
  return current;
}

export function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return Number.isInteger(value) ? 'integer' : typeof value;
}

export function recordOf(value: unknown): Json {
  return isRecord(value) ? value : {};
}
