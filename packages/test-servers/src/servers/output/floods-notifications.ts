// Sends any number of notifications without a pause, of one method or mixed.
import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { echoTool, type Params, serve } from '../../serving/json-lines.js';

const samples: readonly { readonly method: string; readonly params?: Params }[] = [
  { method: 'notifications/message', params: { level: 'info', data: 'noise' } },
  { method: 'notifications/tools/list_changed' },
  { method: 'notifications/progress', params: { progressToken: 'nobody', progress: 1 } },
  { method: 'notifications/resources/updated', params: { uri: 'test://noise' } },
  { method: 'notifications/unheard-of', params: { any: 'thing' } },
];

serve({
  tools: [
    echoTool,
    {
      name: 'flood',
      properties: { count: { type: 'integer' }, method: { type: 'string' } },
      run: async ({ count, method }) => {
        const chosen = method === undefined ? samples : samples.filter((sample) => sample.method === method);
        const lines = chosen.map((sample) => `${JSON.stringify({ jsonrpc: '2.0', ...sample })}\n`).join('');
        const batch = lines.repeat(200);
        for (let sent = 0; sent < Number(count); sent += 200 * chosen.length) {
          // On Windows, each write blocks until the pipe has it; other requests are read in between.
          if (process.stdout.write(batch)) await setImmediate();
          else await once(process.stdout, 'drain');
        }
        return 'flooded';
      },
    },
  ],
});
