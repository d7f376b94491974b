import { createRegistry, isRegistryError } from '@x/mcp-registry';
import type { SourceTool } from '@x/mcp-registry/sources';

// #region worker
/** Put in by the bundler: the tools of each server, by its name. */
declare const sources: Readonly<Record<string, readonly SourceTool[]>>;

const registry = createRegistry({
  roles: [{ role: 'public', allowedTools: Object.keys(sources), deniedTools: ['*.write_*', '*.delete_*'] }],
});
for (const [name, tools] of Object.entries(sources)) {
  registry.attach({
    name,
    listTools: () => tools,
    callTool: () => Promise.reject(new Error('Tools are only searched here')),
  });
}
const tools = registry.view({ role: 'public' });

// biome-ignore lint/style/noDefaultExport: the form of a Worker
export default {
  async fetch(request: Request): Promise<Response> {
    const query = new URL(request.url).searchParams.get('q') ?? '*';
    try {
      return Response.json(await tools.search({ query, limit: 3 }));
    } catch (error) {
      if (!isRegistryError(error)) throw error;
      return Response.json({ error: error.message }, { status: 400 });
    }
  },
};
// #endregion worker
