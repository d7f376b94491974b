// Returns a result of any size, in one line.
import { echoTool, pidTool, serve } from '../../serving/json-lines.js';

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
