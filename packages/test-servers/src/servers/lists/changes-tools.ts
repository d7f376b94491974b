// Adds and removes tools at run time, with notifications.
import { echoTool, type ServedTool, serve } from '../../serving/json-lines.js';

const grown: ServedTool[] = [];
let revision = 1;

const connection = serve({
  tools: () => [
    echoTool,
    { name: 'grow', description: 'Adds one tool', run: grow },
    { name: 'shrink', description: 'Removes the tool that was added last', run: shrink },
    { name: 'reword', description: `Changes this description, now at ${revision}`, run: reword },
    {
      name: 'burst',
      description: 'Adds one tool and announces it many times',
      properties: { count: { type: 'integer' } },
      run: burst,
    },
    ...grown,
  ],
});

function grow(): string {
  const name = addTool();
  announce();
  return name;
}

function shrink(): string {
  const name = grown.pop()?.name ?? '';
  announce();
  return name;
}

function reword(): string {
  revision += 1;
  announce();
  return String(revision);
}

function burst({ count = 1_000 }: { readonly count?: unknown }): string {
  const name = addTool();
  for (let sent = 0; sent < Number(count); sent += 1) announce();
  return name;
}

function addTool(): string {
  const name = `grown_${grown.length + 1}`;
  grown.push({ name, description: 'Added while the server ran', run: () => name });
  return name;
}

function announce(): void {
  connection.notify('notifications/tools/list_changed');
}
