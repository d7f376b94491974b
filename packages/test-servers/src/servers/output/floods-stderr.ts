// Writes --megabytes (1) to stderr before and during the handshake, and blocks until they are read. --no-newline: one
// endless line; --binary: invalid UTF-8 and NUL.
import { parseArgs } from 'node:util';
import { echoTool, pidTool, serve, writeBlocking } from '../../serving/json-lines.js';

const { values } = parseArgs({
  options: {
    megabytes: { type: 'string', default: '1' },
    'no-newline': { type: 'boolean', default: false },
    binary: { type: 'boolean', default: false },
  },
});
const kilobyte = Buffer.alloc(1024, values.binary ? Buffer.from([0x00, 0xff, 0xc3, 0x28]) : 'x');
if (!values['no-newline']) kilobyte.write('\n', 1023);

flood();
serve({
  // The second flood delays the response to `initialize` until the client has read it.
  onInitialize: flood,
  tools: [
    echoTool,
    pidTool,
    {
      name: 'flood',
      description: 'Floods stderr once more, then answers',
      run: () => {
        flood();
        return 'flooded';
      },
    },
  ],
});

function flood(): void {
  for (let written = 0; written < Number(values.megabytes) * 1024; written += 1) writeBlocking(2, kilobyte);
}
