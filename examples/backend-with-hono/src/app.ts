import type { ToolSet, Tools } from '@x/mcp';
import { isRegistryError } from '@x/mcp';
import { Hono } from 'hono';

export interface Caller {
  readonly id: string;
  readonly role: string;
}

const statuses = new Map<string, 400 | 404 | 503>([
  ['invalid-arguments', 400],
  ['unknown-tool', 404], // also for what the role may not use
  ['closed', 503],
]);

/** The routes of the backend. Each request sees the tools of its caller's role. */
export function createApp(tools: Tools, callerOf: (token: string) => Caller | undefined) {
  // #region app
  const app = new Hono<{ Variables: { tools: ToolSet } }>();

  app.use('/tools/*', async (context, next) => {
    const token = context.req.header('authorization')?.replace(/^Bearer /i, '');
    const caller = callerOf(token ?? '');
    if (caller === undefined) return context.json({ error: 'This needs a token' }, 401);
    context.set('tools', tools.as(caller.role, { principal: caller.id }));
    await next();
  });

  app.get('/tools', async (context) => {
    const { tools: found } = await context.var.tools.search(context.req.query('query') ?? '*');
    return context.json(found.map(({ name }) => name));
  });

  app.post('/tools/:name', async (context) => {
    const { signal } = context.req.raw; // aborts when the client disconnects
    const args = await context.req.json();
    const result = await context.var.tools.call(context.req.param('name'), args, { signal });
    return context.json({ text: result.text() }, result.isError ? 422 : 200);
  });
  // #endregion app

  app.onError((error, context) => {
    if (!isRegistryError(error)) return context.json({ error: 'The call failed' }, 500);
    return context.json({ error: error.message }, statuses.get(error.code) ?? 502);
  });
  return app;
}
