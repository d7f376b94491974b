// Stops reading stdin in the tool `stop`, and resumes after --resume-ms if given.
import { parseArgs } from 'node:util';
import { echoTool, serve } from '../../serving/json-lines.js';

const { values } = parseArgs({ options: { 'resume-ms': { type: 'string' } } });

serve({
  tools: [
    echoTool,
    {
      name: 'stop',
      run: () => {
        process.stdin.pause();
        const ms = values['resume-ms'];
        if (ms !== undefined) setTimeout(() => process.stdin.resume(), Number(ms));
        else setInterval(() => undefined, 60_000); // keeps the process alive
        return 'stopped';
      },
    },
    { name: 'length', run: ({ text }) => String(String(text).length) },
  ],
});
