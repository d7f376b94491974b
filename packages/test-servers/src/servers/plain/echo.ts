// A well-behaved server.
import { echoTool, noResponse, pidTool, serve } from '../../serving/json-lines.js';

serve({
  tools: [
    echoTool,
    pidTool,
    {
      name: 'add',
      description: 'Add two numbers',
      properties: { a: { type: 'number' }, b: { type: 'number' } },
      run: ({ a, b }) => String(Number(a) + Number(b)),
    },
    { name: 'environment', description: 'The environment as JSON', run: () => JSON.stringify(process.env) },
    { name: 'arguments', description: 'The arguments as JSON', run: () => JSON.stringify(process.argv.slice(2)) },
    { name: 'directory', description: 'The working directory', run: () => process.cwd() },
    {
      name: 'fail',
      description: 'Always answers with an error',
      run: () => Promise.reject(new Error('failed as asked')),
    },
    {
      name: 'exit',
      description: 'Exits without an answer',
      properties: { code: { type: 'integer' } },
      run: ({ code = 0 }) => {
        process.exitCode = Number(code);
        setImmediate(() => process.exit());
        return noResponse;
      },
    },
  ],
});
