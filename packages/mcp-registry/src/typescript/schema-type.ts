import { isRecord } from '@x/internal/json';
import { guessType, resolveReference } from '@x/internal/json-schema';
import { docComment, foreignText, indented, literalType, memberName } from './source-text.js';

type Schema = Readonly<Record<string, unknown>>;

const MAX_DEPTH = 10;
/** Characters of a part, at least. */
const PART = 8;
const ANY_OBJECT = '{ [key: string]: unknown }';

/** Characters that are left. */
export interface Room {
  left: number;
}

/** Writes one schema as a type of TypeScript. Without room, parts are `unknown`: references may repeat one endlessly. */
export class SchemaType {
  readonly #root: unknown;
  readonly #room: Room;

  constructor(root: unknown, room: Room) {
    this.#root = root;
    this.#room = room;
  }

  write(): string {
    return this.#type(this.#root, 0);
  }

  #type(schema: unknown, depth: number): string {
    if (!this.#fits('', depth)) return 'unknown';
    if (schema === false) return 'never';
    if (!isRecord(schema) || depth > MAX_DEPTH) return 'unknown';
    if (typeof schema.$ref === 'string') return this.#type(resolveReference(schema.$ref, this.#root), depth + 1);
    if ('const' in schema) return this.#literals([schema.const]);
    if (Array.isArray(schema.enum)) return this.#literals(schema.enum);
    return intersection([this.#own(schema, depth), ...this.#combined(schema, depth)]);
  }

  #literals(values: readonly unknown[]): string {
    const text = union(values.map(literalType));
    this.#room.left -= values.length;
    return this.#fits(text, 0) ? text : 'unknown';
  }

  #fits(text: string, depth: number): boolean {
    this.#room.left -= PART + text.length + 2 * depth * text.split('\n').length;
    return this.#room.left >= 0;
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
    this.#room.left -= types.length;
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
    const entries = [...Object.entries(properties), ...others.map((name) => [String(name), true] as const)];
    const members: string[] = [];
    for (const [name, member] of entries) {
      const start = `${documentation(member)}${memberName(name)}${required.has(name) ? '' : '?'}`;
      if (!this.#fits(start, depth + 1)) break;
      members.push(`${start}: ${this.#type(member, depth + 1)};\n`);
    }
    const isCut = members.length < entries.length;
    const more = schema.additionalProperties;
    if (isCut && members.length === 0) return ANY_OBJECT;
    if (members.length > 0) {
      // An index of a narrower type would contradict the members.
      const index = !isCut && (more === undefined || more === false) ? '' : '[key: string]: unknown;\n';
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
    ...('default' in schema ? [`@default ${foreignText(literalType(schema.default))}`] : []),
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
    ...(typeof format === 'string' ? [`format ${foreignText(format)}`] : []),
    ...(typeof pattern === 'string' ? [`matches ${foreignText(literalType(pattern))}`] : []),
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
