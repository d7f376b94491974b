// The MCP server of an extension: five tools and a resource per agent. Needs the root of a project, from --root or from
// VAULTSPEC_MCP_ROOT_DIR.
import { parseArgs } from 'node:util';
import { serve, writeBlocking } from '../../serving/json-lines.js';

const { values } = parseArgs({ options: { root: { type: 'string' } }, allowPositionals: true });
const root = values.root ?? process.env.VAULTSPEC_MCP_ROOT_DIR;
if (root === undefined) {
  writeBlocking(2, 'No root directory: pass --root, or set VAULTSPEC_MCP_ROOT_DIR.\n');
  process.exit(1);
}

serve({
  methods: {
    initialize: ({ protocolVersion }) => ({
      protocolVersion,
      capabilities: { tools: {}, resources: {} },
      serverInfo: { name: 'subagents', version: '1.0.0' },
    }),
    'resources/list': () => ({ resources: [] }),
    'resources/templates/list': () => ({ resourceTemplates: [{ uriTemplate: 'agents://{name}', name: 'agent' }] }),
    'resources/read': ({ uri }) => ({
      contents: [{ uri, text: `The agent ${String(uri).slice('agents://'.length)}` }],
    }),
  },
  tools: ['list_agents', 'dispatch_agent', 'get_task_status', 'cancel_task', 'get_locks'].map((name) => ({
    name,
    run: () => `${name} in ${root}`,
  })),
});
