import { isRecord } from '@x/internal/json';
import { guessType, resolveReference } from '@x/internal/json-schema';
import { docComment, indented, literalType, memberName } from './source-text.js';

type Schema = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 10;
/** Parts of one schema that are written; what exceeds them is `unknown`. References may repeat a part without end. */
const MAX_PARTS = 5_000;
const ANY_OBJECT = '{ [key: string]: unknown }';

/** Writes one schema as a type of TypeScript. */
export class SchemaType {
  readonly #root: unknown;
  #parts = 0;

  constructor(root: unknown) {
    this.#root = root;
  }

  write(): string {
    return this.#type(this.#root, 0);
  }

  #type(schema: unknown, depth: number): string {
    if (schema === false) return 'never';
    this.#parts += 1;
    if (!isRecord(schema) || depth > MAX_DEPTH || this.#parts > MAX_PARTS) return 'unknown';
    if (typeof schema.$ref === 'string') return this.#type(resolveReference(schema.$ref, this.#root), depth + 1);
    if ('const' in schema) return this.#literals([schema.const]);
    if (Array.isArray(schema.enum)) return this.#literals(schema.enum);
    return intersection([this.#own(schema, depth), ...this.#combined(schema, depth)]);
  }

  #literals(values: readonly unknown[]): string {
    this.#parts += values.length;
    return this.#parts > MAX_PARTS ? 'unknown' : union(values.map(literalType));
  }

  #combined(schema: Schema, depth: number): readonly string[] {
    const branches = schema.anyOf ?? schema.oneOf;
    const all = Array.isArray(schema.allOf) ? schema.allOf : [];
    return [
      ...(Array.isArray(branches) ? [union(branches.map((branch) => this.#type(branch, depth + 1)))] : []),
      ...all.map((part) => this.#type(part, depth + 1)),
    ];
  }

  #own(schema: Schema, depth: number): string {
    const types = Array.isArray(schema.type) ? schema.type : [schema.type ?? guessType(schema)];
    return union(types.map((type) => this.#ofType(type, schema, depth)));
  }

  #ofType(type: unknown, schema: Schema, depth: number): string {
    switch (type) {
      case 'object':
        return this.#object(schema, depth);
      case 'array':
        return this.#array(schema, depth);
      case 'integer':
        return 'number';
      case 'number':
      case 'string':
      case 'boolean':
      case 'null':
        return type;
      default:
        return 'unknown';
    }
  }

  #array({ items, prefixItems }: Schema, depth: number): string {
    if (Array.isArray(prefixItems)) {
      const members = prefixItems.map((item) => this.#type(item, depth + 1));
      // The last of them may be left out, and more may follow.
      const rest = items === false ? [] : [`...${arrayOf(isRecord(items) ? this.#type(items, depth + 1) : 'unknown')}`];
      return `[${[...members.map((member) => `(${member})?`), ...rest].join(', ')}]`;
    }
    return arrayOf(items === undefined ? 'unknown' : this.#type(items, depth + 1));
  }

  #object(schema: Schema, depth: number): string {
    const required = new Set(Array.isArray(schema.required) ? schema.required : []);
    const properties = isRecord(schema.properties) ? schema.properties : {};
    const others = Array.from(required).filter((name) => typeof name === 'string' && !Object.hasOwn(properties, name));
    const members = [
      ...Object.entries(properties).map(([name, member]) => {
        const mark = required.has(name) ? '' : '?';
        return `${documentation(member)}${memberName(name)}${mark}: ${this.#type(member, depth + 1)};\n`;
      }),
      ...others.map((name) => `${memberName(String(name))}: unknown;\n`),
    ];
    const more = schema.additionalProperties;
    if (members.length > 0) {
      // An index of a narrower type would contradict the members.
      const index = more === undefined || more === false ? '' : '[key: string]: unknown;\n';
      return `{\n${indented(members.join('') + index)}}`;
    }
    if (more === false) return 'Record<string, never>';
    return isRecord(more) ? `{ [key: string]: ${this.#type(more, depth + 1)} }` : ANY_OBJECT;
  }
}

function documentation(schema: unknown): string {
  if (!isRecord(schema)) return '';
  const { title, description, deprecated } = schema;
  const text = typeof description === 'string' ? description : title;
  const facts = factsOf(schema);
  const tags = [
    ...(facts === '' ? [] : [facts]),
    ...('default' in schema ? [`@default ${literalType(schema.default)}`] : []),
    ...(deprecated === true ? ['@deprecated'] : []),
  ];
  return docComment(typeof text === 'string' ? text : '', tags);
}

/** What the type cannot say: `Integer, 1 to 100.` */
function factsOf({ type, minimum, maximum, format, pattern }: Schema): string {
  const [low, high] = [typeof minimum === 'number', typeof maximum === 'number'];
  const facts = [
    ...(type === 'integer' ? ['integer'] : []),
    ...(low && high
      ? [`${minimum} to ${maximum}`]
      : low
        ? [`at least ${minimum}`]
        : high
          ? [`at most ${maximum}`]
          : []),
    ...(typeof format === 'string' ? [`format ${format}`] : []),
    ...(typeof pattern === 'string' ? [`matches ${literalType(pattern)}`] : []),
  ].join(', ');
  return facts === '' ? '' : `${facts.charAt(0).toUpperCase()}${facts.slice(1)}.`;
}

function arrayOf(type: string): string {
  return /^[\w"]+$/.test(type) ? `${type}[]` : `Array<${type}>`;
}

function union(types: readonly string[]): string {
  const parts = Array.from(new Set(types));
  if (parts.length === 0) return 'never';
  return parts.includes('unknown') ? 'unknown' : parts.join(' | ');
}

function intersection(types: readonly string[]): string {
  const parts = Array.from(new Set(types)).filter((type) => type !== 'unknown');
  if (parts.length <= 1) return parts[0] ?? 'unknown';
  return parts.map((type) => (type.includes(' | ') ? `(${type})` : type)).join(' & ');
}
