import { type SchemaFault, shapeOf } from '@x/internal/json-schema';
import { escapeHidden } from '@x/internal/text';
import type { ToolView } from '@x/internal/views';
import { RegistryError } from '../errors.js';

/** Lists each fault with path, expected value and likely intention, then the signature, for a model's next try. */
export function invalidArguments({ name, inputSchema }: ToolView, faults: readonly SchemaFault[]): RegistryError {
  const lines = faults.map((fault) => `- ${lineOf(fault)}`);
  const shape = shapeOf(inputSchema, inputSchema);
  const message = [`The arguments of ${name} do not fit; it was not run.`, ...lines, `It takes ${shape}`].join('\n');
  return new RegistryError('invalid-arguments', escapeLines(message), { tool: name, faults });
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
  const name = JSON.stringify(closest.length > 100 ? `${closest.slice(0, 100)}…` : closest);
  return message === 'is missing' ? `was ${name} meant for it?` : `did you mean ${name}?`;
}

/** Escapes all but line breaks, because names are foreign text. */
function escapeLines(text: string): string {
  return text.split('\n').map(escapeHidden).join('\n');
}
