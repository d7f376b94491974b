// Offers a tool for each name on its command line, which returns --label and the name. Its instructions are --instructions.
import { parseArgs } from 'node:util';
import { serve } from '../../serving/json-lines.js';

const { values, positionals } = parseArgs({
  options: { label: { type: 'string', default: 'server' }, instructions: { type: 'string' } },
  allowPositionals: true,
});

serve({
  instructions: values.instructions,
  tools: positionals.map((name) => ({
    name,
    description: `The tool ${name} of ${values.label}`,
    run: () => `${values.label} ran ${name}`,
  })),
});
