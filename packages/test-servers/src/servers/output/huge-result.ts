// Returns a result of any size, in one line.
import { serve } from './json-lines.js';
import { echoTool, pidTool } from './plain-tools.js';

serve({
  tools: [
    echoTool,
    pidTool,
    {
      name: 'big',
      description: 'A text of the given size',
      properties: { bytes: { type: 'integer' } },
      run: ({ bytes }) => 'x'.repeat(Number(bytes)),
    },
  ],
});
