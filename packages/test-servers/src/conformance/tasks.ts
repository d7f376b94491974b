import { setTimeout as delay } from 'node:timers/promises';
import {
  acceptedContent,
  type CallToolResult,
  inputRequired,
  type McpServer,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  type ServerContext,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import { capabilitiesOf } from './capabilities.js';
import { textResult } from './sample-data.js';
import type { TaskStore, Work } from './task-store.js';

/** Extension (SEP-2663) for tools that respond with a running task. */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** Tools that run only as tasks. */
const onlyAsTask = new Set([
  'failing_job',
  'protocol_error_job',
  'confirm_delete',
  'multi_input',
  'test_tool_with_task',
]);

const okForm = z.object({ confirm: z.boolean() });
const nameForm = z.object({ name: z.string() });

/** Rejects calls that need a task from clients without the extension. */
export function checkTaskCall(tool: string, context: ServerContext): void {
  if (onlyAsTask.has(tool)) assertTaskSupport(context);
}

/** Tools that run as tasks for clients with the extension. */
export function addTaskTools(server: McpServer, tasks: TaskStore): void {
  server.registerTool('greet', { description: 'Greets at once', inputSchema: nameForm }, ({ name }) =>
    textResult(`Hello, ${name}!`),
  );
  const timing = z.object({ seconds: z.number(), label: z.string().optional() });
  server.registerTool(
    'slow_compute',
    { description: 'Takes its time', inputSchema: timing },
    ({ seconds, label = 'nothing' }, context) => {
      const work: Work = async ({ signal }) => {
        await delay(1_000 * seconds, undefined, { signal });
        return textResult(`Computed ${label}`);
      };
      return supportsTasks(context) ? asTask(tasks, work) : work({ signal: context.mcpReq.signal, ask: cannotAsk });
    },
  );
  server.registerTool('failing_job', { description: 'Fails, as a task' }, () =>
    asTask(tasks, async ({ signal }) => {
      await delay(1_000, undefined, { signal });
      throw new Error('This job always fails');
    }),
  );
  server.registerTool('protocol_error_job', { description: 'Breaks the protocol, as a task' }, () =>
    asTask(tasks, async () => {
      throw new ProtocolError(ProtocolErrorCode.InternalError, 'This job always breaks');
    }),
  );
  addAskingTasks(server, tasks);
}

function addAskingTasks(server: McpServer, tasks: TaskStore): void {
  const file = z.object({ filename: z.string() });
  server.registerTool(
    'confirm_delete',
    { description: 'Asks before it deletes, as a task', inputSchema: file },
    ({ filename }) =>
      asTask(tasks, async ({ ask }) => {
        const message = `Delete ${filename}?`;
        const answers = await ask({ confirm: inputRequired.elicit({ message, requestedSchema: okForm }) });
        const isSure = acceptedContent(answers, 'confirm', okForm)?.confirm === true;
        return textResult(isSure ? `Deleted ${filename}` : `Kept ${filename}`);
      }),
  );
  server.registerTool('multi_input', { description: 'Asks two things at once, as a task' }, () =>
    asTask(tasks, async ({ ask }) => {
      const answers = await ask({
        first: inputRequired.elicit({ message: 'Who is first?', requestedSchema: nameForm }),
        second: inputRequired.elicit({ message: 'Who is second?', requestedSchema: nameForm }),
      });
      const names = ['first', 'second'].map((key) => acceptedContent(answers, key, nameForm)?.name ?? 'nobody');
      return textResult(names.join(' before '));
    }),
  );
  server.registerTool('test_tool_with_task', { description: 'Asks first, and goes on as a task' }, ({ mcpReq }) => {
    const user = acceptedContent(mcpReq.inputResponses, 'user_name', nameForm);
    if (user) return asTask(tasks, async () => textResult(`Hello, ${user.name}!`));
    const message = 'What is your name?';
    return inputRequired({
      inputRequests: { user_name: inputRequired.elicit({ message, requestedSchema: nameForm }) },
    });
  });
}

/** Task requests of the client, which the 2025 revisions lack. */
export function addTaskMethods(server: McpServer, tasks: TaskStore): void {
  const task = z.object({ taskId: z.string() });
  server.server.setRequestHandler('tasks/get', { params: task }, ({ taskId }, context) => {
    assertTaskSupport(context);
    return tasks.get(taskId);
  });
  server.server.setRequestHandler('tasks/update', { params: task }, ({ taskId }, context) => {
    assertTaskSupport(context);
    tasks.update(taskId, context.mcpReq.inputResponses ?? {});
    return {};
  });
  server.server.setRequestHandler('tasks/cancel', { params: task }, ({ taskId }, context) => {
    assertTaskSupport(context);
    tasks.cancel(taskId);
    return {};
  });
}

/** The SDK has no type for such a result and sends it unchanged. */
function asTask(tasks: TaskStore, work: Work): CallToolResult {
  return { resultType: 'task', ...tasks.create(work), content: [] };
}

function supportsTasks({ mcpReq }: ServerContext): boolean {
  return capabilitiesOf(mcpReq.envelope)?.extensions?.[tasksExtension] !== undefined;
}

function assertTaskSupport(context: ServerContext): void {
  if (supportsTasks(context)) return;
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [tasksExtension]: {} } } });
}

function cannotAsk(): never {
  throw new Error('Only a task can ask');
}
