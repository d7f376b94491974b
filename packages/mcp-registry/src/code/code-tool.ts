import type { JsonSchema } from '@x/internal/contracts';
import { copyJson } from '@x/internal/json';
import { CODE_TOOL_NAME, SEARCH_TOOL_NAME } from '@x/internal/names';
import type { ToolView } from '@x/internal/views';

const MAX_CODE_LENGTH = 100_000;

/** @param language - Of the programs that run here. */
export function codeToolView(language: 'JavaScript' | 'TypeScript'): ToolView {
  const inputSchema = {
    type: 'object',
    properties: {
      code: {
        type: 'string',
        minLength: 1,
        maxLength: MAX_CODE_LENGTH,
        description: `Body of an async function in ${language}. What it returns is the answer.`,
      },
    },
    required: ['code'],
    additionalProperties: false,
  };
  return Object.freeze({
    name: CODE_TOOL_NAME,
    server: undefined,
    tool: CODE_TOOL_NAME,
    title: 'Run a program that calls tools',
    description:
      `Runs a program in ${language} that calls tools: several calls and their logic in one request. ` +
      `\`await tools["NAME"]({ … })\` calls the tool of that name in an answer of ${SEARCH_TOOL_NAME}, and gives its ` +
      'structured result, or its text. It throws if the tool fails. Promise.all runs calls at once. Return only what ' +
      'you need. There are no modules, files, network or timers.',
    inputSchema: copyJson(inputSchema) as JsonSchema,
    annotations: Object.freeze({
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    }),
    state: 'running',
  });
}

/** @throws {TypeError} The message is for the model. */
export function readCode(args: Readonly<Record<string, unknown>>): string {
  const { code, ...others } = args;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new TypeError(`${CODE_TOOL_NAME} takes "code" only, got ${JSON.stringify(unknown)}`);
  if (typeof code !== 'string' || code === '') throw new TypeError(`${CODE_TOOL_NAME} needs "code", a program as text`);
  if (code.length <= MAX_CODE_LENGTH) return code;
  throw new TypeError(`"code" has ${code.length} characters, and may have ${MAX_CODE_LENGTH}`);
}
