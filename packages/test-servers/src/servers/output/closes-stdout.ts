// Closes stdout and keeps running: in the tool `close`, or with --at-start before the handshake. --stubborn: also keeps
// running at the end of stdin.
import { closeSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { echoTool, noResponse, pidTool, serve, writeBlocking } from '../../serving/json-lines.js';

const { values } = parseArgs({
  options: { 'at-start': { type: 'boolean', default: false }, stubborn: { type: 'boolean', default: false } },
});
let isOpen = true;

if (values['at-start']) close();
setInterval(() => undefined, 60_000);

serve({
  tools: [
    echoTool,
    pidTool,
    {
      name: 'close',
      description: 'Closes stdout; nothing is answered from then on',
      run: () => {
        close();
        return noResponse;
      },
    },
  ],
  // Bypasses Node's stream, which would keep the descriptor open.
  write: (line) => {
    if (isOpen) writeBlocking(1, `${line}\n`);
  },
  ...(values.stubborn && { onEnd: () => undefined }),
});

function close(): void {
  isOpen = false;
  closeSync(1);
}
