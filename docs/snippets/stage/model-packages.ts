/** Stand in for the packages of the models' providers: each model asks for one tool, and each package does what it does with it. */

const name = 'mcp__notes__read';

interface ToolObject {
  readonly name: string;
}

export const anthropicClient = {
  messages: {
    create: async (_: {
      model: string;
      max_tokens: number;
      messages: readonly unknown[];
      tools: readonly ToolObject[];
    }) => ({
      content: [{ type: 'tool_use' as const, id: 'use_1', name, input: {} }],
    }),
  },
};

/** A package for messages in the form of OpenAI, which answers each request with the same value. */
export const answering = (answer: unknown): { apiKey: string; fetch: typeof fetch } => ({
  apiKey: 'none',
  fetch: async () => Response.json(answer),
});

const call = { name, arguments: '{}' };
export const chatAnswer = {
  choices: [
    { message: { role: 'assistant', content: null, tool_calls: [{ id: 'call_1', type: 'function', function: call }] } },
  ],
};
export const responsesAnswer = { output: [{ type: 'function_call', call_id: 'call_1', ...call }] };

export const geminiClient = {
  models: {
    generateContent: async (_: {
      model: string;
      contents: readonly unknown[];
      config: { tools: readonly unknown[] };
    }) => ({
      candidates: [{ content: { role: 'model', parts: [{ functionCall: { name, args: {} } }] } }],
      functionCalls: [{ name, args: {} }],
    }),
  },
};

interface RunningTool {
  readonly execute: (input: unknown, options: object) => Promise<unknown>;
  readonly toModelOutput: (output: unknown) => { readonly value: unknown };
}

/** `jsonSchema` of the package `ai`. */
export const jsonSchema = (schema: object) => ({ jsonSchema: schema });

/** `generateText` of the package `ai`: runs the tool that the model wants, and gives it the result. */
export async function generateText({ tools }: { model: string; prompt: string; tools: Record<string, RunningTool> }) {
  const output = await tools[name]?.execute({}, {});
  return { text: String(tools[name]?.toModelOutput({ toolCallId: 'call_1', input: {}, output }).value) };
}

interface AgentTool extends ToolObject {
  readonly invoke: (context: unknown, input: string) => Promise<unknown>;
}

/** `Agent` of `@openai/agents`. */
export class Agent {
  readonly tools: readonly AgentTool[];

  constructor({ tools }: { name: string; tools: readonly AgentTool[] }) {
    this.tools = tools;
  }
}

/** `run` of `@openai/agents`. */
export async function run({ tools }: Agent, _input: string) {
  return { finalOutput: await tools.find((tool) => tool.name === name)?.invoke({}, '{}') };
}

interface StructuredToolFields extends ToolObject {
  readonly func: (
    input: unknown,
    runManager?: unknown,
    config?: { signal?: AbortSignal },
  ) => Promise<[unknown, unknown]>;
}

/** That of `@langchain/core/tools`. */
export class DynamicStructuredTool {
  readonly name: string;
  readonly #func: StructuredToolFields['func'];

  constructor({ name, func }: StructuredToolFields) {
    this.name = name;
    this.#func = func;
  }

  async invoke(input: unknown, config?: { signal?: AbortSignal }): Promise<unknown> {
    const [content] = await this.#func(input, undefined, config);
    return content;
  }
}

/** `createAgent` of the package `langchain`. */
export function createAgent({ tools }: { model: string; tools: readonly DynamicStructuredTool[] }) {
  return { invoke: async () => tools.find((tool) => tool.name === name)?.invoke({}) };
}
