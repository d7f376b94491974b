import { McpServer, type ServerContext } from '@modelcontextprotocol/server';
import { memorySkillFiles, SkillsExtension } from '@modelcontextprotocol/server/ext/skills';
import { type Asks, addAskingTools } from './asking-tools.js';
import { addChangingEntries, Changes, type Served } from './changes.js';
import { addInputRequiredTools, requestState } from './input-required-tools.js';
import { addPrompts } from './prompts.js';
import { addResources } from './resources.js';
import { addContentTools, addReportingTools, addSchemaTools } from './simple-tools.js';
import { TaskStore } from './task-store.js';
import { addTaskMethods, addTaskTools, checkTaskCall, tasksExtension } from './tasks.js';

/** Two skills of the skills extension (SEP-2640), one with a file of its own. */
const skills = await SkillsExtension.load(
  memorySkillFiles({
    'greeting/SKILL.md': '---\nname: greeting\ndescription: How to greet\n---\nSay hello. See references/words.md.\n',
    'greeting/references/words.md': 'Hello, hi, good morning.\n',
    'parting/SKILL.md': '---\nname: parting\ndescription: How to say goodbye\n---\nSay goodbye.\n',
  }),
);

/** State that all servers of a program share. */
interface Shared {
  readonly changes: Changes;
  readonly tasks: TaskStore;
}

export function createShared(): Shared {
  return { changes: new Changes(), tasks: new TaskStore() };
}

/** Server with everything that the conformance suite tests, for clients of every revision. */
export function createConformanceServer(
  { changes, tasks }: Shared,
  { serves, asks = 'rounds' }: { serves: Served; asks?: Asks },
): McpServer {
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
  addAskingTools(server, { asks });
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

type Handler = (request: { readonly params: { readonly name: string } }, context: ServerContext) => unknown;

/**
 * Runs `check` before each tool call. Its errors stay protocol errors; the SDK turns those of tools into results. Call
 * it before the first tool is registered, when the SDK registers its handler.
 */
function checkCalls({ server }: McpServer, check: (tool: string, context: ServerContext) => void): void {
  const register = server.setRequestHandler.bind(server) as (method: string, ...rest: unknown[]) => void;
  server.setRequestHandler = (method: string, ...rest: unknown[]) => {
    if (method !== 'tools/call') return register(method, ...rest);
    const [call] = rest as [Handler];
    const checked: Handler = (request, context) => {
      check(request.params.name, context);
      return call(request, context);
    };
    return register(method, checked);
  };
}
