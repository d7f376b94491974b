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
import { say } from './sample-data.js';
import type { TaskStore, Work } from './task-store.js';

/** The extension (SEP-2663) by which a tool may answer with a task that is still running. */
export const tasksExtension = 'io.modelcontextprotocol/tasks';

/** The tools that have nothing else to offer. */
const onlyAsTask = new Set([
  'failing_job',
  'protocol_error_job',
  'confirm_delete',
  'multi_input',
  'test_tool_with_task',
]);

const okForm = z.object({ confirm: z.boolean() });
const nameForm = z.object({ name: z.string() });

/** Refuses a call that can only be answered with a task, for a client that does not know what that is. */
export function checkTaskCall(tool: string, context: ServerContext): void {
  if (onlyAsTask.has(tool)) assertKnowsTasks(context);
}

/** Tools that become tasks for a client that knows what to do with one. */
export function addTaskTools(server: McpServer, tasks: TaskStore): void {
  server.registerTool('greet', { description: 'Greets at once', inputSchema: nameForm }, ({ name }) =>
    say(`Hello, ${name}!`),
  );
  const timing = z.object({ seconds: z.number(), label: z.string().optional() });
  server.registerTool(
    'slow_compute',
    { description: 'Takes its time', inputSchema: timing },
    ({ seconds, label = 'nothing' }, context) => {
      const work: Work = async ({ signal }) => {
        await delay(1_000 * seconds, undefined, { signal });
        return say(`Computed ${label}`);
      };
      return knowsTasks(context) ? asTask(tasks, work) : work({ signal: context.mcpReq.signal, ask: cannotAsk });
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
        return say(isSure ? `Deleted ${filename}` : `Kept ${filename}`);
      }),
  );
  server.registerTool('multi_input', { description: 'Asks two things at once, as a task' }, () =>
    asTask(tasks, async ({ ask }) => {
      const answers = await ask({
        first: inputRequired.elicit({ message: 'Who is first?', requestedSchema: nameForm }),
        second: inputRequired.elicit({ message: 'Who is second?', requestedSchema: nameForm }),
      });
      const names = ['first', 'second'].map((key) => acceptedContent(answers, key, nameForm)?.name ?? 'nobody');
      return say(names.join(' before '));
    }),
  );
  server.registerTool('test_tool_with_task', { description: 'Asks first, and goes on as a task' }, ({ mcpReq }) => {
    const user = acceptedContent(mcpReq.inputResponses, 'user_name', nameForm);
    if (user) return asTask(tasks, async () => say(`Hello, ${user.name}!`));
    const message = 'What is your name?';
    return inputRequired({
      inputRequests: { user_name: inputRequired.elicit({ message, requestedSchema: nameForm }) },
    });
  });
}

/** Requests of the client about its tasks. The 2025 revisions have none. */
export function addTaskMethods(server: McpServer, tasks: TaskStore): void {
  const task = z.object({ taskId: z.string() });
  server.server.setRequestHandler('tasks/get', { params: task }, ({ taskId }, context) => {
    assertKnowsTasks(context);
    return tasks.get(taskId);
  });
  server.server.setRequestHandler('tasks/update', { params: task }, ({ taskId }, context) => {
    assertKnowsTasks(context);
    tasks.update(taskId, context.mcpReq.inputResponses ?? {});
    return {};
  });
  server.server.setRequestHandler('tasks/cancel', { params: task }, ({ taskId }, context) => {
    assertKnowsTasks(context);
    tasks.cancel(taskId);
    return {};
  });
}

/** The SDK has no type for a result that is a task, and sends it as it is. */
function asTask(tasks: TaskStore, work: Work): CallToolResult {
  return { resultType: 'task', ...tasks.create(work), content: [] };
}

function knowsTasks({ mcpReq }: ServerContext): boolean {
  return capabilitiesOf(mcpReq.envelope)?.extensions?.[tasksExtension] !== undefined;
}

function assertKnowsTasks(context: ServerContext): void {
  if (knowsTasks(context)) return;
  throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { extensions: { [tasksExtension]: {} } } });
}

function cannotAsk(): never {
  throw new Error('Only a task can ask');
}
