import { createInterface } from 'node:readline';
import { openai } from '@ai-sdk/openai';
import {
  dynamicTool,
  generateText,
  isStepCount,
  type JSONSchema7,
  jsonSchema,
  type ModelMessage,
  type ToolSet,
} from 'ai';
import { createCallResult, createRuntime } from 'mcporter';

const writes = /^(files__(write|edit|move)|memory__(add|delete)|.+__create)_/;
const isReader = process.argv[2] === 'reader';

const runtime = await createRuntime({ configPath: 'mcp.json' });
const listings = await Promise.all(
  runtime.listServers().map(async (server) => {
    return { server, listing: await runtime.listTools(server, { includeSchema: true }) };
  }),
);
const tools: ToolSet = {};
for (const { server, listing } of listings) {
  for (const { name: tool, description = '', inputSchema } of listing) {
    const name = `${server}__${tool}`;
    if (isReader && writes.test(name)) continue;
    tools[name] = dynamicTool({
      description,
      inputSchema: jsonSchema(inputSchema as JSONSchema7),
      execute: (args, { abortSignal }) => {
        return untilAborted(runtime.callTool(server, tool, { args: args as Record<string, unknown> }), abortSignal);
      },
      toModelOutput: ({ output }) => ({ type: 'content', value: partsOf(output) }),
    });
  }
}

function untilAborted<Result>(result: Promise<Result>, signal?: AbortSignal): Promise<Result> {
  const aborted = new Promise<never>((_, reject) => {
    signal?.addEventListener('abort', () => reject(signal.reason), { once: true });
  });
  return Promise.race([result, aborted]);
}

function partsOf(output: unknown) {
  const result = createCallResult(output);
  const images = (result.images() ?? []).map(({ data, mimeType: mediaType }) => {
    return { type: 'file' as const, data: { type: 'data' as const, data }, mediaType };
  });
  return [{ type: 'text' as const, text: result.text() ?? '' }, ...images];
}

function find(query: string): string[] {
  const words = query.toLowerCase().split(/\s+/);
  const scored = Object.entries(tools).map(([name, { description }]) => {
    const text = `${name} ${description}`.toLowerCase();
    return { name, score: words.filter((word) => text.includes(word)).length };
  });
  const found = scored.filter(({ score }) => score > 0).toSorted((a, b) => b.score - a.score);
  return found.slice(0, 3).map(({ name }) => name);
}

const model = openai('gpt-5.2');
const messages: ModelMessage[] = [];
let stopping = new AbortController();
process.on('SIGINT', () => stopping.abort());

for await (const line of createInterface({ input: process.stdin })) {
  if (line.startsWith('/find ')) {
    console.log(...find(line.slice('/find '.length)));
    continue;
  }
  messages.push({ role: 'user', content: line });
  stopping = new AbortController();
  const { signal: abortSignal } = stopping;
  try {
    const answer = await generateText({ model, tools, messages, stopWhen: isStepCount(8), abortSignal });
    messages.push(...answer.responseMessages);
    console.log(answer.text);
  } catch (error) {
    console.log(abortSignal.aborted ? '(stopped)' : `(failed) ${error}`);
  }
}
await runtime.close();
