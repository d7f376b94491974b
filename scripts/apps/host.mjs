// A host in the browser: opens the app of a tool in a frame, as hosts of MCP Apps do. `page` serves it and the gateway.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { AppBridge, getToolUiResourceUri, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

const info = { name: 'host', version: '1.0.0' };
const extensions = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } };

/** Opens the app of a tool in a frame of that name, and calls the tool. */
window.openApp = async ({ tool: name, mode }) => {
  const client = new Client(info, { capabilities: { extensions }, versionNegotiation: { mode } });
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', location.href)));
  const { tools } = await client.listTools();
  const tool = tools.find((each) => each.name === name);
  const uri = getToolUiResourceUri(tool);
  const { contents } = await client.readResource({ uri });
  const frame = document.body.appendChild(document.createElement('iframe'));
  frame.name = name;
  frame.sandbox = 'allow-scripts';
  const bridge = new AppBridge(client, info, { serverTools: {}, serverResources: {}, logging: {} });
  const isReady = new Promise((resolve) => bridge.addEventListener('initialized', resolve));
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  frame.srcdoc = contents[0].text;
  await isReady;
  await bridge.sendToolInput({ arguments: {} });
  await bridge.sendToolResult(await client.callTool({ name, arguments: {} }));
  return uri;
};
