// Exits before the handshake with --code (1), after writing --stderr.
import { parseArgs } from 'node:util';
import { writeBlocking } from '../../serving/json-lines.js';

const { values } = parseArgs({
  options: { code: { type: 'string', default: '1' }, stderr: { type: 'string', default: '' } },
});

if (values.stderr !== '') writeBlocking(2, `${values.stderr}\n`);
process.exit(Number(values.code));
