import type { ToolCallResult } from './contracts.js';
import { isRecord } from './json/json-values.js';

/** True if each block has the required fields of its type. Blocks of unknown types pass. */
export function isToolResult(value: unknown): value is ToolCallResult {
  return isRecord(value) && Array.isArray(value.content) && value.content.every(isBlock);
}

const media = ['data', 'mimeType'];
const requiredTexts: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: media,
  audio: media,
  resource_link: ['uri', 'name'],
};

function isBlock(block: unknown): boolean {
  if (!isRecord(block) || typeof block.type !== 'string') return false;
  const { type, resource } = block;
  if (type === 'resource') return isRecord(resource) && typeof resource.uri === 'string';
  return (
    !Object.hasOwn(requiredTexts, type) || requiredTexts[type]?.every((key) => typeof block[key] === 'string') === true
  );
}

/** A result from another process, without optional fields of blocks that have a wrong type. `undefined` if it is none. */
export function readToolResult(value: unknown): ToolCallResult | undefined {
  if (!isToolResult(value)) return undefined;
  const content = value.content.map((block) => (isKnown(block.type) ? (readFields(block) as typeof block) : block));
  return content.every((block, index) => block === value.content[index]) ? value : { ...value, content };
}

function isKnown(type: string): boolean {
  return type === 'resource' || Object.hasOwn(requiredTexts, type);
}

type Fields = Readonly<Record<string, unknown>>;

/** The same object if it is sound. */
function readFields(given: Fields): Fields {
  let fields = given;
  for (const [key, value] of Object.entries(given)) {
    const read = readField(key, value);
    if (read === value) continue;
    const { [key]: _malformed, ...others } = fields;
    fields = read === undefined ? others : { ...others, [key]: read };
  }
  return fields;
}

const texts: ReadonlySet<string> = new Set(['mimeType', 'title', 'description', 'text', 'blob', 'lastModified']);

/** By name: a field has the same type in every block. */
function readField(key: string, value: unknown): unknown {
  if (key === 'resource' || key === 'annotations') return isRecord(value) ? readFields(value) : undefined;
  return fits(key, value) ? value : undefined;
}

function fits(key: string, value: unknown): boolean {
  if (texts.has(key)) return typeof value === 'string';
  if (key === 'size' || key === 'priority') return typeof value === 'number';
  if (key === 'audience') return Array.isArray(value) && value.every((role) => role === 'user' || role === 'assistant');
  if (key === 'icons') return Array.isArray(value);
  return key !== '_meta' || isRecord(value);
}
