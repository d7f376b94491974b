// Dies during a call.
import { echoTool, noResponse, pidTool, serve, writeBlocking } from '../../serving/json-lines.js';

serve({
  tools: [
    echoTool,
    pidTool,
    {
      name: 'die',
      description: 'Exits with a code, or by a signal to itself',
      properties: { code: { type: 'integer' }, signal: { type: 'string' } },
      run: ({ code = 1, signal }) => {
        writeBlocking(2, 'dies-mid-call: cannot go on\n');
        if (typeof signal === 'string') process.kill(process.pid, signal);
        else process.exit(Number(code));
        return noResponse;
      },
    },
  ],
});
