import { isRecord } from '@x/internal/json';
import { optionTable, refusePromise } from '@x/internal/options';
import { compareText, escapeHidden, startOf, toWireText } from '@x/internal/text';
import type { ToolView } from '@x/internal/views';
import { SchemaType } from './schema-type.js';
import { docComment, indented, memberName } from './source-text.js';

/** The part of a tool that its declaration is written from. */
export type DeclaredTool = Pick<
  ToolView,
  'name' | 'title' | 'description' | 'inputSchema' | 'outputSchema' | 'annotations'
>;

/** Something that lists tools, such as a view. */
export interface ListedTools {
  /** In any order. */
  list(): readonly DeclaredTool[];
}

/** Options of the declarations. */
export interface TypeScriptOptions {
  /** Longest text. Tools that do not fit are left out, and a comment at the end says which. Default 4 000 000. */
  readonly maxCharacters?: number | undefined;
}

const typeScriptOptions = optionTable<TypeScriptOptions>()({
  maxCharacters: { kind: 'number', of: 'characters', min: 1_000, default: 4_000_000 },
});

/** Characters of the types of one tool, about. */
const MAX_TYPES = 200_000;
/** Longest comment about tools that are left out. */
const MAX_NOTE = 600;

const HEADER = `// Declarations of MCP tools, made from their schemas.

/** Tools by public name. A call resolves with the structured result of the tool, or with its text. */
export interface McpTools {
`;

/**
 * Declarations of all tools of a view as the interface `McpTools`: arguments, results of tools that have an output
 * schema, descriptions as doc comments. Equal tools give equal text.
 *
 * @returns Source text of a module for `strict` TypeScript 5 and later.
 * @throws {TypeError} `view` is a list of tools, a promise and the like; naming the option that is out of bounds.
 */
export function toTypeScript(view: ListedTools, options?: TypeScriptOptions): string {
  requireList(view);
  const { maxCharacters } = typeScriptOptions.read(options);
  const tools = view.list().toSorted((left, right) => compareText(left.name, right.name));
  const written: string[] = [];
  let length = HEADER.length + MAX_NOTE;
  for (const tool of tools) {
    const text = indented(declaration(tool));
    length += text.length + 1;
    if (length > maxCharacters) break;
    written.push(text);
  }
  const [first] = tools.slice(written.length);
  const note = first === undefined ? [] : [leftOut(first, tools.length - written.length, tools.length)];
  return `${HEADER}${[...written, ...note].join('\n')}}\n`;
}

/** A prefix of the sorted tools is written, so the first name says which are not. */
function leftOut({ name }: DeclaredTool, count: number, total: number): string {
  const start = escapeHidden(startOf(name, 100));
  const names = toWireText(start === name ? name : `${start}…`);
  return (
    `  // ${count} of ${total} tools are left out because of maxCharacters, by name from ${names} on.\n` +
    '  // Raise maxCharacters, or declare the view of a role or of some servers.\n'
  );
}

function requireList(view: unknown): void {
  refusePromise('The view', view);
  if (typeof Object(view).list === 'function') return;
  throw new TypeError('The view must be a registry, what its view({ role }) returns, or { list: () => tools }');
}

function declaration({ name, title, description, inputSchema, outputSchema, annotations }: DeclaredTool): string {
  const text = [title, description].filter((part) => part !== undefined && part !== '').join('\n\n');
  const comment = docComment(text, annotations?.destructiveHint === true ? ['May destroy, as its server says.'] : []);
  const room = { left: MAX_TYPES };
  const args = new SchemaType({ ...inputSchema, type: 'object' }, room).write();
  const result = outputSchema === undefined ? 'unknown' : new SchemaType(outputSchema, room).write();
  return `${comment}${memberName(name)}(args${mayBeOmitted(inputSchema) ? '?' : ''}: ${args}): Promise<${result}>;\n`;
}

function mayBeOmitted({ required, anyOf, oneOf, allOf, $ref }: Readonly<Record<string, unknown>>): boolean {
  const isCombined = [anyOf, oneOf, allOf].some(Array.isArray) || isRecord($ref) || typeof $ref === 'string';
  return !isCombined && !(Array.isArray(required) && required.length > 0);
}
