import { isRecord } from '@x/internal/json';
import { parametersOf, shapeOf, uncheckedParts } from '@x/internal/json-schema';
import { escapeHidden } from '@x/internal/text';
import type { ToolView } from '@x/internal/views';

const MAX_PARAMETERS = 100;

/** A tool as text, for reading before a call. */
export interface ToolDescription {
  readonly tool: ToolView;
  /** `mcp__git__log(path: string, limit?: integer (1 to 100))`. */
  readonly signature: string;
  /** Arguments that are not checked, because their schema cannot be used. */
  readonly uncheckedArguments: readonly string[];
  readonly text: string;
}

/** @param tool - Call `loadEngineFor` with its schema first. */
export function toDescription(tool: ToolView): ToolDescription {
  const { name, title, server, state, description, inputSchema, outputSchema, annotations } = tool;
  const signature = `${name}(${parametersOf(inputSchema, inputSchema)})`;
  const uncheckedArguments = uncheckedParts(inputSchema);
  const origin = server === undefined ? 'A tool of this app' : `A tool of server ${server}, which is ${state}`;
  const text = [
    title === undefined ? name : `${name}: ${title}`,
    [origin, ...hintsOf(annotations)].join('; '),
    ...(description === undefined ? [] : ['', ...description.split('\n')]),
    '',
    signature,
    ...parameterLines(inputSchema),
    ...(outputSchema === undefined ? [] : [`Gives ${shapeOf(outputSchema, outputSchema)}`]),
    ...uncheckedArguments.map((part) => `Not checked before a call: ${part}`),
  ];
  return Object.freeze({
    tool,
    signature: escapeHidden(signature),
    uncheckedArguments,
    text: text.map(escapeHidden).join('\n'),
  });
}

/** The server's claims about a tool. */
function hintsOf(annotations: ToolView['annotations']): readonly string[] {
  const { readOnlyHint, destructiveHint, idempotentHint } = annotations ?? {};
  if (readOnlyHint === true) return ['only reads, as it says'];
  return [
    ...(destructiveHint === true ? ['may destroy, as it says'] : []),
    ...(idempotentHint === true ? ['may run twice, as it says'] : []),
  ];
}

function parameterLines({ properties }: ToolView['inputSchema']): readonly string[] {
  if (!isRecord(properties)) return [];
  const entries = Object.entries(properties);
  const lines = entries.slice(0, MAX_PARAMETERS).flatMap(([name, parameter]) => {
    if (!isRecord(parameter) || typeof parameter.description !== 'string') return [];
    return [`- ${name.slice(0, 100)}: ${parameter.description.replaceAll('\n', ' ')}`];
  });
  return entries.length > MAX_PARAMETERS ? [...lines, `- and ${entries.length - MAX_PARAMETERS} more`] : lines;
}
