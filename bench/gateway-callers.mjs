// Clients that call through a gateway, or directly: `(target) => { call(tool, args), pid?, close() }`, connected. A target
// is `{ kind: 'stdio', command, args, env }`, or `{ kind: 'http' | 'sse', url, headers }`. Copied beside the installed
// peers, so that their names resolve.
import { rawEvents, rawRequests, rawSession, rawStdio } from './raw-links.mjs';

export const callers = {
  'raw, 2025': async (target) => raw(target, { stdio: rawStdio, http: rawSession, sse: rawEvents }[target.kind]),

  'raw, 2026': async (target) => raw(target, rawRequests),

  'sdk 1.x': async (target) => {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
    return connected(new Client({ name: 'bench', version: '1.0.0' }), await transportsOf1[target.kind](target));
  },

  'sdk 2.x': async (target) => {
    const { Client } = await import('@modelcontextprotocol/client');
    const versionNegotiation = { mode: { pin: '2026-07-28' } };
    return connected(
      new Client({ name: 'bench', version: '1.0.0' }, { versionNegotiation }),
      await transportsOf2[target.kind](target),
    );
  },
};

const transportsOf1 = {
  stdio: async ({ command, args, env }) => {
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
    return new StdioClientTransport({ command, args, env });
  },
  http: async ({ url, headers }) => {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js');
    return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  },
  sse: async ({ url }) => {
    const { SSEClientTransport } = await import('@modelcontextprotocol/sdk/client/sse.js');
    return new SSEClientTransport(new URL(url));
  },
};

const transportsOf2 = {
  stdio: async ({ command, args, env }) => {
    const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
    return new StdioClientTransport({ command, args, env });
  },
  http: async ({ url, headers }) => {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } });
  },
};

async function raw(target, connect) {
  const link = await connect(target);
  const { tools } = await link.request('tools/list', {});
  return {
    pid: link.pid,
    call: (tool, args) => link.request('tools/call', { name: nameOf(tools, tool), arguments: args }),
    close: () => link.close(),
  };
}

async function connected(client, transport) {
  await client.connect(transport);
  const { tools } = await client.listTools();
  return {
    pid: transport.pid,
    call: (tool, args) => client.callTool({ name: nameOf(tools, tool), arguments: args }),
    close: () => client.close(),
  };
}

/** Each gateway puts something else before the server's own name of a tool. */
function nameOf(tools, tool) {
  const found = tools.find(({ name }) => name.endsWith(tool));
  if (found === undefined) throw new Error(`No tool is named ${tool}: ${tools.map(({ name }) => name).join(', ')}`);
  return found.name;
}
