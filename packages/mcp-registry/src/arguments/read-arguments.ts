import type { ToolArguments } from '@x/internal/contracts';
import { isRecord } from '@x/internal/json';
import { checkValue, type SchemaFault, shapeOf, toPointer } from '@x/internal/json-schema';
import type { ToolView } from '@x/internal/views';
import type { RegistryError } from '../errors.js';
import type { StandardIssue } from '../standard-schema.js';
import { invalidArguments } from './refuse-arguments.js';

export { toDescription } from '../tool-description.js';
export { engineCode, loadEngineFor } from './pattern-engine.js';
export { notAnObject } from './refuse-arguments.js';

const MAX_FAULTS = 10;
const MAX_MESSAGE_LENGTH = 300;

export function refuseUnfit(view: ToolView, args: ToolArguments): void {
  const check = checkValue(view.inputSchema, args);
  if (check.outcome === 'invalid') throw invalidArguments(view, check.faults);
}

export function refusedByReader(view: ToolView, args: ToolArguments, issues: readonly StandardIssue[]): RegistryError {
  // Our own check has better messages, but the library's verdict decides.
  const check = checkValue(view.inputSchema, args);
  const faults = check.outcome === 'invalid' ? check.faults : issues.map((issue) => toFault(issue, view));
  return invalidArguments(view, faults.slice(0, MAX_FAULTS));
}

function toFault({ message, path = [] }: StandardIssue, { inputSchema }: ToolView): SchemaFault {
  const keys = path.map((part) => (typeof part === 'object' ? part.key : part)).map(toKey);
  return {
    path: toPointer(keys),
    message: `is refused: ${message.slice(0, MAX_MESSAGE_LENGTH)}`,
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
