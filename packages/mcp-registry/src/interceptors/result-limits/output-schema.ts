import type { JsonSchema } from '@x/internal/contracts';
import { movedSchema } from '@x/internal/json-schema';
import { READ_RESULT_TOOL_NAME } from '@x/internal/names';
import type { ToolView } from '@x/internal/views';

/** In place of structured content that was too long. */
const CUT_FORM: JsonSchema = {
  type: 'object',
  description: `The result was too long: ${READ_RESULT_TOOL_NAME} reads it by this id.`,
  properties: { [READ_RESULT_TOOL_NAME]: { type: 'object', properties: { id: { type: 'string' } } } },
  required: [READ_RESULT_TOOL_NAME],
  additionalProperties: false,
};

/** Clients check results, and a tool with an output schema must not leave structured content out. */
export function withCutForm(tool: ToolView): ToolView {
  const { outputSchema } = tool;
  if (outputSchema === undefined) return tool;
  const { $schema, type } = outputSchema;
  const both = {
    ...(typeof $schema === 'string' && { $schema }),
    ...(type === 'object' && { type }),
    anyOf: [movedSchema(outputSchema, '#/anyOf/0'), CUT_FORM],
  };
  return { ...tool, outputSchema: both };
}
