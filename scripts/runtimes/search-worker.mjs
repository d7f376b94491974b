import { createRegistry } from '@x/mcp-registry';

const registry = createRegistry(); // at module scope: all requests share it
registry.register({ name: 'now', description: 'Tells the time' }, () => new Date().toISOString());
registry.register({ name: 'add', description: 'Adds two numbers' }, ({ a, b }) => ({ sum: Number(a) + Number(b) }));

export default {
  async fetch(request) {
    const query = new URL(request.url).searchParams.get('q') ?? '';
    const { tools } = await registry.search({ query });
    return Response.json(tools.map(({ name, description }) => ({ name, description })));
  },
};
