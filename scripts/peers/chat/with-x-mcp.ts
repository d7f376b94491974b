import { createInterface } from 'node:readline';
import { openai } from '@ai-sdk/openai';
import { openTools } from '@x/mcp';
import { aiSdk } from '@x/mcp/models';
import { generateText, isStepCount, jsonSchema, type ModelMessage } from 'ai';

const writes = ['files.write_*', 'files.edit_*', 'files.move_*', '*.create_*', 'memory.add_*', 'memory.delete_*'];
const roles = [{ role: 'reader', allowedTools: ['files', 'memory', 'everything'], deniedTools: writes }];
await using all = await openTools({ config: 'mcp.json', roles });
const mine = process.argv[2] === 'reader' ? all.as('reader') : all;

const model = openai('gpt-5.2');
const messages: ModelMessage[] = [];
let stopping = new AbortController();
process.on('SIGINT', () => stopping.abort());

for await (const line of createInterface({ input: process.stdin })) {
  if (line.startsWith('/find ')) {
    const { tools: found } = await mine.search(line.slice('/find '.length));
    console.log(...found.slice(0, 3).map(({ name }) => name));
    continue;
  }
  messages.push({ role: 'user', content: line });
  stopping = new AbortController();
  const { signal: abortSignal } = stopping;
  const { tools } = aiSdk(mine, { jsonSchema });
  try {
    const answer = await generateText({ model, tools, messages, stopWhen: isStepCount(8), abortSignal });
    messages.push(...answer.responseMessages);
    console.log(answer.text);
  } catch (error) {
    console.log(abortSignal.aborted ? '(stopped)' : `(failed) ${error}`);
  }
}
