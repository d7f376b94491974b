// Each contender connects to servers and lists their tools with what it is imported for, and then calls tools. The
// module is copied beside the installed peers, so that their names resolve; ours is imported from where it was built.
import { spawn } from 'node:child_process';

/**
 * By name: `(servers, ours) => { call(server, tool, args), close() }`, when all are connected and listed.
 * `call` resolves with something that `textOf` reads. Clients with `prompt(server, name, args)` also get prompts.
 */
export const contenders = {
  'raw pipe': async (servers) => {
    const links = await mapOf(servers, rawLink);
    return {
      call: (server, name, args) => links.get(server).request('tools/call', { name, arguments: args }),
      prompt: (server, name, args) => links.get(server).request('prompts/get', { name, arguments: args }),
      close: () => allOf(links, (link) => link.close()),
    };
  },

  '@x/mcp-client-manager': async (servers, ours) => {
    const manager = await openManager(servers, ours);
    return {
      call: (server, tool, args) => manager.callTool(server, tool, args),
      prompt: (server, name, args) => manager.server(server).getPrompt(name, args),
      close: () => manager.close(),
    };
  },

  'sdk 1.x': async (servers) => {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
    return sdkClients(servers, Client, StdioClientTransport, StreamableHTTPClientTransport);
  },

  'sdk 2.x': async (servers) => {
    const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
    return sdkClients(servers, Client, StdioClientTransport, StreamableHTTPClientTransport);
  },

  mcporter: async (servers) => {
    const { createRuntime } = await import('mcporter');
    const cwd = process.cwd();
    const runtime = await createRuntime({
      servers: servers.map(({ name, url, command, args }) => ({
        name,
        command: url ? { kind: 'http', url: new URL(url) } : { kind: 'stdio', command, args, cwd },
      })),
    });
    await Promise.all(servers.map(({ name }) => runtime.listTools(name)));
    return {
      call: (server, tool, args) => runtime.callTool(server, tool, { args }),
      close: () => runtime.close(),
    };
  },

  langchain: async (servers) => {
    const { MultiServerMCPClient } = await import('@langchain/mcp-adapters');
    const restart = { enabled: true, maxAttempts: 3, delayMs: 500 };
    const specs = servers.map(({ name, url, command, args }) => [
      name,
      url ? { transport: 'http', url } : { transport: 'stdio', command, args, restart },
    ]);
    const client = new MultiServerMCPClient({
      prefixToolNameWithServerName: true,
      mcpServers: Object.fromEntries(specs),
    });
    const tools = new Map((await client.getTools()).map((tool) => [tool.name, tool]));
    if (tools.size === 0) throw new Error('no tools');
    return {
      call: (server, tool, args) => tools.get(`${server}__${tool}`).invoke(args),
      close: () => client.close(),
    };
  },

  mastra: async (servers) => {
    const { MCPClient } = await import('@mastra/mcp');
    const specs = servers.map(({ name, url, command, args }) => [
      name,
      url ? { url: new URL(url) } : { command, args },
    ]);
    const client = new MCPClient({ id: 'bench', servers: Object.fromEntries(specs) });
    const tools = await client.listTools();
    return {
      call: (server, tool, args) => tools[`${server}_${tool}`].execute(args, {}),
      close: () => client.disconnect(),
    };
  },

  'ai-sdk': async (servers) => {
    const { createMCPClient } = await import('@ai-sdk/mcp');
    const { Experimental_StdioMCPTransport: Transport } = await import('@ai-sdk/mcp/mcp-stdio');
    const clients = await mapOf(servers, async ({ url, command, args }) => {
      const transport = url ? { type: 'http', url } : new Transport({ command, args });
      const client = await createMCPClient({ transport });
      await client.listTools();
      return client;
    });
    return {
      call: (server, name, args) => clients.get(server).callTool({ name, arguments: args }),
      close: () => allOf(clients, (client) => client.close()),
    };
  },
};

/** As above, with what only calls are measured of. */
export const callers = {
  ...contenders,

  '@x/mcp-registry': async (servers, ours) => {
    const manager = await openManager(servers, ours);
    const { createRegistry } = await import(ours.registry);
    const registry = createRegistry();
    await Promise.all(manager.servers().map((server) => registry.attach(server).ready));
    return {
      call: (server, tool, args) => registry.call(`mcp__${server}__${tool}`, args),
      close: () => manager.close(),
    };
  },
};

/** The text of what a call resolved with, whatever the contender makes of a result. */
export function textOf(result) {
  if (typeof result === 'string') return result;
  return Array.isArray(result) ? textOf(result[0]?.text ?? result[0]) : (result.text ?? textOf(result.content));
}

async function openManager(servers, { entry, mayFailAtFirst = false }) {
  const { createClientManager } = await import(entry);
  // As many calls at once as the bench makes; the others have no such limit.
  const manager = createClientManager({
    servers: servers.map((server) => ({ ...server, limits: { maxConcurrentCalls: 64 } })),
  });
  const outcomes = await manager.start();
  const failed = outcomes.find(({ status }) => status === 'failed');
  if (failed && !mayFailAtFirst) throw failed.error; // it is started again; who measures starts wants to know
  return manager;
}

async function sdkClients(servers, Client, Transport, HttpTransport) {
  const clients = await mapOf(servers, async ({ url, command, args }) => {
    const client = new Client({ name: 'bench', version: '1.0.0' });
    await client.connect(url ? new HttpTransport(new URL(url)) : new Transport({ command, args }));
    await client.listTools();
    return client;
  });
  return {
    call: (server, name, args) => clients.get(server).callTool({ name, arguments: args }),
    prompt: (server, name, args) => clients.get(server).getPrompt({ name, arguments: args }),
    close: () => allOf(clients, (client) => client.close()),
  };
}

/** The limit: one JSON text a line and nothing around it. */
async function rawLink({ command, args }) {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] });
  const waiting = new Map();
  let lastId = 0;
  let rest = '';
  child.stdout.setEncoding('utf8');
  child.stdout.on('data', (chunk) => {
    rest += chunk;
    if (!chunk.includes('\n')) return;
    const lines = rest.split('\n');
    rest = lines.pop();
    for (const line of lines) {
      const { id, result } = JSON.parse(line);
      waiting.get(id)(result);
      waiting.delete(id);
    }
  });
  const request = (method, params) =>
    new Promise((resolve) => {
      lastId += 1;
      waiting.set(lastId, resolve);
      child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: lastId, method, params })}\n`);
    });
  const clientInfo = { name: 'raw', version: '1.0.0' };
  await request('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo });
  child.stdin.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n');
  await request('tools/list', {});
  const close = () =>
    new Promise((resolve) => {
      child.once('exit', resolve);
      child.stdin.end();
    });
  return { request, close };
}

async function mapOf(servers, open) {
  return new Map(await Promise.all(servers.map(async (server) => [server.name, await open(server)])));
}

async function allOf(clients, close) {
  await Promise.all(Array.from(clients.values(), close));
}
