// Offers a tool for each name on its command line, which returns --label and the name.
import { parseArgs } from 'node:util';
import { serve } from '../../serving/json-lines.js';

const { values, positionals } = parseArgs({
  options: { label: { type: 'string', default: 'server' } },
  allowPositionals: true,
});

serve({
  tools: positionals.map((name) => ({
    name,
    description: `The tool ${name} of ${values.label}`,
    run: () => `${values.label} ran ${name}`,
  })),
});
