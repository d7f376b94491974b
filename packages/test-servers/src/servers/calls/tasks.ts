// Has a tool that can only be called as a task (revision 2025-11-25). Uses SDK 1.x.
import { setTimeout as delay } from 'node:timers/promises';
import {
  InMemoryTaskMessageQueue,
  InMemoryTaskStore,
} from '@modelcontextprotocol/sdk/experimental/tasks/stores/in-memory.js';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { z } from 'zod';

const store = new InMemoryTaskStore();
const capabilities = { tools: {}, tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } };
const server = new McpServer(
  { name: 'tasks', version: '1.0.0' },
  { capabilities, taskStore: store, taskMessageQueue: new InMemoryTaskMessageQueue() },
);

server.experimental.tasks.registerToolTask(
  'add_slowly',
  {
    description: 'Adds two numbers as a task',
    inputSchema: { a: z.number(), b: z.number(), ms: z.number().optional(), fail: z.boolean().optional() },
    execution: { taskSupport: 'required' },
  },
  {
    createTask: async ({ a, b, ms = 50, fail = false }, { taskStore, taskRequestedTtl }) => {
      const task = await taskStore.createTask({ ttl: taskRequestedTtl ?? null, pollInterval: 50 });
      void work(task.taskId, { ms, fail, sum: a + b });
      return { task };
    },
    getTask: async (_args, { taskId, taskStore }) => taskStore.getTask(taskId),
    getTaskResult: async (_args, { taskId, taskStore }) => (await taskStore.getTaskResult(taskId)) as never,
  },
);
server.registerTool('statuses', { description: 'How each task stands, as JSON' }, async () => {
  const { tasks } = await store.listTasks();
  return { content: [{ type: 'text' as const, text: JSON.stringify(tasks.map(({ status }) => status)) }] };
});

async function work(taskId: string, { ms, fail, sum }: { ms: number; fail: boolean; sum: number }): Promise<void> {
  await delay(ms, undefined, { ref: false });
  const content = [{ type: 'text' as const, text: fail ? 'it did not work' : String(sum) }];
  try {
    await store.storeTaskResult(taskId, fail ? 'failed' : 'completed', { content, ...(fail && { isError: true }) });
  } catch {
    // The task was cancelled.
  }
}

await server.connect(new StdioServerTransport());
process.stdin.on('end', () => process.exit(0));
