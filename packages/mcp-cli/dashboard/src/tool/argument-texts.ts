import { toWireText } from '@x/internal/text';
import { type Json, schemaOf, typesOf } from '../../../src/call-words/schema-types.js';

interface WrittenCall {
  /** Public name. */
  readonly tool: string;
  readonly args: Json;
  /** Default: no role. */
  readonly role?: string | undefined;
}

/**
 * The command line of a call, for a POSIX shell. Words where the command reads them as the same arguments, else one JSON
 * object. Hidden characters are escaped.
 */
export function commandOf({ tool, args, role }: WrittenCall, schema: Json): string {
  const words = Object.entries(args).map(([key, value]) => wordOf(key, value, schema));
  const isPlain = words.every((word) => word !== undefined);
  return [
    'mcpx call',
    ...(role === undefined ? [] : ['--role', shellWord(role)]),
    shellWord(tool),
    ...(isPlain ? words : [toWireText(args)]).map(shellWord),
  ].join(' ');
}

function wordOf(key: string, value: unknown, schema: Json): string | undefined {
  if (!/^[a-z_]\w*$/i.test(key)) return undefined;
  const types = typesOf(schemaOf(key, schema), schema);
  const isText = types.size === 1 && types.has('string');
  if (typeof value === 'string' && isText) return isVisible(value) ? `${key}=${value}` : undefined;
  return `${key}:=${toWireText(value)}`;
}

function isVisible(text: string): boolean {
  return toWireText(text) === JSON.stringify(text) && !text.includes('\n');
}

/** A word for a POSIX shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
}

/** A program that makes the call. `configFiles`: those of the daemon. */
export function programOf({ tool, args, role }: WrittenCall, configFiles: readonly string[]): string {
  const config = configFiles.map((file) => toWireText(file)).join(', ');
  const callee = role === undefined ? 'tools' : `tools.as(${toWireText(role)})`;
  const written = Object.keys(args).length === 0 ? '{}' : toWireText(args);
  return [
    "import { openTools } from '@x/mcp';",
    '',
    `const tools = await openTools({ config: [${config}] });`,
    `const result = await ${callee}.call(${toWireText(tool)}, ${written});`,
    'console.log(result.text());',
    'await tools.close();',
    '',
  ].join('\n');
}
