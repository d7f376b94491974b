import type { ToolArguments } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { checkValue, parametersOf, type SchemaFault, shapeOf, toPointer } from '@x/internal/json-schema';
import { escapeHidden, startOf } from '@x/internal/text';
import type { ToolView } from '@x/internal/views';
import type { RawShape } from '../catalog/raw-shape.js';
import { RegistryError } from '../errors.js';
import type { StandardIssue, StandardResult } from '../standard-schema.js';
import { loadEngineFor } from './pattern-engine.js';

const MAX_FAULTS = 10;
const MAX_MESSAGE_LENGTH = 300;

/**
 * Checks arguments against the tool's input schema.
 *
 * @returns A promise while the engine for patterns loads; call again then. `undefined` if the arguments fit.
 * @throws {RegistryError} `invalid-arguments`.
 */
export function refuseUnfit(view: ToolView, args: ToolArguments): Promise<void> | undefined {
  const loading = loadEngineFor([view.inputSchema]);
  if (loading !== undefined) return loading;
  const check = checkValue(view.inputSchema, args);
  if (check.outcome === 'invalid') throw invalidArguments(view, check.faults);
  return undefined;
}

/** Reads arguments field by field. Drops unknown ones. */
export async function readShape(shape: RawShape, args: ToolArguments): Promise<StandardResult<ToolArguments>> {
  const issues: StandardIssue[] = [];
  const values: [string, unknown][] = [];
  for (const [name, field] of Object.entries(shape)) {
    const read = await field['~standard'].validate(Object.hasOwn(args, name) ? args[name] : undefined);
    if (read.issues) issues.push(...read.issues.map((issue) => ({ ...issue, path: [name, ...(issue.path ?? [])] })));
    else if (read.value !== undefined) values.push([name, read.value]);
  }
  return issues.length > 0 ? { issues } : { value: Object.fromEntries(values) };
}

export async function refusedByReader(
  view: ToolView,
  args: ToolArguments,
  issues: readonly StandardIssue[],
): Promise<RegistryError> {
  await loadEngineFor([view.inputSchema]);
  // Our own check has better messages, but the library's verdict decides.
  const check = checkValue(view.inputSchema, args);
  const faults = check.outcome === 'invalid' ? check.faults : issues.map((issue) => toFault(issue, view));
  return invalidArguments(view, faults.slice(0, MAX_FAULTS));
}

function toFault({ message, path = [] }: StandardIssue, { inputSchema }: ToolView): SchemaFault {
  const keys = path.map((part) => (typeof part === 'object' ? part.key : part)).map(toKey);
  return {
    path: toPointer(keys),
    message: `is refused: ${escapeHidden(startOf(message, MAX_MESSAGE_LENGTH))}`,
    expected: shapeOf(schemaAt(inputSchema, keys), inputSchema),
  };
}

function toKey(key: PropertyKey): string | number {
  return typeof key === 'symbol' ? String(key) : key;
}

function schemaAt(schema: unknown, keys: readonly (string | number)[]): unknown {
  let found = schema;
  for (const key of keys) {
    if (!isRecord(found)) return undefined;
    if (typeof key === 'number') found = found.items;
    else found = isRecord(found.properties) && Object.hasOwn(found.properties, key) ? found.properties[key] : undefined;
  }
  return found;
}

/** Lists each fault with path, expected value and likely intention, then the signature, for a model's next try. */
function invalidArguments({ name, inputSchema }: ToolView, faults: readonly SchemaFault[]): RegistryError {
  const lines = faults.map((fault) => `- ${lineOf(fault)}`);
  const signature = `(${parametersOf(inputSchema, inputSchema)})`;
  const parts = [`The arguments of ${name} do not fit; it was not run.`, ...lines, `It takes ${signature}`];
  return new RegistryError('invalid-arguments', parts.map(escapeHidden).join('\n'), { tool: name, faults });
}

export function notAnObject({ name, inputSchema }: ToolView, args: unknown): RegistryError {
  const got = args === null ? 'null' : Array.isArray(args) ? 'an array' : `a ${typeof args}`;
  const expected = shapeOf(inputSchema, inputSchema);
  const message = `The arguments of ${name} must be an object, got ${got}`;
  return new RegistryError('invalid-arguments', message, {
    tool: name,
    faults: [{ path: '', message: `must be an object, got ${got}`, expected }],
  });
}

function lineOf({ path, message, expected, closest }: SchemaFault): string {
  const place = path === '' ? 'the arguments' : path;
  const guess = closest === undefined ? '' : `; ${guessOf(message, closest)}`;
  return `${place} ${message} (expected: ${expected})${guess}`;
}

function guessOf(message: string, closest: string): string {
  const name = JSON.stringify(closest.length > 100 ? `${startOf(closest, 100)}…` : closest);
  return message === 'is missing' ? `was ${name} meant for it?` : `did you mean ${name}?`;
}
