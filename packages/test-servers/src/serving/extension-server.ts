import { fromJsonSchema, McpServer } from '@modelcontextprotocol/server';
import { memorySkillFiles, SkillsExtension } from '@modelcontextprotocol/server/ext/skills';

const APP = 'ui://app/main.html';
const HTML = 'text/html;profile=mcp-app';

const skillOf = (name: string) => `---\nname: ${name}\ndescription: How to do ${name}\n---\nSee references/words.md.\n`;

export interface ExtensionServerOptions {
  readonly name: string;
  /** Offers an extension that no one knows, with the method `coffee/brew`. */
  readonly brews: boolean;
}

/** Creates servers with an app (MCP Apps), two skills (SEP-2640), and an extension of their own. */
export async function extensionServers({ name, brews }: ExtensionServerOptions): Promise<() => McpServer> {
  const skills = await SkillsExtension.load(
    memorySkillFiles({
      'greeting/SKILL.md': skillOf('greeting'),
      'greeting/references/words.md': `Words of ${name}\n`,
      [`of-${name}/SKILL.md`]: skillOf(`of-${name}`),
    }),
  );
  return () => {
    const server = new McpServer({ name, version: '1.0.0' });
    addApp(server, name);
    if (brews) addBrewing(server, name);
    skills.attach(server);
    return server;
  };
}

function addApp(server: McpServer, name: string): void {
  const link = { ui: { resourceUri: APP }, 'ui/resourceUri': APP };
  const text = (said: string) => ({ content: [{ type: 'text' as const, text: `${name}: ${said}` }] });
  server.registerResource('app', APP, { mimeType: HTML }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: HTML, text: `<h1>${name}</h1>`, _meta: { ui: { prefersBorder: true } } }],
  }));
  server.registerResource('data', 'data://numbers', {}, (uri) => ({
    contents: [{ uri: uri.href, text: `numbers of ${name}` }],
  }));
  server.registerTool('show', { description: 'Shows a chart', _meta: link }, () => ({
    ...text('shown'),
    _meta: link,
  }));
  const onlyForApps = { ui: { resourceUri: APP, visibility: ['app'] } };
  server.registerTool('refresh', { description: 'Refreshes the chart', _meta: onlyForApps }, () => text('refreshed'));
  server.registerTool(`of-${name}`, { description: 'Only here' }, () => text('only here'));
  server.registerTool('links', { description: 'Links to the app' }, () => ({
    content: [
      { type: 'resource_link', uri: APP, name: 'app' },
      { type: 'resource', resource: { uri: APP, mimeType: HTML, text: '<h1></h1>' } },
    ],
  }));
  server.registerTool('extensions', { description: 'The extensions of the client' }, (context) => ({
    content: [{ type: 'text', text: JSON.stringify(extensionsOf(server, context)) }],
  }));
}

function extensionsOf(server: McpServer, context: unknown): unknown {
  const { mcpReq } = context as { mcpReq?: { envelope?: Record<string, unknown> } };
  const declared =
    mcpReq?.envelope?.['io.modelcontextprotocol/clientCapabilities'] ?? server.server.getClientCapabilities();
  return (declared as { extensions?: unknown } | undefined)?.extensions ?? {};
}

function addBrewing({ server }: McpServer, name: string): void {
  server.registerCapabilities({ extensions: { 'com.acme/coffee': { beans: 2 } } });
  const params = fromJsonSchema<{ cups?: number }>({ type: 'object', properties: { cups: { type: 'integer' } } });
  server.setRequestHandler('coffee/brew', { params }, ({ cups = 1 }) => ({ by: name, cups }));
}
