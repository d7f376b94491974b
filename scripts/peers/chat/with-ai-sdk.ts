import { readFile } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';
import { openai } from '@ai-sdk/openai';
import { generateText, isStepCount, type ModelMessage, type ToolSet } from 'ai';

const writes = /^(files__(write|edit|move)|memory__(add|delete)|.+__create)_/;
const isReader = process.argv[2] === 'reader';

const { mcpServers } = JSON.parse(await readFile('mcp.json', 'utf8'));
const clients = await Promise.all(
  Object.entries<{ command: string; args: string[] }>(mcpServers).map(async ([server, spec]) => {
    return { server, client: await createMCPClient({ transport: new Experimental_StdioMCPTransport(spec) }) };
  }),
);
const tools: ToolSet = {};
for (const { server, client } of clients) {
  for (const [tool, definition] of Object.entries(await client.tools())) {
    const name = `${server}__${tool}`;
    if (!(isReader && writes.test(name))) tools[name] = definition;
  }
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
await Promise.all(clients.map(({ client }) => client.close()));
