// A program with three libraries joined by hand, and the CLI by its types.
import { deepEqual, equal, rejects } from 'node:assert/strict';
import { type ExitCode, type Io, run } from '@x/mcp-cli';
import { createClientManager, type ManagedServer } from '@x/mcp-client-manager';
import { type Config, isConfigError, parseConfig } from '@x/mcp-config-schema';
import { type LoadOptions, loadConfig } from '@x/mcp-config-schema/load';
import { createRegistry, isRegistryError, type ToolSource } from '@x/mcp-registry';
import { openaiChat } from '@x/mcp-registry/formats';
import { createAuditLog } from '@x/mcp-registry/node';

const config: Config = parseConfig([
  {
    file: '.mcp.json',
    text: JSON.stringify({ mcpServers: { greeter: { command: process.execPath, args: ['server.mjs'] } } }),
  },
  {
    file: 'tools.yaml',
    text: `
tools:
  assistant:
    mcp_tools:
      required: [greeter]
    role_restrictions:
      reader:
        allowed_tools: [shout]
`,
  },
]);

await using manager = createClientManager(config);
await using log = createAuditLog({ path: 'audit.jsonl' });
await using registry = createRegistry({ roles: config.roles, audit: log.record });

const greeter: ManagedServer = manager.server('greeter');
await greeter.start();
const source: ToolSource = greeter;
await registry.attach(source).ready;
registry.register({ name: 'shout', description: 'Says it louder' }, ({ text }) => String(text).toUpperCase());

const found = await registry.search({ query: 'greet somebody' });
equal(found.tools[0]?.name, 'mcp__greeter__greet');
const result = await registry.call('mcp__greeter__greet', { name: 'you' });
deepEqual(result.content, [{ type: 'text', text: 'Hello, you' }]);

const reader = registry.view({ role: 'reader' });
deepEqual((await reader.call('shout', { text: 'hi' })).content, [{ type: 'text', text: 'HI' }]);
await rejects(reader.call('mcp__greeter__greet', { name: 'you' }), isRegistryError);
equal((await registry.explain('reader', 'greeter.greet')).reason, 'not-listed');
await log.flush();
deepEqual([log.status.queued, log.status.dropped], [0, 0]);

const options: LoadOptions = { cwd: process.cwd(), files: ['not-there.yaml'] };
await rejects(loadConfig(options), isConfigError);

deepEqual(
  openaiChat(reader).tools.map((tool) => tool.function.name),
  ['search_mcp_tools', 'shout'],
);

// Types alone: it would take over stdin and stdout.
export const runCommand = (argv: readonly string[], io: Io): Promise<ExitCode> => run(argv, io);
