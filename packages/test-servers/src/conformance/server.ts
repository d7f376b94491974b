import { McpServer } from '@modelcontextprotocol/server';
import { addAskingTools } from './asking-tools.js';
import { addChangingEntries, Changes, type Served } from './changes.js';
import { checkCalls } from './check-calls.js';
import { addContentTools } from './content-tools.js';
import { addInputRequiredTools } from './input-required-tools.js';
import { addPrompts } from './prompts.js';
import { addReportingTools } from './reporting-tools.js';
import { requestState } from './request-state.js';
import { addResources } from './resources.js';
import { addSchemaTools } from './schema-tools.js';
import { skills } from './skills.js';
import { TaskStore } from './task-store.js';
import { addTaskMethods, addTaskTools, checkTaskCall, tasksExtension } from './tasks.js';

/** State that all servers of a program share. */
export interface Shared {
  readonly changes: Changes;
  readonly tasks: TaskStore;
}

export function createShared(): Shared {
  return { changes: new Changes(), tasks: new TaskStore() };
}

/** Server with everything that the conformance suite tests, for clients of every revision. */
export function createConformanceServer({ changes, tasks }: Shared, { serves }: { serves: Served }): McpServer {
  const isModern = serves !== 'legacy-connection';
  const server = new McpServer(
    { name: 'conformance', version: '1.0.0' },
    {
      capabilities: {
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        completions: {},
        logging: {},
        ...(isModern && { extensions: { [tasksExtension]: {} } }),
      },
      instructions: 'For the conformance suite.',
      requestState: { verify: requestState.verify },
    },
  );
  checkCalls(server, checkTaskCall);
  addContentTools(server);
  addReportingTools(server);
  addAskingTools(server);
  addInputRequiredTools(server);
  addSchemaTools(server);
  addPrompts(server);
  addResources(server);
  addChangingEntries(server, changes, { serves });
  addTaskTools(server, tasks);
  if (isModern) addTaskMethods(server, tasks);
  skills.attach(server);
  return server;
}
